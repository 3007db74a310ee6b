package import CarillonModel
package import CarillonOperatorModel

/// What became of some of a Chunk's notifications: one transaction.
package struct ChunkCommit: Sendable {
    /// The fate of one notification.
    package struct Row: Hashable, Sendable {
        package var device: DeviceNumber
        package var pushType: PushType
        package var outcome: Delivery.Outcome
        /// Where the reason stands in ``ChunkCommit/reasons``; not looked at for `accepted`.
        package var reason: UInt16

        package init(device: DeviceNumber, pushType: PushType, outcome: Delivery.Outcome, reason: UInt16 = 0) {
            self.device = device
            self.pushType = pushType
            self.outcome = outcome
            self.reason = reason
        }
    }

    /// A notification that will be tried again.
    package struct Retry: Hashable, Sendable {
        package var device: DeviceNumber
        package var pushType: PushType
        package var dueAt: Timestamp
        /// How many attempts there were.
        package var attempts: UInt8

        package init(device: DeviceNumber, pushType: PushType, dueAt: Timestamp, attempts: UInt8) {
            self.device = device
            self.pushType = pushType
            self.dueAt = dueAt
            self.attempts = attempts
        }
    }

    /// What follows for a token.
    package enum Finding: Hashable, Sendable, CaseIterable {
        /// It is dead.
        case dead
        /// It waits until it is registered again.
        case quarantined
        /// A notification to it was taken for the first time.
        case confirmed
    }

    /// What the push service said of a token.
    package struct TokenVerdict: Hashable, Sendable {
        package var device: DeviceNumber
        package var pushType: PushType
        /// The token that was sent to: only it may be touched.
        package var token: [UInt8]
        package var finding: Finding
        /// Since when it is dead, by the push service's clock.
        package var since: Timestamp?
        /// The push service's word; empty for a token that is confirmed.
        package var reason: FailureReason

        package init(
            device: DeviceNumber,
            pushType: PushType,
            token: [UInt8],
            _ finding: Finding,
            since: Timestamp? = nil,
            reason: FailureReason
        ) {
            self.device = device
            self.pushType = pushType
            self.token = token
            self.finding = finding
            self.since = since
            self.reason = reason
        }
    }

    /// What is remembered of a notification that was taken.
    package struct Send: Hashable, Sendable {
        package var device: DeviceNumber
        package var pushType: PushType
        /// What was said to which token, as ``MessageHash`` tells it.
        package var message: Int64

        package init(device: DeviceNumber, pushType: PushType, message: Int64) {
            self.device = device
            self.pushType = pushType
            self.message = message
        }
    }

    /// What ``sends`` have in common.
    package struct Memory: Hashable, Sendable {
        package var isAd: Bool
        /// Whether they count for the App's caps.
        package var isCapped: Bool
        /// Nobody asks for what is older.
        package var keptSince: Timestamp

        package init(isAd: Bool, isCapped: Bool, keptSince: Timestamp) {
            self.isAd = isAd
            self.isCapped = isCapped
            self.keptSince = keptSince
        }
    }

    /// What follows for the Chunk.
    package enum Ending: Hashable, Sendable {
        /// The holder goes on with it.
        case goesOn
        /// All of it is done.
        case isOver
        /// The rest is for somebody else; for nobody when the Campaign is being cancelled.
        case isGivenBack
        /// The rest waits, the Campaign pauses with an alarm.
        case pauses(FailureReason)
    }

    package var lease: Lease
    /// When.
    package var at: Timestamp
    package var rows: [Row] = []
    package var reasons: [FailureReason] = []
    package var retries: [Retry] = []
    package var verdicts: [TokenVerdict] = []
    /// The push service took a notification that was sent with a key of which that was not known.
    package var confirmsKey = false
    /// In the order of their rows; empty unless the App's rules ask for it.
    package var sends: [Send] = []
    package var memory: Memory?
    /// When Devices of the Chunk wait for their time: then there must be Waves.
    package var waves: Set<Timestamp> = []
    package var ending = Ending.goesOn
    /// Which Devices got which variant; `nil` when all get the same.
    package var split: VariantSplit?
    /// The Occurrence could not go on before and does now: its failures are counted anew.
    package var clearsFailures = false

    package init(lease: Lease, at: Timestamp) {
        self.lease = lease
        self.at = at
    }

    /// The commit without what was said of tokens, and that.
    package func separated() -> (outcomes: ChunkCommit, verdicts: TokenVerdicts) {
        var outcomes = self
        (outcomes.verdicts, outcomes.confirmsKey) = ([], false)
        var said = TokenVerdicts(app: lease.chunk.app, campaign: lease.campaign, at: at, verdicts: verdicts)
        said.confirmsKey = confirmsKey
        return (outcomes, said)
    }

    /// Nothing would be written.
    package var isEmpty: Bool {
        rows.isEmpty && retries.isEmpty && verdicts.isEmpty && waves.isEmpty && ending == .goesOn
    }

    /// How many rows there are of each outcome and reason.
    package var counts: [Count: Int] {
        var accepted = 0
        var others: [Count: Int] = [:]
        for row in rows {
            if row.outcome == .accepted {
                accepted += 1
            } else {
                others[Count(outcome: row.outcome, reason: row.reason), default: 0] += 1
            }
        }
        if accepted > 0 { others[Count(outcome: .accepted, reason: 0)] = accepted }
        return others
    }

    /// What rows are counted by.
    package struct Count: Hashable, Sendable {
        package var outcome: Delivery.Outcome
        package var reason: UInt16
    }
}

/// What the push service said of some tokens of an App.
package struct TokenVerdicts: Hashable, Sendable {
    package var app: AppID
    package var campaign: CampaignID
    /// When.
    package var at: Timestamp
    package var verdicts: [ChunkCommit.TokenVerdict]
    /// The App's push key has sent something that was taken, of which that was not known.
    package var confirmsKey = false

    package init(app: AppID, campaign: CampaignID, at: Timestamp, verdicts: [ChunkCommit.TokenVerdict]) {
        self.app = app
        self.campaign = campaign
        self.at = at
        self.verdicts = verdicts
    }

    /// Nothing would be written.
    package var isEmpty: Bool { verdicts.isEmpty && !confirmsKey }
}
