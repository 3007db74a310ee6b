package import CarillonModel
package import CarillonOperatorModel
import Foundation

extension Campaigns {
    /// Creates a draft that says nothing yet.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - name: Its name, 1 through 200 characters; `nil` for none.
    ///   - author: Who writes it.
    /// - Returns: The draft.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App; ``EngineError/invalid(_:)`` for the name.
    package func newDraft(
        app: AppID,
        name: String?,
        by author: CampaignAuthor
    ) async throws(EngineError) -> Campaign {
        var update = CampaignUpdate()
        update.name = .some(name)
        try Self.checkStorable(update)
        var request = CampaignRequest.undecided
        request.name = name
        var campaign = Campaign(id: ids.next(), app: app, request: request, state: .draft, createdAt: clock.now())
        campaign.createdBy = author
        if try await rules(of: app).dialect == .toast { campaign.validFor = Self.toastValidity.usual }
        let new = NewCampaign(
            campaign: campaign,
            retryFor: Self.usualRetryTime,
            isTest: false,
            inbox: InboxPlacement(request, isTest: false),
            occurrence: nil
        )
        let kept = try await stored(try await store.insert(new))
        guard let kept else { throw .notFound(.app) }
        return kept
    }

    /// Saves a draft with the fields that are given; what is missing or too large is for ``problems(of:)``.
    ///
    /// A Campaign that was confirmed or asked about, and of which nothing has begun, becomes a draft again. One that has
    /// begun is changed as by ``change(_:within:_:by:)``.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: Only if it belongs to this App; `nil` for any.
    ///   - update: The change.
    ///   - version: The version that it was made from.
    ///   - state: The state that it was made from, since a confirmation is no new version; `nil` for any.
    ///   - author: Who makes it.
    /// - Returns: The Campaign, or both versions when another change was faster.
    /// - Throws: ``EngineError/invalid(_:)`` for what cannot be stored, ``EngineError/conflict(_:)`` when it is complete.
    package func saveDraft(
        _ id: CampaignID,
        within app: AppID?,
        _ update: CampaignUpdate,
        version: Int,
        from state: Campaign.State? = nil,
        by author: CampaignAuthor
    ) async throws(EngineError) -> DraftSaving {
        try Self.checkStorable(update)
        var update = update
        update.version = version
        return try await save(id, within: app, update, from: state, by: CampaignCaller(author), isPart: true)
    }

    /// Returns all that stands in the way of sending a Campaign as it is stored: what a request to create it would be
    /// refused for, the most severe first.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such Campaign.
    package func problems(
        ofDraft id: CampaignID,
        within app: AppID?
    ) async throws(EngineError) -> [FieldError] {
        try await problems(of: try await campaign(id, within: app))
    }

    /// Does the same with a Campaign that was read.
    package func problems(of draft: Campaign) async throws(EngineError) -> [FieldError] {
        let (now, rules) = (clock.now(), try await rules(of: draft.app))
        var campaign = draft
        let undecided = draft.undecided ?? []
        var problems = undecided.map { FieldError(field: $0.field, problem: "is required") }
        if draft.audience == .redacted, !undecided.contains(.audience) {
            problems.append(FieldError(field: "audience", problem: "must be chosen again: nobody is left of it"))
        }
        do throws(EngineError) {
            if case .saved = draft.audience { _ = try await store.resolved(draft.audience, app: draft.app) }
        } catch {
            problems.append(try Self.problem(error))
        }
        if !undecided.contains(.message) { problems += try await contentProblems(of: draft, rules, at: now) }
        problems += timeProblems(resolving: &campaign, at: now, sendsLate: true)
        if let problem = rules.missingPushKey { problems.append(problem) }
        return problems
    }

    /// Returns who wrote a part of a Campaign.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such Campaign.
    package func editors(
        of id: CampaignID,
        within app: AppID?
    ) async throws(EngineError) -> [CampaignAuthor] {
        try await found(try await store.planned(id, within: app)).guards.editors ?? []
    }

    // MARK: - Private

    private func contentProblems(
        of draft: Campaign,
        _ rules: AppContentRules,
        at now: Timestamp
    ) async throws(EngineError) -> [FieldError] {
        var problems: [FieldError] = []
        do throws(FieldError) {
            try draft.message.checkWithoutValues()
        } catch {
            problems.append(error)
        }
        let content = ContentCheck(draft, rules, occurrence: ids.next(), at: now, by: sender)
        problems += Self.problems(of: draft, rules, content.fields) + content.problems
        if let problem = CampaignRequest(of: draft).contentProblem, !problems.contains(problem) {
            problems.append(problem)
        }
        guard !content.recipientPlaces.names.isEmpty else { return problems }
        let recipients = try await stored(try await store.recipients(of: draft.id, app: draft.app))
        let stored = recipients.isEmpty ? nil : recipients
        if let problem = content.recipientPlaces.problem(of: stored, areStored: true) { problems.append(problem) }
        return problems
    }

    /// Checks that a change can be read again once it is stored: what V1 could not decode is refused.
    private static func checkStorable(_ update: CampaignUpdate) throws(EngineError) {
        do {
            _ = try JSONDecoder().decode(CampaignUpdate.self, from: try JSONEncoder().encode(update))
        } catch let error as FieldError {
            throw .invalid(error)
        } catch {
            throw .wrong("message", "must be content that can be stored")
        }
    }
}

extension CampaignPart {
    /// The field of a request that says it.
    fileprivate var field: String {
        switch self {
        case .audience: "audience"
        case .message: "message"
        case .kind: "isAd"
        }
    }
}
