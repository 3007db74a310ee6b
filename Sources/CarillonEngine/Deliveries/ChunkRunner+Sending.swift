import CarillonModel
import CarillonOperatorModel

extension ChunkRunner {
    /// Closes the retries of a cancelled Campaign; what was never sent gets no row.
    mutating func closeRetries() {
        guard case .retries = lease.range else { return stop = .interrupted }
        for row in 0..<recipients.count {
            accumulator.close(row, of: recipients, as: .failed, OutcomeAccumulator.cancelled)
        }
    }

    mutating func send() async {
        guard let key = await receiptKey(), await readValues() else { return }
        let memory = context.facts.asksMemory ? await recentSends() : nil
        guard stop == nil else { return }
        var plan = DeliveryPlan(
            recipients,
            of: context,
            nights: dispatcher.nights,
            at: dependencies.clock.now(),
            waveDue: lease.range.waveDue,
            memory: memory
        )
        accumulator.reserve(recipients.count)
        if context.facts.rules.mayWait {
            accumulator.retryEnds = RetryEnds(recipients, of: context.facts, zones: dispatcher.nights)
        }
        for (row, reason) in plan.skips { accumulator.close(row, of: recipients, as: .skipped, reason.reason) }
        for row in plan.expired { accumulator.close(row, of: recipients, as: .expired, OutcomeAccumulator.expired) }
        for (row, until) in plan.waits { accumulator.wait(row, of: recipients, until: until) }
        await sendBatches(of: &plan, key)
        self.plan = plan
    }

    /// Sends batch after batch as the window has room, and records their answers.
    private mutating func sendBatches(of plan: inout DeliveryPlan, _ key: ReceiptKey) async {
        await withTaskGroup(of: Event.self) { group in
            var underWay = 0
            var asked: SendPermits.Ticket?
            while true {
                while asked == nil, underWay < dispatcher.options.batchesAtOnce, plan.remainingCount > 0,
                    await mayGoOn()
                {
                    let ticket = askForRoom(plan)
                    if ticket.isGranted {
                        underWay += handOver(ticket, &plan, key, &group)
                    } else {
                        asked = ticket
                        group.addTask { [permits = dispatcher.permits] in
                            .room(ticket, isGranted: await permits.granted(ticket))
                        }
                    }
                }
                // Uncommitted answers may hold the room that it waits for, and only this Chunk commits them.
                if asked != nil, answered > 0 { await commitPart() }
                if let asked, stop != nil || accumulator.halt != nil { dispatcher.permits.withdraw(asked) }
                guard underWay > 0 || asked != nil, let event = await group.next() else { break }
                switch event {
                case .room(let ticket, let isGranted):
                    asked = nil
                    guard isGranted else { continue }
                    // The wait may have been long.
                    if await mayGoOn() {
                        underWay += handOver(ticket, &plan, key, &group)
                    } else {
                        dispatcher.permits.release(ticket.request)
                    }
                case .answered(let sent):
                    underWay -= 1
                    enter(sent)
                    if underWay > 0 || plan.remainingCount > 0 { await commitPartIfDue() }
                }
            }
        }
    }

    private func askForRoom(_ plan: DeliveryPlan) -> SendPermits.Ticket {
        dispatcher.permits.ask(request(plan.nextCount(limit: batchSize)))
    }

    /// The number of notifications in a batch.
    private var batchSize: Int {
        min(
            dispatcher.options.batchSize,
            dispatcher.permits.largestRequest(isReplaceable: context.isReplaceable)
        )
    }

    func request(_ count: Int) -> SendWindow.Request {
        SendWindow.Request(app: lease.chunk.app, count: count, isReplaceable: context.isReplaceable)
    }

    /// Releases permits of the window.
    mutating func release(_ count: Int) {
        guard count > 0 else { return }
        permits -= count
        dispatcher.permits.release(request(count))
    }

    /// Releases the permits of all answers.
    mutating func releaseAnswered() {
        let count = answered
        answered = 0
        release(count)
    }

