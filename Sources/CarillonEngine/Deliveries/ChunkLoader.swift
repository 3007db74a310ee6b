import CarillonModel
import CarillonOperatorModel
import Logging
import Tracing

/// Carries out an order: reads a Chunk's Devices, leases it and has it sent, or begins a Campaign.
struct ChunkLoader: Sendable {
    /// What to do, with the state at the time of the order.
    struct Order: Sendable {
        var choice: WorkSelector.Choice
        /// The wall clock.
        var now: Timestamp
    }

    private enum Problem: Error {
        /// The store failed, whatever the request.
        case store(StoreError)
        /// The work itself failed.
        case work(WorkFailure, FailedWork)
    }

    let dispatcher: Dispatcher
    let held: HeldChunks

    var dependencies: Dispatcher.Dependencies { dispatcher.dependencies }
    var work: any WorkStore { dispatcher.dependencies.work }
    var progress: WorkProgress { dispatcher.progress }

    func carryOut(_ order: Order) async {
        switch order.choice {
        case .start(let due):
            await start(due, at: order.now)
            progress.change { _ = $0.starting.remove(due.app) }
        case .again(let chunk):
            let key = chunk.lease.chunk
            await run(order, chunk.lease.campaign, key.app, key.occurrence)
        case .devices(let wave), .retries(let wave): await run(order, wave.campaign, wave.app, wave.occurrence)
        case .wait: break
        }
        dependencies.signals.work.signal()
    }

    // MARK: - Private

    private func run(_ order: Order, _ campaign: CampaignID, _ app: AppID, _ occurrence: OccurrenceID) async {
        await dependencies.tracer.withCampaignSpan(app, campaign, occurrence) { span in
            await run(order, app, occurrence, span)
        }
    }

    private func run(_ order: Order, _ app: AppID, _ occurrence: OccurrenceID, _ span: any Tracing.Span) async {
        let loaded = await load(order, occurrence, span)
        let count = loaded?.deviceCount ?? 0
        // Insert first: a look between the two would not see the Chunk at all.
        if let loaded { dispatcher.underWay.insert(loaded) }
        progress.change { progress in
            progress.shares.load(count, for: app)
            progress.loading.remove(occurrence)
        }
        if var runner = loaded {
            dependencies.signals.work.signal()
            dependencies.figures.begin(count)
            await runner.run()
            dispatcher.underWay.remove(runner)
            dependencies.figures.end(count)
        }
        progress.change { $0.shares.release(count, for: app) }
    }

    private func load(_ order: Order, _ occurrence: OccurrenceID, _ span: any Tracing.Span) async -> ChunkRunner? {
        do throws(Problem) {
            let runner: ChunkRunner?
            switch order.choice {
            case .again(let chunk): runner = try await leaseAgain(chunk)
            case .devices(let wave): runner = try await leaseDevices(of: wave, now: order.now)
            case .retries(let wave): runner = try await leaseRetries(of: wave, now: order.now)
            case .start, .wait: runner = nil
            }
            progress.change { $0.delays.remove(occurrence) }
            return runner
        } catch {
            switch error {
            case .store:
                span.fail("store")
                dispatcher.delay(occurrence)
            case .work(let failure, let work):
                span.fail("\(failure.step)")
                await dispatcher.record(failure, of: work)
            }
            return nil
        }
    }

