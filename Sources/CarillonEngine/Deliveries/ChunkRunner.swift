import CarillonModel
import CarillonOperatorModel

/// Sends one leased Chunk and commits what became of it.
///
/// Between batches, and only there, it looks whether to go on: whether the lease still holds, the Campaign was stopped,
/// the push service said halt, or the process is ending.
struct ChunkRunner: Sendable {
    /// Why the rest of the Chunk stays unsent.
    private enum Stop {
        /// The Campaign was cancelled or paused, or the process ends.
        case interrupted
        /// Somebody else has the Chunk.
        case leaseLost
    }

    private struct SentSlice: Sendable {
        var slice: DeliveryPlan.Slice
        var consequences: [Consequence]
    }

    private let dispatcher: Dispatcher
    private let context: OccurrenceContext
    private let lease: Lease
    private let recipients: Recipients
    private let isCancelling: Bool
    private let held: HeldChunks
    private var deadline: ContinuousClock.Instant
    private var lastCommit: ContinuousClock.Instant
    private var stop: Stop?
    private var plan: DeliveryPlan?
    /// What Devices fill for themselves; `nil` when all get the same.
    private var values: PersonalValues?
    private var ledger: OutcomeLedger

    /// Prepares to send a Chunk.
    ///
    /// `leasedAt` is the monotonic clock before the lease was asked for. When the Campaign `isCancelling` nothing is
    /// sent, and what waits to be tried again is closed.
    init(
        dispatcher: Dispatcher,
        context: OccurrenceContext,
        lease: Lease,
        recipients: Recipients,
        leasedAt: ContinuousClock.Instant,
        isCancelling: Bool,
        held: HeldChunks
    ) {
        self.dispatcher = dispatcher
        self.context = context
        self.lease = lease
        self.recipients = recipients
        self.isCancelling = isCancelling
        self.held = held
        deadline = leasedAt + dispatcher.options.leaseTime
        lastCommit = leasedAt
        ledger = OutcomeLedger(
            lease: lease,
            facts: context.facts,
            schedule: dispatcher.options.retries,
            haltRule: dispatcher.options.haltRule,
            message: context.messageHash
        )
    }

    var deviceCount: Int { recipients.count }

    mutating func run() async {
        if isCancelling {
            closeRetries()
        } else {
            await send()
        }
        await finish()
        held.remove(lease.chunk)
        surroundings.signals.work.ring()
    }

    // MARK: - Sending

    private var surroundings: Dispatcher.Surroundings { dispatcher.surroundings }

    /// What waits to be tried again when its Campaign is cancelled is over; what never went out leaves no trace.
    private mutating func closeRetries() {
        guard case .retries = lease.range else { return stop = .interrupted }
        for row in 0..<recipients.count { ledger.close(row, of: recipients, as: .failed, OutcomeLedger.cancelled) }
    }

    private mutating func send() async {
        guard let key = await receiptKey(), await readValues() else { return stop = .interrupted }
        let memory = context.facts.asksMemory ? await recentSends() : nil
        guard stop == nil else { return }
        var plan = DeliveryPlan(
            recipients,
            of: context,
            nights: dispatcher.nights,
            at: surroundings.clock.now(),
            waveDue: lease.range.waveDue,
            memory: memory
        )
        ledger.reserve(recipients.count)
        if context.facts.rules.mayWait {
            ledger.retryEnds = RetryEnds(recipients, of: context.facts, zones: dispatcher.nights)
        }
        for (row, reason) in plan.skips { ledger.close(row, of: recipients, as: .skipped, reason.reason) }
        for row in plan.expired { ledger.close(row, of: recipients, as: .expired, OutcomeLedger.expired) }
        for (row, until) in plan.waits { ledger.wait(row, of: recipients, until: until) }
        await withTaskGroup(of: SentSlice.self) { group in
            var underWay = 0
            while true {
                while underWay < dispatcher.options.batchesAtOnce, plan.remainingCount > 0, await mayGoOn(),
                    var slice = plan.next(limit: dispatcher.options.batchSize)
                {
                    guard let batch = batch(of: &slice, key) else { continue }
                    underWay += 1
                    // Answers are waited for as long as the lease lasts; a sender that was frozen sends no more then.
                    group.addTask { [deadline, slice, sender = surroundings.sender] in
                        SentSlice(slice: slice, consequences: await sender.send(batch, until: deadline))
                    }
                }
                guard underWay > 0, let sent = await group.next() else { break }
                underWay -= 1
                enter(sent)
                if underWay > 0 || plan.remainingCount > 0 { await commitPartIfSlow() }
            }
        }
        self.plan = plan
    }

    /// What was sent to the Chunk's Devices of late; waits while the store fails.
    private mutating func recentSends() async -> SendMemory? {
        let now = surroundings.clock.now()
        let memory = await keepTrying { [surroundings, recipients, facts = context.facts] () async throws(StoreError) in
            try await surroundings.work.recentSends(to: recipients, of: facts, at: now)
        }
        if memory == nil { stop = .interrupted }
        return memory
    }

    /// The key that receipts are made with; waits while the store fails.
    private func receiptKey() async -> ReceiptKey? {
        let backoff = StoreBackoff(dispatcher.options.storeRetryTime)
        while !dispatcher.isStopping {
            do throws(EngineError) {
                return try await surroundings.receiptKeys.receiptKey(for: context.facts.app)
            } catch {
                let failure = if case .store(let failure) = error { failure } else { StoreError.failed("No App.") }
                await dispatcher.wait(for: backoff, failure)
            }
        }
        return nil
    }

