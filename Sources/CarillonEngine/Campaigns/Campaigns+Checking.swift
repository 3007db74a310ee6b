import CarillonModel
import CarillonOperatorModel

/// The result of all checks of a request.
///
/// Creating a Campaign and a dry run share it, so that both refuse the same.
struct ExaminedCampaign {
    /// The request with its template's message and its values resolved.
    var request: CampaignRequest
    var rules: AppContentRules
    /// The accepted Campaign, when there are no problems.
    var campaign: Campaign
    var content: ContentCheck
    /// The problems, most severe first.
    var problems: [FieldError]
}

extension Campaigns {
    /// The lifetime of a TOAST Push message in seconds: the default and the maximum.
    static let toastValidity = (usual: 600, longest: 3_600)

    /// Checks a whole request, without saving.
    ///
    /// - Throws: ``EngineError/store(_:)``, ``EngineError/notFound(_:)``; faults of the request are returned as
    ///   problems.
    func examine(
        _ resolved: (request: CampaignRequest, rules: AppContentRules),
        app: AppID,
        at now: Timestamp
    ) async throws(EngineError) -> ExaminedCampaign {
        let (request, rules) = resolved
        var campaign = Campaign(id: ids.next(), app: app, request: request, state: .draft, createdAt: now)
        if rules.dialect == .toast, campaign.channel == .notification, campaign.validFor == nil {
            campaign.validFor = Self.toastValidity.usual
        }
        let content = ContentCheck(campaign, rules, occurrence: ids.next(), at: now, by: sender)
        var lookUpProblems: [FieldError] = []
        do throws(EngineError) {
            try await checkStatistics(request.statisticsID, app: app)
        } catch {
            lookUpProblems.append(try Self.problem(error))
        }
        do throws(EngineError) {
            if !request.undecided.contains(.audience) {
                campaign.audience = try await store.resolved(request.audience, app: app)
            }
        } catch {
            lookUpProblems.append(try Self.problem(error))
        }
        var problems = Self.problems(of: campaign, rules, content.fields) + content.problems + lookUpProblems
        if let problem = content.recipientPlaces.problem(of: request.recipients) { problems.append(problem) }
        problems += timeProblems(resolving: &campaign, at: now, sendsLate: request.sendsLate)
        if !request.draft, let problem = rules.missingPushKey { problems.append(problem) }
        return ExaminedCampaign(
            request: request,
            rules: rules,
            campaign: campaign,
            content: content,
            problems: problems
        )
    }

    /// Checks a changed Campaign against the limits; its message values are resolved, except those of its recipients.
    ///
    /// - Parameters:
    ///   - campaign: The changed Campaign.
    ///   - recipients: Recipients of the request that replace the stored ones; `nil` for the stored ones.
    /// - Throws: ``EngineError/invalid(_:)`` or ``EngineError/invalidFields(_:)``.
    func check(_ campaign: Campaign, recipients: [CampaignRecipient]? = nil) async throws(EngineError) {
        let rules = try await rules(of: campaign.app)
        do throws(FieldError) {
            try campaign.message.checkWithoutValues()
        } catch {
            throw .invalid(error)
        }
        let content = ContentCheck(campaign, rules, occurrence: ids.next(), at: clock.now(), by: sender)
        let problems = Self.problems(of: campaign, rules, content.fields) + content.problems
        guard problems.isEmpty else { throw .problems(problems) }
        guard !content.recipientPlaces.names.isEmpty || recipients?.isEmpty == false else { return }
        let areStored = recipients == nil
        var recipients = recipients
        if areStored {
            recipients = try await stored(try await store.recipients(of: campaign.id, app: campaign.app))
        }
        if recipients == [] { recipients = nil }
        if let problem = content.recipientPlaces.problem(of: recipients, areStored: areStored) {
            throw .invalid(problem)
        }
    }

    /// Returns an App's settings for its Campaigns.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    func rules(of app: AppID) async throws(EngineError) -> AppContentRules {
        let rules = try await stored(try await store.contentRules(of: app))
        guard let rules else { throw .notFound(.app) }
        return rules
    }

    // MARK: - Private

    /// Returns the problems that do not depend on rendering.
    static func problems(
        of campaign: Campaign,
        _ rules: AppContentRules,
        _ fields: [PersonalField]
    ) -> [FieldError] {
        var problems: [FieldError] = []
        if campaign.adWording != nil, !campaign.isAd {
            problems.append(FieldError(field: "adWording", problem: "must be missing: isAd is false"))
        }
        if campaign.channel == .voip {
            if campaign.variants != nil {
                problems.append(FieldError(field: "variants", problem: "must be missing: the channel is voip"))
            }
            if campaign.holdout != nil {
                problems.append(FieldError(field: "holdout", problem: "must be missing: the channel is voip"))
            }
            // A call needs no consent, so nothing that needs consent may use the channel; and each call rings.
            if campaign.isAd {
                problems.append(FieldError(field: "isAd", problem: "must be false: the channel is voip"))
            }
            if campaign.message.silent {
                problems.append(FieldError(field: "message.silent", problem: "must be false: the channel is voip"))
            }
        }
        if rules.dialect == .toast, campaign.validFor ?? 0 > toastValidity.longest {
            let problem = "must be at most \(toastValidity.longest): the App's dialect is toast"
            problems.append(FieldError(field: "validFor", problem: problem))
        }
        guard !rules.allowsPersonalMessages else { return problems }
        if campaign.audience.namesUsers {
            problems.append(FieldError(field: "audience", problem: "must name no users: " + personalProblem))
        }
        if fields.contains(where: { $0 != .badge }) {
            problems.append(
                FieldError(field: "message.content", problem: "must have no placeholders: " + personalProblem)
            )
        }
        return problems
    }

    private static let personalProblem =
        "the App's identity is open, so anyone can get a user's messages; make it signed, or set its personalMessages"

    /// Converts an error of the request into a problem; throws all others.
    static func problem(_ error: EngineError) throws(EngineError) -> FieldError {
        guard case .invalid(let problem) = error else { throw error }
        return problem
    }
}

extension AppContentRules {
    /// Why nothing can be sent now; `nil` when the App has a push key.
    var missingPushKey: FieldError? {
        guard !hasPushKey else { return nil }
        return FieldError(field: "app", problem: "must have a push key: set it with PUT /v1/apps/{app}/push-key")
    }
}

extension Audience {
    /// Whether it picks Users by their ids.
    fileprivate var namesUsers: Bool {
        switch self {
        case .users: true
        case .rule(let rule): rule.terms.contains { if case .user = $0 { true } else { false } }
        case .all, .devices, .saved, .redacted: false
        }
    }
}