    /// Sends the next batch with the permits of a ticket.
    ///
    /// - Returns: How many more batches are in flight.
    private mutating func handOver(
        _ ticket: SendPermits.Ticket,
        _ plan: inout DeliveryPlan,
        _ key: ReceiptKey,
        _ group: inout TaskGroup<Event>
    ) -> Int {
        permits += ticket.request.count
        guard var slice = plan.next(limit: ticket.request.count), let batch = batch(of: &slice, key) else {
            release(ticket.request.count)
            return 0
        }
        release(ticket.request.count - slice.rows.count)
        // The lease bounds the wait for answers; a sender that was suspended longer sends no more.
        group.addTask { [deadline = session.deadline, slice, lease, dependencies] in
            let consequences = await dependencies.tracer.withBatchSpan(lease, count: batch.count) {
                await dependencies.sender.send(batch, until: deadline)
            }
            return .answered(SentSlice(slice: slice, consequences: consequences))
        }
        return 1
    }

    /// Recent sends to the Chunk's Devices.
    private mutating func recentSends() async -> SendMemory? {
        let now = dependencies.clock.now()
        let (dependencies, recipients, facts) = (dependencies, recipients, context.facts)
        return await attempt(.readRecentSends) { () async throws(StoreError) in
            try await dependencies.work.recentSends(to: recipients, of: facts, at: now)
        }
    }

    /// The key that makes receipts.
    private mutating func receiptKey() async -> ReceiptKey? {
        let (dependencies, app) = (dependencies, context.facts.app)
        return await attempt(.openReceiptKey) { () async throws(StoreError) in
            do throws(EngineError) {
                return try await dependencies.receiptKeys.receiptKey(for: app)
            } catch {
                if case .store(let failure) = error { throw failure }
                throw .failed("There is no such app.")
            }
        }
    }

    /// Reads the values that the message names for each Device, if it names any.
    ///
    /// - Returns: False when that failed.
    private mutating func readValues() async -> Bool {
        let fields = context.personalFields
        guard !fields.isEmpty else { return true }
        let (dependencies, recipients, app, campaign) = (dependencies, recipients, context.facts.app, lease.campaign)
        values = await attempt(.readValues) { () async throws(StoreError) in
            try await dependencies.work.personalValues(of: fields, for: recipients.numbers, in: campaign, app: app)
        }
        return values != nil
    }

    private mutating func mayGoOn() async -> Bool {
        while stop == nil, accumulator.halt == nil {
            let attempts = dispatcher.heartbeat.attempted.count
            if dispatcher.isStopping || dispatcher.isQuiet
                || dependencies.signals.isStopped(lease.campaign, lease.chunk.occurrence)
                || dependencies.signals.isPaused(lease.chunk.app) || session.isLost
                || dispatcher.backlog.isWaiting(lease.chunk.occurrence)
            {
                stop = .interrupted
                return false
            }
            // With less than half of the lease left, answers might not come in time.
            if session.deadline - dependencies.timer.now() >= dispatcher.options.leaseTime / 2 { return true }
            await dispatcher.heartbeat.attempted.wait(after: attempts)
        }
        return false
    }

    /// Renders a slice's batch; returns `nil` when its content cannot be rendered, and closes its notifications.
    ///
    /// Closes rows that cannot be filled, and removes them from the slice.
    private mutating func batch(of slice: inout DeliveryPlan.Slice, _ key: ReceiptKey) -> NotificationBatch? {
        do throws(RenderingError) {
            let rendering = try context.rendering(at: slice.group.place, for: slice.group.pushType)
            var personal = values.flatMap { values in rendering.template.map { PersonalBatch($0, values) } }
            if let filled = personal?.fill(slice, of: recipients) { slice = filled }
            for (row, outcome, reason) in personal?.refusals ?? [] {
                accumulator.close(row, of: recipients, as: outcome, reason)
            }
            guard !slice.rows.isEmpty else { return nil }
            var batch = NotificationBatch(
                slice,
                of: recipients,
                facts: context.facts,
                options: context.options(expiringBy: slice.group.cap, at: dependencies.clock.now()),
                rendering: rendering,
                key: key
            )
            personal?.finish(&batch)
            return batch
        } catch {
            for row in slice.rows {
                accumulator.close(Int(row), of: recipients, as: .failed, OutcomeAccumulator.tooLarge)
            }
            return nil
        }
    }

    private mutating func enter(_ sent: SentSlice) {
        answered += sent.slice.rows.count
        if !context.isProven, sent.consequences.contains(.accepted) {
            context.prove()
            // Signals that there may be room for more.
            dependencies.signals.work.signal()
        }
        accumulator.enter(
            sent.consequences,
            of: sent.slice,
            recipients,
            at: dependencies.clock.now(),
            random: dispatcher.options.random()
        )
    }
}
