import CarillonBytes
package import CarillonModel
package import CarillonOperatorModel

/// Gathers the outcomes of a Chunk's notifications until they are committed: the one place that turns a consequence
/// into rows.
package struct OutcomeAccumulator: Sendable {
    /// The reason of retries that end because the Campaign was cancelled.
    package static let cancelled = FailureReason(rawValue: "Cancelled")
    package static let tooLarge = FailureReason(rawValue: "PayloadTooLarge")
    /// The reason of notifications that may not be sent so long after their time.
    package static let expired = FailureReason(rawValue: "Expired")
    private static let none = FailureReason(rawValue: "")

    /// Why nothing more may be sent, after the push service refused the key or topic.
    package private(set) var halt: FailureReason?
    /// Until when failed attempts are retried, where that differs between Devices.
    package var retryEnds: RetryEnds?
    private let facts: OccurrenceFacts
    private let schedule: RetrySchedule
    private let haltRule: HaltRule
    /// The message's hashes, if the App's rules need recent sends.
    private let message: MessageHash?
    private var gathered: ChunkCommit
    private var reasonNumbers: [FailureReason: UInt16] = [:]
    /// Withheld until the whole Chunk is known: too many of them indicate a wrong setting, not wrong tokens.
    private var quarantined: [Quarantined] = []
    private var answers = HaltRule.Answers()

    package init(
        lease: Lease,
        facts: OccurrenceFacts,
        schedule: RetrySchedule,
        haltRule: HaltRule,
        message: MessageHash? = nil
    ) {
        self.facts = facts
        self.message = message
        self.schedule = schedule
        self.haltRule = haltRule
        gathered = ChunkCommit(lease: lease, at: facts.startedAt)
        gathered.split = facts.content.split(of: facts.campaign)
        gathered.badge = facts.countedBadge
    }

    /// The number of rows that could be committed now.
    package var pendingCount: Int { gathered.rows.count + gathered.retries.count }

    package mutating func reserve(_ count: Int) { gathered.rows.reserveCapacity(count) }

    /// Records notifications that end without an answer.
    package mutating func close(
        _ row: Int,
        of recipients: Recipients,
        as outcome: Delivery.Outcome,
        _ reason: FailureReason
    ) {
        gathered.rows.append(self.row(row, recipients, outcome, reason))
    }

    /// Records a notification whose time has not come; a Wave is needed at that time.
    package mutating func wait(_ row: Int, of recipients: Recipients, until time: Timestamp) {
        guard case .retries = gathered.lease.range else {
            gathered.waves.insert(time)
            return
        }
        guard let end = lastAttempt(row, recipients), time <= end else {
            return close(row, of: recipients, as: .expired, Self.expired)
        }
        gathered.retries.append(
            ChunkCommit.Retry(
                device: recipients.numbers[row],
                pushType: recipients.pushTypes[row],
                dueAt: time,
                attempts: recipients.attempts[row]
            )
        )
    }

    /// Records the consequences of a slice's answers.
    ///
    /// - Parameters:
    ///   - consequences: The consequences, in the slice's order.
    ///   - slice: The rows that were sent.
    ///   - recipients: The Chunk's recipients.
    ///   - now: The wall clock.
    ///   - random: A number from 0 up to 1, the jitter of retries.
    package mutating func enter(
        _ consequences: [Consequence],
        of slice: DeliveryPlan.Slice,
        _ recipients: Recipients,
        at now: Timestamp,
        random: Double
    ) {
        for (place, row) in slice.rows.enumerated() {
            let row = Int(row)
            let consequence = place < consequences.count ? consequences[place] : .retryLater(.noAnswer, after: nil)
            answers.add(consequence, isConfirmed: !recipients.unconfirmed[row])
            switch consequence {
            case .accepted:
                accept(row, of: recipients)
            case .dropMessage(let reason):
                close(row, of: recipients, as: .failed, reason)
            case .dropDeviceToken(let reason, let since):
                close(row, of: recipients, as: .failed, reason)
                gathered.verdicts.append(verdict(.dead, row, recipients, since: since, reason))
            case .quarantineDeviceToken(let reason):
                quarantine(row, of: recipients, reason)
            case .retryLater(let reason, let after):
                retry(row, recipients, reason, after: after, at: now, random: random)
            case .halt(let reason):
                halt = halt ?? reason
            }
        }
    }

    /// Removes and returns what can be committed while the Chunk continues.
    package mutating func removePart(at now: Timestamp) -> ChunkCommit { removeAll(at: now, ending: .goesOn) }

    /// Removes and returns the rest.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - ending: The consequence for the Chunk, unless the push service's answers pause the Campaign.
    /// - Returns: The last commit.
    package mutating func removeRest(at now: Timestamp, ending: ChunkCommit.Ending) -> ChunkCommit {
        applyQuarantine()
        return removeAll(at: now, ending: halt.map { .pauses($0) } ?? ending)
    }

    // MARK: - Private

    /// A row whose token belongs elsewhere, according to the push service.
    private struct Quarantined {
        var row: ChunkCommit.Row
        var verdict: ChunkCommit.TokenVerdict
        var isConfirmed: Bool
    }

    private mutating func accept(_ row: Int, of recipients: Recipients) {
        gathered.rows.append(
            ChunkCommit.Row(
                device: recipients.numbers[row],
                pushType: recipients.pushTypes[row],
                outcome: .accepted
            )
        )
        if recipients.unconfirmed[row] {
            gathered.verdicts.append(verdict(.confirmed, row, recipients, since: nil, Self.none))
        }
        if !facts.isKeyConfirmed { gathered.confirmsKey = true }
        remember(row, of: recipients)
    }

    private mutating func quarantine(_ row: Int, of recipients: Recipients, _ reason: FailureReason) {
        quarantined.append(
            Quarantined(
                row: self.row(row, recipients, .failed, reason),
                verdict: verdict(.quarantined, row, recipients, since: nil, reason),
                isConfirmed: !recipients.unconfirmed[row]
            )
        )
    }

    /// Quarantines tokens, or halts: then the setting is wrong, no verdict is saved, and the Devices stay unsent.
    ///
    /// Anyone can register a token that was never sent to. Once the key is known to be right, the verdict on such a
    /// token is saved in any case.
    private mutating func applyQuarantine() {
        let isKeyRight = facts.isKeyConfirmed || answers.hasAcceptance
        let halts = !gathered.lease.neverHaltsByShare && haltRule.halts(answers, isKeyConfirmed: isKeyRight)
        for entry in quarantined {
            if halts, entry.isConfirmed || !isKeyRight {
                halt = halt ?? entry.verdict.reason
            } else {
                gathered.rows.append(entry.row)
                gathered.verdicts.append(entry.verdict)
            }
        }
        quarantined = []
    }

    private mutating func removeAll(at now: Timestamp, ending: ChunkCommit.Ending) -> ChunkCommit {
        var commit = gathered
        commit.at = now
        commit.ending = ending
        gathered.rows = []
        gathered.retries = []
        gathered.verdicts = []
        gathered.confirmsKey = false
        gathered.sends = []
        gathered.waves = []
        if !commit.sends.isEmpty {
            let periods = facts.rules.app.frequencyCaps.map { Duration.seconds($0.period) }
            commit.memory = ChunkCommit.Memory(
                isAd: facts.isAd,
                isCapped: facts.countsForCaps,
                keptSince: now.advanced(by: .zero - (periods + [.seconds(3_600)]).reduce(.zero, max))
            )
        }
        return commit
    }

    private mutating func remember(_ row: Int, of recipients: Recipients) {
        guard let message else { return }
        gathered.sends.append(
            ChunkCommit.Send(
                device: recipients.numbers[row],
                pushType: recipients.pushTypes[row],
                message: message.value(token: recipients.tokens[row])
            )
        )
    }

    private func lastAttempt(_ row: Int, _ recipients: Recipients) -> Timestamp? {
        facts.lastAttempt(retryUntil: retryEnds?.end(row, of: recipients) ?? facts.retryUntil)
    }

    private mutating func retry(
        _ row: Int,
        _ recipients: Recipients,
        _ reason: FailureReason,
        after: Duration?,
        at now: Timestamp,
        random: Double
    ) {
        let attempts = recipients.attempts[row] == .max ? .max : recipients.attempts[row] + 1
        let next = lastAttempt(row, recipients).flatMap { end in
            schedule.next(attempts: attempts, now: now, end: end, after: after, random: random)
        }
        guard let next else { return close(row, of: recipients, as: .expired, reason) }
        gathered.retries.append(
            ChunkCommit.Retry(
                device: recipients.numbers[row],
                pushType: recipients.pushTypes[row],
                dueAt: next,
                attempts: attempts
            )
        )
    }

    private mutating func row(
        _ row: Int,
        _ recipients: Recipients,
        _ outcome: Delivery.Outcome,
        _ reason: FailureReason
    ) -> ChunkCommit.Row {
        ChunkCommit.Row(
            device: recipients.numbers[row],
            pushType: recipients.pushTypes[row],
            outcome: outcome,
            reason: number(of: reason)
        )
    }

    private func verdict(
        _ finding: ChunkCommit.Finding,
        _ row: Int,
        _ recipients: Recipients,
        since: Timestamp?,
        _ reason: FailureReason
    ) -> ChunkCommit.TokenVerdict {
        ChunkCommit.TokenVerdict(
            device: recipients.numbers[row],
            pushType: recipients.pushTypes[row],
            token: Array(recipients.tokens[row]),
            finding,
            since: since,
            reason: reason
        )
    }

    /// A Chunk has at most 5,000 rows, so 16 bits suffice.
    private mutating func number(of reason: FailureReason) -> UInt16 {
        if let known = reasonNumbers[reason] { return known }
        let number = UInt16(gathered.reasons.count)
        gathered.reasons.append(reason)
        reasonNumbers[reason] = number
        return number
    }
}

extension Lease {
    /// Whether the share of quarantined tokens cannot pause the Campaign: an Operator has resumed it, or its
    /// notifications had other answers before.
    fileprivate var neverHaltsByShare: Bool {
        if case .retries = range { true } else { hasHalted }
    }
}