    /// Looks up what the message names of each Device, if it names anything; waits while the store fails.
    ///
    /// - Returns: False when the process ends.
    private mutating func readValues() async -> Bool {
        let fields = context.personalFields
        guard !fields.isEmpty else { return true }
        values = await keepTrying { [surroundings, recipients, app = context.facts.app] () async throws(StoreError) in
            try await surroundings.work.personalValues(of: fields, for: recipients.numbers, app: app)
        }
        return values != nil
    }

    private mutating func mayGoOn() async -> Bool {
        guard stop == nil, ledger.halt == nil else { return false }
        if dispatcher.isStopping || surroundings.signals.isStopped(lease.campaign, lease.chunk.occurrence) {
            stop = .interrupted
            return false
        }
        // With less than half of it left, answers might not come in time.
        if deadline - surroundings.timer.now() < dispatcher.options.leaseTime / 2 { await renew() }
        return stop == nil
    }

    private mutating func renew() async {
        let answer = await keepTrying { [surroundings, lease] () async throws(StoreError) in
            let instant = surroundings.timer.now()
            return (instant, try await surroundings.outcomes.renew(lease))
        }
        guard let (instant, answer) = answer else { return stop = .interrupted }
        take(answer, since: instant)
    }

    /// A slice's batch; `nil` when its content cannot be rendered, which closes its notifications.
    ///
    /// Rows that cannot be filled are closed, and taken out of the slice.
    private mutating func batch(of slice: inout DeliveryPlan.Slice, _ key: ReceiptKey) -> NotificationBatch? {
        do throws(RenderingError) {
            let rendering = try context.rendering(at: slice.group.place, for: slice.group.pushType)
            var personal = values.flatMap { values in rendering.template.map { PersonalBatch($0, values) } }
            if let filled = personal?.fill(slice, of: recipients) { slice = filled }
            for (row, outcome, reason) in personal?.refusals ?? [] {
                ledger.close(row, of: recipients, as: outcome, reason)
            }
            guard !slice.rows.isEmpty else { return nil }
            var batch = NotificationBatch(
                slice,
                of: recipients,
                facts: context.facts,
                options: context.options(expiringBy: slice.group.cap, at: surroundings.clock.now()),
                rendering: rendering,
                key: key
            )
            personal?.finish(&batch)
            return batch
        } catch {
            for row in slice.rows { ledger.close(Int(row), of: recipients, as: .failed, OutcomeLedger.tooLarge) }
            return nil
        }
    }

    private mutating func enter(_ sent: SentSlice) {
        ledger.enter(
            sent.consequences,
            of: sent.slice,
            recipients,
            at: surroundings.clock.now(),
            random: dispatcher.options.random()
        )
    }

    // MARK: - Committing

    private mutating func commitPartIfSlow() async {
        guard stop != .leaseLost, ledger.pendingCount > 0,
            surroundings.timer.now() - lastCommit >= dispatcher.options.partTime
        else { return }
        await commit(ledger.takePart(at: surroundings.clock.now()))
    }

    private mutating func finish() async {
        guard stop != .leaseLost else { return }
        let isDone = stop == nil || (plan?.remainingCount == 0 && ledger.halt == nil)
        let rest = ledger.takeRest(at: surroundings.clock.now(), ending: isDone ? .isOver : .isGivenBack)
        guard case .pauses = rest.ending else { return await commit(rest) }
        // Its other Chunks stop at once; unless somebody else has this one, and with it the say.
        surroundings.signals.stop(lease.campaign)
        await commit(rest)
        if stop == .leaseLost { surroundings.signals.allow(lease.campaign) }
    }

    private mutating func commit(_ commit: ChunkCommit) async {
        for part in commit.parts(cost: dispatcher.options.commitSize) where stop != .leaseLost {
            await commitPart(part)
        }
    }

    private mutating func commitPart(_ commit: ChunkCommit) async {
        let answer = await keepTrying { [surroundings] () async throws(StoreError) in
            let instant = surroundings.timer.now()
            return (instant, try await surroundings.outcomes.commit(commit))
        }
        guard let (instant, answer) = answer else { return stop = .leaseLost }
        lastCommit = instant
        if answer != .refused { surroundings.figures.count(commit) }
        take(answer, since: instant)
        surroundings.signals.announceChange(of: lease.campaign)
    }

    private mutating func take(_ answer: LeaseAnswer, since instant: ContinuousClock.Instant) {
        switch answer {
        case .refused:
            surroundings.figures.leaseRefused()
            stop = .leaseLost
        case .held(let state):
            deadline = instant + dispatcher.options.leaseTime
            switch state {
            case .sending: break
            case .draft, .scheduled, .paused, .cancelling: stop = stop ?? .interrupted
            case .cancelled, .sent:
                stop = stop ?? .interrupted
                surroundings.signals.allow(lease.campaign)
            }
        }
    }

    /// Asks the store until it answers: outcomes that are known are not given up because a disk is full.
    ///
    /// Nothing is sent meanwhile. When the process ends it gives up after a few attempts; what was not committed is
    /// then sent once more after the next start.
    private func keepTrying<Value>(_ body: () async throws(StoreError) -> Value) async -> Value? {
        let backoff = StoreBackoff(dispatcher.options.storeRetryTime)
        while true {
            do throws(StoreError) {
                return try await body()
            } catch {
                if dispatcher.isStopping, backoff.count >= 3 { return nil }
                await dispatcher.wait(for: backoff, error)
            }
        }
    }
}
