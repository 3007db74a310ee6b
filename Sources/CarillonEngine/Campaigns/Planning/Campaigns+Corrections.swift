package import CarillonModel
package import CarillonOperatorModel

/// Drafts that are made from a Campaign.
extension Campaigns {
    /// For how long after its end a Campaign may be corrected without a second person.
    static let correctionTime = Duration.seconds(86_400)

    /// Whom a draft that follows a Campaign is for.
    package enum Followers: String, Hashable, Sendable, CaseIterable {
        /// Those who got it and did not open it.
        case notOpened
        /// Those who got it and did not report that it was received.
        case notReceived
        /// Those who opened it.
        case opened

        fileprivate func rule(_ id: CampaignID) -> AudienceRule? {
            func term(_ kind: AudienceEvent.Kind) -> AudienceRule? {
                AudienceEvent(kind, campaign: id, action: nil).map { .term(.event($0)) }
            }
            guard let sent = term(.sent), let opened = term(.opened), let received = term(.received) else { return nil }
            return switch self {
            case .notOpened: .and([sent, .not(opened)])
            case .notReceived: .and([sent, .not(received)])
            case .opened: opened
            }
        }
    }

    /// Makes a draft with everything of a Campaign but its time.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: Only if it belongs to this App; `nil` for any.
    ///   - name: The draft's name.
    ///   - author: Who writes it.
    /// - Returns: The draft.
    /// - Throws: ``EngineError/notFound(_:)``.
    package func duplicate(
        _ id: CampaignID,
        within app: AppID?,
        name: String,
        by author: CampaignAuthor
    ) async throws(EngineError) -> Campaign {
        let campaign = try await campaign(id, within: app)
        var update = CampaignUpdate(copying: campaign)
        let recipients = try await stored(try await store.recipients(of: id, app: campaign.app))
        if !recipients.isEmpty {
            (update.audience, update.recipients) = (nil, recipients)
        } else if campaign.audience != .redacted, campaign.undecided?.contains(.audience) != true {
            update.audience = campaign.audience
        }
        return try await make(update, in: campaign.app, name: name, by: author)
    }

    /// Makes a draft for some of those who got a Campaign.
    ///
    /// - Parameters:
    ///   - followers: Whom.
    ///   - id: The Campaign.
    ///   - app: Only if it belongs to this App; `nil` for any.
    ///   - name: The draft's name.
    ///   - author: Who writes it.
    /// - Returns: The draft, without a message.
    /// - Throws: ``EngineError/notFound(_:)``.
    package func follow(
        _ followers: Followers,
        of id: CampaignID,
        within app: AppID?,
        name: String,
        by author: CampaignAuthor
    ) async throws(EngineError) -> Campaign {
        let campaign = try await campaign(id, within: app)
        var update = CampaignUpdate()
        update.audience = followers.rule(id).map { .rule($0) }
        return try await make(update, in: campaign.app, name: name, by: author)
    }

    /// Makes a draft that corrects a Campaign: for those whose notification the push service accepted, and with its collapse
    /// id, so that it takes the place of the first one on phones that still show it.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: Only if it belongs to this App; `nil` for any.
    ///   - name: The draft's name.
    ///   - author: Who writes it.
    /// - Returns: The draft.
    /// - Throws: ``EngineError/notFound(_:)``; ``EngineError/conflict(_:)`` when nothing of it was sent, or it is not over.
    package func correct(
        _ id: CampaignID,
        within app: AppID?,
        name: String,
        by author: CampaignAuthor
    ) async throws(EngineError) -> Campaign {
        let campaign = try await campaign(id, within: app)
        guard [.cancelled, .cancelling, .sent].contains(campaign.state), let collapseID = campaign.sentCollapseID else {
            throw .conflict("The campaign is \(campaign.state.rawValue): what is corrected was sent and stopped.")
        }
        var update = CampaignUpdate(copying: campaign)
        update.message?.collapseID = collapseID
        update.audience = AudienceEvent(.sent, campaign: id, action: nil).map { .rule(.term(.event($0))) }
        // Nobody waits for its pace, and no half of the people keeps the wrong message.
        (update.pace, update.variants, update.holdout) = (.some(nil), .some(nil), .some(nil))
        return try await make(update, in: campaign.app, name: name, by: author)
    }

    /// Whether a draft corrects a Campaign that was just sent: for those who got it, and in its place.
    func isCorrection(_ draft: Campaign) async throws(EngineError) -> Bool {
        guard case .rule(.term(.event(let event))) = draft.audience, event.kind == .sent,
            draft.message.collapses, let collapseID = draft.message.collapseID,
            let first = try await stored(try await store.campaign(event.campaign, within: draft.app))
        else { return false }
        let end = first.finishedAt ?? first.updatedAt ?? first.createdAt
        return [.cancelled, .cancelling, .sent].contains(first.state) && first.sentCollapseID == collapseID
            && end.advanced(by: Self.correctionTime) > clock.now()
    }

    // MARK: - Private

    private func make(
        _ update: CampaignUpdate,
        in app: AppID,
        name: String,
        by author: CampaignAuthor
    ) async throws(EngineError) -> Campaign {
        let draft = try await newDraft(app: app, name: String(name.prefix(200)), by: author)
        guard
            case .saved(let saved) = try await saveDraft(
                draft.id,
                within: app,
                update,
                version: draft.version,
                by: author
            )
        else {
            throw .conflict("The new draft was changed meanwhile.")
        }
        return saved
    }
}

extension Campaign {
    /// The collapse id that its last notifications had; `nil` when they had none, or nothing was sent.
    fileprivate var sentCollapseID: String? {
        guard message.collapses, channel == .notification, let occurrence else { return nil }
        return message.collapseID ?? occurrence.description
    }
}

extension CampaignUpdate {
    /// Everything of a Campaign but its audience and its time.
    fileprivate init(copying campaign: Campaign) {
        self.init()
        if campaign.undecided?.contains(.message) != true { message = campaign.message }
        if campaign.undecided?.contains(.kind) != true { isAd = campaign.isAd }
        adWording = .some(campaign.adWording)
        variants = .some(campaign.variants)
        holdout = .some(campaign.holdout)
        statisticsID = .some(campaign.statisticsID)
        pace = .some(campaign.pace)
        validFor = .some(campaign.validFor)
        nightPolicy = campaign.nightPolicy
        isTransactional = campaign.isTransactional
        channel = campaign.channel
        retryFor = campaign.retryFor
    }
}
