package import CarillonModel
package import CarillonOperatorModel

/// Outcomes of some of a Chunk's notifications: one transaction.
package struct ChunkCommit: Sendable {
    /// The outcome of one notification.
    package struct Row: Hashable, Sendable {
        package var device: DeviceNumber
        package var pushType: PushType
        package var outcome: Delivery.Outcome
        /// The index into ``ChunkCommit/reasons``; ignored for `accepted`.
        package var reason: UInt16

        package init(device: DeviceNumber, pushType: PushType, outcome: Delivery.Outcome, reason: UInt16 = 0) {
            self.device = device
            self.pushType = pushType
            self.outcome = outcome
            self.reason = reason
        }
    }

    /// A notification that will be retried.
    package struct Retry: Hashable, Sendable {
        package var device: DeviceNumber
        package var pushType: PushType
        package var dueAt: Timestamp
        /// The number of attempts so far.
        package var attempts: UInt8

        package init(device: DeviceNumber, pushType: PushType, dueAt: Timestamp, attempts: UInt8) {
            self.device = device
            self.pushType = pushType
            self.dueAt = dueAt
            self.attempts = attempts
        }
    }

    /// The consequence for a token.
    package enum Finding: Hashable, Sendable, CaseIterable {
        /// The push service refused it as invalid.
        case dead
        /// It is not used until it is registered again.
        case quarantined
        /// The push service accepted a notification to it for the first time.
        case confirmed
    }

    /// The push service's verdict on a token.
    package struct TokenVerdict: Hashable, Sendable {
        package var device: DeviceNumber
        package var pushType: PushType
        /// The token that was sent to; no other is changed.
        package var token: [UInt8]
        package var finding: Finding
        /// Since when it is invalid, by the push service's clock.
        package var since: Timestamp?
        /// The push service's reason; empty for a confirmed token.
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

    /// The record of an accepted notification.
    package struct Send: Hashable, Sendable {
        package var device: DeviceNumber
        package var pushType: PushType
        /// Which message was sent to which token, as a ``MessageHash``.
        package var message: Int64

        package init(device: DeviceNumber, pushType: PushType, message: Int64) {
            self.device = device
            self.pushType = pushType
            self.message = message
        }
    }

    /// The values that all ``sends`` share.
    package struct Memory: Hashable, Sendable {
        package var isAd: Bool
        /// Whether they count for the App's frequency caps.
        package var isCapped: Bool
        /// Older records are not read any more.
        package var keptSince: Timestamp

        package init(isAd: Bool, isCapped: Bool, keptSince: Timestamp) {
            self.isAd = isAd
            self.isCapped = isCapped
            self.keptSince = keptSince
        }
    }

    /// The consequence for the Chunk.
    package enum Ending: Hashable, Sendable {
        /// The holder continues with it.
        case goesOn
        /// All of it is done.
        case isOver
        /// The rest is released for another session, or dropped when the Campaign is being cancelled.
        case isGivenBack
        /// The rest waits; an alarm pauses the Campaign.
        case pauses(FailureReason)
    }

    package var lease: Lease
    /// The wall clock.
    package var at: Timestamp
    package var rows: [Row] = []
    package var reasons: [FailureReason] = []
    package var retries: [Retry] = []
    package var verdicts: [TokenVerdict] = []
    /// Whether the push service accepted a notification of a key that was not confirmed before.
    package var confirmsKey = false
    /// In the order of their rows; empty unless the App's rules need them.
    package var sends: [Send] = []
    package var memory: Memory?
    /// Times of the Waves to create for Devices of the Chunk that wait for their local time.
    package var waves: Set<Timestamp> = []
    package var ending = Ending.goesOn
    /// What the accepted notifications do to the Devices' counts of their icons; `nil` leaves them as they are.
    package var badge: Badge?
    /// Assigns variants to Devices; `nil` when all get the same.
    package var split: VariantSplit?
    /// Whether to reset the Occurrence's failure count, since work at it succeeded.
    package var clearsFailures = false

    package init(lease: Lease, at: Timestamp) {
        self.lease = lease
        self.at = at
    }

    /// Returns the commit without token verdicts, and the verdicts.
    package func separated() -> (outcomes: ChunkCommit, verdicts: TokenVerdicts) {
        var outcomes = self
        (outcomes.verdicts, outcomes.confirmsKey) = ([], false)
        var said = TokenVerdicts(app: lease.chunk.app, campaign: lease.campaign, at: at, verdicts: verdicts)
        said.confirmsKey = confirmsKey
        return (outcomes, said)
    }

    /// Whether there is nothing to write.
    package var isEmpty: Bool {
        rows.isEmpty && retries.isEmpty && verdicts.isEmpty && waves.isEmpty && ending == .goesOn
    }

    /// The number of rows by outcome and reason.
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

    /// The key by which rows are counted.
    package struct Count: Hashable, Sendable {
        package var outcome: Delivery.Outcome
        package var reason: UInt16
    }
}

/// The push service's verdicts on some tokens of an App.
package struct TokenVerdicts: Hashable, Sendable {
    package var app: AppID
    package var campaign: CampaignID
    /// The wall clock.
    package var at: Timestamp
    package var verdicts: [ChunkCommit.TokenVerdict]
    /// Whether the push service accepted a notification of the App's push key, which was not confirmed before.
    package var confirmsKey = false

    package init(app: AppID, campaign: CampaignID, at: Timestamp, verdicts: [ChunkCommit.TokenVerdict]) {
        self.app = app
        self.campaign = campaign
        self.at = at
        self.verdicts = verdicts
    }

    /// Whether there is nothing to write.
    package var isEmpty: Bool { verdicts.isEmpty && !confirmsKey }
}
