import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// A draft as the composer edits it.
struct ComposerDraft: Sendable {
    var campaign: Campaign
    /// Of which version a form is.
    var version: Int
    var app: App

    init(_ campaign: Campaign, of app: App) {
        self.campaign = campaign
        self.app = app
        version = campaign.version
    }

    var id: CampaignID { campaign.id }
    /// Whether the composer may change it.
    ///
    /// What was confirmed or asked about becomes a draft again with the first change, unless a part of it was sent.
    var isEditable: Bool {
        switch campaign.state {
        case .draft, .refused, .expired, .needsApproval, .held, .scheduled: campaign.occurrence == nil
        case .sending, .paused, .cancelling, .cancelled, .sent: false
        }
    }
    /// Whether saving takes back what was confirmed, or asked about.
    var isTakenBack: Bool {
        switch campaign.state {
        case .needsApproval, .held, .scheduled: isEditable
        case .draft, .refused, .expired, .sending, .paused, .cancelling, .cancelled, .sent: false
        }
    }
    var lacksAudience: Bool { lacks(.audience) || campaign.audience == .redacted }
    var lacksMessage: Bool { lacks(.message) }
    /// Whether nobody has said yet if it is an ad.
    var lacksKind: Bool { lacks(.kind) }

    private func lacks(_ part: CampaignPart) -> Bool { campaign.undecided?.contains(part) ?? false }

    /// Reads the Campaign of the path.
    ///
    /// - Throws: 404 when the App has none with this id.
    static func read(_ visit: Visit) async throws -> ComposerDraft {
        let app = try visit.app
        let id = try visit.parameter("campaign") { CampaignID($0) }
        // A refusal is recorded with the object as well.
        visit.audit.note(object: id.description)
        return ComposerDraft(try await visit.engine.campaigns.campaign(id, within: app.id), of: app)
    }
}

/// Makes and saves drafts.
enum ComposerDrafts {
    /// What became of a saving.
    enum Saving: Sendable {
        case saved(Campaign)
        /// Somebody else saved meanwhile: nothing is written.
        case outdated(current: Campaign, yours: Campaign)
    }

    /// Makes a draft with a name alone.
    static func make(named name: String, of app: App, _ visit: Visit) async throws -> Campaign {
        try await visit.engine.campaigns.newDraft(app: app.id, name: name, by: .operator(visit.person.id))
    }

    /// Saves a change of a draft, if the form is of its version and of its state.
    static func save(
        _ update: CampaignUpdate,
        of draft: ComposerDraft,
        version: Int,
        from state: Campaign.State,
        _ visit: Visit
    ) async throws -> Saving {
        let saving = try await visit.engine.campaigns.saveDraft(
            draft.id,
            within: draft.app.id,
            update,
            version: version,
            from: state,
            by: .operator(visit.person.id)
        )
        switch saving {
        case .saved(let campaign): return .saved(campaign)
        case .outdated(let conflict): return .outdated(current: conflict.current, yours: conflict.yours)
        }
    }
}
