import CarillonModel
import CarillonStore

extension [ServerFinding] {
    /// Campaigns that wait for an operator.
    static func campaigns(_ examination: ServerExamination) -> Self {
        guard !examination.halted.isEmpty else { return [.ok(.campaigns, "None is paused with an alarm.")] }
        return examination.halted.map { halted in
            .problem(
                .campaigns,
                "\(halted.campaign) of \(halted.app) is paused: \(halted.alarm.prefix(200)).",
                "Remove the cause, then: POST /v1/campaigns/\(halted.campaign)/resume, or …/cancel"
            )
        }
    }

    /// Disabled or failing webhooks.
    static func webhooks(_ examination: ServerExamination) -> Self {
        guard !examination.webhooks.isEmpty else { return [.ok(.webhooks, "None is paused or fails.")] }
        return examination.webhooks.map { webhook in
            if webhook.isActive {
                let since = webhook.failingSince.map { " since \($0)" } ?? ""
                return .warning(
                    .webhooks,
                    "\(webhook.webhook) of \(webhook.app) fails\(since).",
                    "Try it: POST /v1/webhooks/\(webhook.webhook)/test"
                )
            }
            return .problem(
                .webhooks,
                "\(webhook.webhook) of \(webhook.app) is disabled: \((webhook.alarm ?? "no reason").prefix(200)).",
                "Mend its endpoint, then: PATCH /v1/webhooks/\(webhook.webhook) with {\"state\": \"active\"}"
            )
        }
    }
}

extension ServerFinding {
    /// Due work that is not done.
    ///
    /// - Parameters:
    ///   - examination: The result of the store.
    ///   - past: Since when work is late.
    ///   - holdsBack: Whether this node is configured to send nothing.
    /// - Returns: One finding.
    static func work(_ examination: ServerExamination, past: Timestamp, holdsBack: Bool) -> ServerFinding {
        // A dispatcher with work shows a heartbeat: then this work is queued behind other work.
        let isAlive = examination.lastHeartbeat.map { $0 >= past } ?? false
        guard let first = examination.standing.min(by: { $0.order < $1.order }) else {
            return .ok(.work, "No due work is stuck.")
        }
        let others = Set(examination.standing.map(\.campaign)).count - 1
        let text = first.words + (others > 0 ? " \(others) more campaigns wait." : "")
        if holdsBack { return .warning(.work, text, "This node is on hold; see there.") }
        if isAlive, first.mayWait {
            return .warning(.work, text, "A dispatcher works at other work; look again in some minutes.")
        }
        return .problem(
            .work,
            text,
            "See that a node whose role is all or dispatch runs without hold, and look in its log for the store's failures."
        )
    }
}

extension ServerExamination.StandingWork {
    /// The most severe first, then the earliest.
    fileprivate var order: (Int, Int64) { (mayWait ? 1 : 0, since?.rawValue ?? 0) }

    /// Whether a running dispatcher may have a reason not to do it now.
    fileprivate var mayWait: Bool {
        switch kind {
        case .campaign, .wave, .freeChunk: true
        case .heldChunk, .outcomes: false
        }
    }

    fileprivate var words: String {
        let since = since.map { " since \($0)" } ?? ""
        return switch kind {
        case .campaign: "\(campaign) is due\(since) and has not begun."
        case .wave: "\(campaign) has devices to read\(since)."
        case .freeChunk: "\(campaign) has a chunk that no dispatcher leases\(since)."
        case .heldChunk: "\(campaign) has a chunk whose dispatcher shows no heartbeat\(since)."
        case .outcomes: "\(campaign) has outcomes that a dispatcher cannot commit\(since)."
        }
    }
}