    /// Makes a request to the store that does not depend on a Campaign's content.
    private func asking<Value>(_ body: () async throws(StoreError) -> Value) async throws(Problem) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw .store(error)
        }
    }

    /// Makes a request to the store that may fail because of the Campaign itself.
    private func attempting<Value>(
        _ step: WorkFailure.Step,
        _ failed: FailedWork,
        _ body: () async throws(StoreError) -> Value
    ) async throws(Problem) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw .work(WorkFailure(step, error), failed)
        }
    }

    // MARK: - Leasing

    private func leaseDevices(of listed: OpenWave, now: Timestamp) async throws(Problem) -> ChunkRunner? {
        guard progress.mayTakeTurn(at: listed.occurrence) else { return try await leaseNext(of: listed, now: now) }
        let turn = await work.turn(at: listed.occurrence, wave: listed.wave)
        defer {
            turn?.end()
            progress.endTurn()
        }
        // The node that held the read lease before has advanced the Wave.
        let wave = try await asking { () async throws(StoreError) in try await work.wave(listed, at: now) }
        guard let wave, !wave.isCancelling, !wave.isRead, wave.readAt.map({ $0 <= now }) ?? false else {
            progress.record(contended: false, listed.occurrence)
            return nil
        }
        return try await leaseNext(of: wave, now: now)
    }

    private func leaseNext(of wave: OpenWave, now: Timestamp) async throws(Problem) -> ChunkRunner? {
        let failed = FailedWork(app: wave.app, campaign: wave.campaign, occurrence: wave.occurrence)
        let context = try await context(failed)
        let instant = dependencies.timer.now()
        let session = try await asking { () async throws(StoreError) in try await dispatcher.heartbeat.fresh() }
        let pace = PaceRule(wave.pace)
        let step = pace.step(of: wave, limit: dispatcher.options.chunkSize)
        var part = wave
        part.lastDevice = step.through
        var reading = try await attempting(.readDevices, failed) { [part] () async throws(StoreError) in
            try await work.read(part, of: context.facts, limit: step.limit)
        }
        guard case .devices(_, _, let through) = reading.range else { return nil }
        reading.isLast = through >= wave.lastDevice
        let readAt = pace.next(count: reading.recipients.count, through: through, of: wave, at: now)
        let lease = try await asking { [reading] () async throws(StoreError) in
            try await work.lease(reading, of: wave, readAt: readAt, at: now, for: session.id)
        }
        if reading.isLast { progress.record(contended: false, wave.occurrence) }
        if lease == nil, reading.recipients.count > 0 { progress.record(contended: true, wave.occurrence) }
        if reading.isLast { dependencies.signals.announceChange(of: wave.campaign) }
        guard let lease else { return nil }
        return runner(lease, reading.recipients, context, in: session, since: instant, failures: wave.failures)
    }

    private func leaseRetries(of wave: OpenWave, now: Timestamp) async throws(Problem) -> ChunkRunner? {
        let failed = FailedWork(app: wave.app, campaign: wave.campaign, occurrence: wave.occurrence)
        let context = try await context(failed)
        let instant = dependencies.timer.now()
        let session = try await asking { () async throws(StoreError) in try await dispatcher.heartbeat.fresh() }
        let reading = try await attempting(.readRetries, failed) { () async throws(StoreError) in
            try await work.readRetries(
                of: context.facts,
                dueAt: wave.isCancelling ? nil : now,
                limit: dispatcher.options.chunkSize
            )
        }
        let leased = try await asking { () async throws(StoreError) in
            try await work.leaseRetries(reading, of: wave, at: now, for: session.id)
        }
        guard let lease = leased else { return nil }
        var recipients = reading.recipients
        if lease.chunk.number != reading.nextChunk {
            // Another node may have leased, sent and completed the same between the reading and the lease.
            recipients = try await attempting(.readRest, FailedWork(lease)) { () async throws(StoreError) in
                try await work.readRest(of: lease, facts: context.facts)
            }
        }
        return runner(
            lease,
            recipients,
            context,
            in: session,
            since: instant,
            isCancelling: wave.isCancelling,
            failures: wave.failures
        )
    }

    private func leaseAgain(_ chunk: OpenChunk) async throws(Problem) -> ChunkRunner? {
        let instant = dependencies.timer.now()
        let session = try await asking { () async throws(StoreError) in try await dispatcher.heartbeat.fresh() }
        let leased = try await asking { () async throws(StoreError) in
            try await work.lease(again: chunk, for: session.id)
        }
        guard let lease = leased else { return nil }
        if chunk.isTakenOver(by: session.id) { dependencies.figures.tookOver() }
        // From here, work that fails is given back with a time.
        let context = try await context(FailedWork(lease))
        let recipients = try await attempting(.readRest, FailedWork(lease)) { () async throws(StoreError) in
            try await work.readRest(of: lease, facts: context.facts)
        }
        return runner(
            lease,
            recipients,
            context,
            in: session,
            since: instant,
            isCancelling: chunk.isCancelling,
            failures: chunk.failures
        )
    }

    private func runner(
        _ lease: Lease,
        _ recipients: Recipients,
        _ context: OccurrenceContext,
        in session: HeldSession,
        since instant: ContinuousClock.Instant,
        isCancelling: Bool = false,
        failures: Int
    ) -> ChunkRunner? {
        // If leasing took too long, another look may have found the Chunk already.
        guard dependencies.timer.now() - instant < dispatcher.options.leaseTime, held.insert(lease.chunk) else {
            return nil
        }
        session.hold()
        var runner = ChunkRunner(
            dispatcher: dispatcher,
            context: context,
            lease: lease,
            recipients: recipients,
            leasedAt: instant,
            isCancelling: isCancelling,
            held: held,
            session: session
        )
        runner.clearsFailures = failures > 0
        return runner
    }

    private func context(_ failed: FailedWork) async throws(Problem) -> OccurrenceContext {
        let instant = dependencies.timer.now()
        let known = dispatcher.contexts.context(of: failed.occurrence)
        if let known, instant - known.readAt < dispatcher.options.factsTime { return known.context }
        let facts = try await attempting(.load, failed) { () async throws(StoreError) in
            guard let facts = try await work.facts(of: failed.occurrence, app: failed.app) else {
                throw .failed("There is no such occurrence.")
            }
            return facts
        }
        // Renderings stay where nothing was changed, which is nearly always.
        let unchanged = known.flatMap { $0.context.facts == facts ? $0.context : nil }
        let context = unchanged ?? OccurrenceContext(facts: facts, sender: dependencies.sender)
        dispatcher.contexts.insert(context, readAt: instant)
        return context
    }
}
