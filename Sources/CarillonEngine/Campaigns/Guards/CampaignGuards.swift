package import CarillonModel
package import CarillonOperatorModel

/// What the store knows about how a Campaign was written and sent, besides what it says.
package struct CampaignGuards: Hashable, Sendable, Codable {
    /// How many one-time keys are stored: a form that is older is of a version that is gone.
    private static let keyCount = 50

    /// What a draft leaves open.
    package var undecided: [CampaignPart]?
    package var createdBy: CampaignAuthor?
    package var updatedBy: CampaignAuthor?
    /// Everybody who wrote a part of it: none of them may approve it.
    package var editors: [CampaignAuthor]?
    /// The last request for approval.
    package var approval: CampaignApproval?
    /// The one-time keys of the forms that confirmed it, oldest first.
    package private(set) var confirmations: [String]?
    /// Whether it went through the guards; a change puts it back to draft then.
    package var isConfirmed: Bool?
    /// Whether it may skip the rest of its hold.
    package var mayGoNow: Bool?

    package init() {}

    /// Creates the guards of a new Campaign.
    package init(_ campaign: Campaign) {
        undecided = campaign.undecided
        createdBy = campaign.createdBy
        updatedBy = campaign.updatedBy
        editors = campaign.createdBy.map { [$0] }
        approval = campaign.approval
    }

    /// Whether nothing is known.
    package var isEmpty: Bool { self == CampaignGuards() }

    /// Records who changed it.
    mutating func record(_ author: CampaignAuthor?) {
        updatedBy = author
        guard let author, editors?.contains(author) != true else { return }
        editors = (editors ?? []) + [author]
    }

    /// Whether a form has confirmed it before.
    func hasConfirmation(_ key: String) -> Bool { confirmations?.contains(key) ?? false }

    /// Records the form that confirmed it.
    mutating func record(confirmation key: String) {
        confirmations = ((confirmations ?? []) + [key]).suffix(Self.keyCount)
    }

    /// Ends a request for approval that waits, or was granted.
    mutating func end(
        _ outcome: CampaignApproval.Outcome,
        by author: CampaignAuthor?,
        at now: Timestamp,
        reason: String? = nil
    ) {
        guard var ended = approval, ended.outcome == .waiting || outcome == .voided && ended.outcome == .approved else {
            return
        }
        ended.outcome = outcome
        ended.decidedBy = author
        ended.decidedAt = now
        ended.reason = reason
        approval = ended
    }

    /// Sets what the API shows of it.
    package func apply(to campaign: inout Campaign) {
        campaign.undecided = undecided
        campaign.createdBy = createdBy
        campaign.updatedBy = updatedBy
        campaign.approval = approval
    }
}

/// A step of a Campaign from one state to another, made from what was read.
package struct GuardedMove: Sendable {
    /// The Campaign as it was read: state, version and guards must still be stored.
    package var read: PlannedCampaign
    package var event: CampaignLifecycle.Event
    /// The guards afterwards.
    package var guards: CampaignGuards
    /// When it leaves a state that ends by itself.
    package var until: Timestamp?
    /// When its times count from, once it is sent.
    package var acceptedAt: Timestamp?
    /// How it begins, once it is sent.
    package var launch: Launch?
    /// The rule of a saved audience, in its place from now on.
    package var audience: Audience?

    package init(_ read: PlannedCampaign, _ event: CampaignLifecycle.Event, _ guards: CampaignGuards) {
        self.read = read
        self.event = event
        self.guards = guards
    }

    /// The step out of a hold that is over, or of a request that nobody decided; `nil` when it is neither yet.
    package static func due(_ planned: PlannedCampaign, at now: Timestamp) -> GuardedMove? {
        switch planned.campaign.state {
        case .held:
            guard let end = planned.campaign.heldUntil, end <= now else { return nil }
            return released(planned, .release, planned.guards, at: end)
        case .needsApproval:
            guard let approval = planned.guards.approval, approval.expiresAt <= now else { return nil }
            var guards = planned.guards
            guards.end(.expired, by: nil, at: approval.expiresAt)
            return GuardedMove(planned, .expire, guards)
        case .draft, .refused, .expired, .scheduled, .sending, .paused, .cancelling, .cancelled, .sent: return nil
        }
    }

    /// The step to a Campaign that begins at its next time; it expires when none is left.
    static func released(
        _ planned: PlannedCampaign,
        _ event: CampaignLifecycle.Event,
        _ guards: CampaignGuards,
        at time: Timestamp
    ) -> GuardedMove? {
        // A time zone that is unknown here is known to another node.
        guard let plan = FiringPlan(planned.campaign, acceptedAt: time) else { return nil }
        guard let first = plan.first(at: time) else { return GuardedMove(planned, .expire, guards) }
        var move = GuardedMove(planned, event, guards)
        move.acceptedAt = time
        move.launch = Launch(occurrence: nil, next: first)
        return move
    }
}
