import CarillonBytes
package import CarillonModel
package import CarillonOperatorModel

/// Gathers what became of a chunk's notifications until it is committed: the one place where a consequence turns into
/// rows.
package struct OutcomeAccumulator: Sendable {
    /// What the campaign's end does to what was to be tried again.
    package static let cancelled = FailureReason(rawValue: "Cancelled")
    package static let tooLarge = FailureReason(rawValue: "PayloadTooLarge")
    /// It was worth something only so long after its time.
    package static let expired = FailureReason(rawValue: "Expired")
    private static let none = FailureReason(rawValue: "")

    /// Why nothing more may be sent, once the push service said so.
    package private(set) var halt: FailureReason?
    /// Until when failed attempts are repeated, where that differs from Device to Device.
    package var retryEnds: RetryEnds?
    private let facts: OccurrenceFacts
    private let schedule: RetrySchedule
    private let haltRule: HaltRule
    /// What is remembered of what was taken, if the App's rules ask for it.
    private let message: MessageHash?
    private var gathered: ChunkCommit
    private var reasonNumbers: [FailureReason: UInt16] = [:]
    /// Kept back until the whole chunk is known: too many of them are our mistake, not the tokens'.
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
    }

    /// How many rows could be committed now.
    package var pendingCount: Int { gathered.rows.count + gathered.retries.count }

    package mutating func reserve(_ count: Int) { gathered.rows.reserveCapacity(count) }

    /// Enters notifications that are over without an answer.
    package mutating func close(
        _ row: Int,
        of recipients: Recipients,
        as outcome: Delivery.Outcome,
        _ reason: FailureReason
    ) {
        gathered.rows.append(self.row(row, recipients, outcome, reason))
    }

    /// Enters a notification whose time has not come: there is something to do then.
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

    /// Enters the consequences of a slice's answers.
    ///
    /// - Parameters:
    ///   - consequences: In the slice's order.
    ///   - slice: Which rows were sent.
    ///   - recipients: The chunk's.
    ///   - now: The wall clock.
    ///   - random: A number from 0 up to 1, which spreads the times of the next attempts.
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

    /// Takes what can be committed while the chunk goes on.
    package mutating func takePart(at now: Timestamp) -> ChunkCommit { take(at: now, ending: .goesOn) }

    /// Takes the rest.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - ending: What follows for the chunk, unless the push service's answers make the Campaign pause.
    /// - Returns: What to commit last.
    package mutating func takeRest(at now: Timestamp, ending: ChunkCommit.Ending) -> ChunkCommit {
        judgeQuarantined()
        return take(at: now, ending: halt.map { .pauses($0) } ?? ending)
    }

    // MARK: - Private

    /// Somebody whose token belongs elsewhere, or so it seems.
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

    /// Keeps what is said of tokens, or halts: then the tokens are not to blame, nothing of it is kept, and the Devices
    /// stay unsent.
    ///
    /// Anybody can register a token that nobody ever sent to: once the key is known to be right, what is said of such a
    /// token is kept in any case.
    private mutating func judgeQuarantined() {
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

    private mutating func take(at now: Timestamp, ending: ChunkCommit.Ending) -> ChunkCommit {
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

    /// A chunk has at most 5,000 rows, so that the numbers suffice.
    private mutating func number(of reason: FailureReason) -> UInt16 {
        if let known = reasonNumbers[reason] { return known }
        let number = UInt16(gathered.reasons.count)
        gathered.reasons.append(reason)
        reasonNumbers[reason] = number
        return number
    }
}

extension Lease {
    /// The share of tokens that belong elsewhere makes nobody pause: somebody has resumed it, or its notifications had
    /// other answers before.
    fileprivate var neverHaltsByShare: Bool {
        if case .retries = range { true } else { hasHalted }
    }
}
