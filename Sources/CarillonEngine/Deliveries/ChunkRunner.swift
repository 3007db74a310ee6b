import CarillonModel
import CarillonOperatorModel

/// Sends one leased Chunk and commits what became of it.
///
/// Between batches, and only there, it looks whether to go on: whether the lease still holds, the Campaign was stopped,
/// the push service said halt, or the process is ending.
struct ChunkRunner: Sendable {
    /// Why the rest of the Chunk stays unsent.
    enum Stop: Equatable {
        /// The Campaign was cancelled or paused, the process ends, or outcomes cannot be committed.
        case interrupted
        /// Somebody else has the Chunk.
        case leaseLost
        /// What it needs could not be read: it is given back, to be tried again later.
        case failed(WorkFailure)
    }

    struct SentSlice: Sendable {
        var slice: DeliveryPlan.Slice
        var consequences: [Consequence]
    }

    /// What a Chunk that is being sent waits for.
    enum Event: Sendable {
        /// Room for the next batch: whether there is some.
        case room(SendPermits.Ticket, isGranted: Bool)
        case answered(SentSlice)
    }

    let dispatcher: Dispatcher
    let context: OccurrenceContext
    let lease: Lease
    let recipients: Recipients
    let isCancelling: Bool
    let held: HeldChunks
    let session: HeldSession
    var lastCommit: ContinuousClock.Instant
    var stop: Stop?
    var plan: DeliveryPlan?
    /// What Devices fill for themselves; `nil` when all get the same.
    var values: PersonalValues?
    var accumulator: OutcomeAccumulator
    /// Its Occurrence has failed before: that is over when this Chunk is.
    var clearsFailures = false
    /// What could not be committed; the Chunk is sent no further then.
    var waiting: [ChunkCommit] = []
    /// How much of the dispatcher's window this Chunk has.
    var permits = 0
    /// How much of that belongs to answers that are not committed.
    var answered = 0

    /// Prepares to send a Chunk.
    ///
    /// `leasedAt` is the monotonic clock before the lease was asked for; `session` holds the lease. When the Campaign `isCancelling` nothing is
    /// sent, and what waits to be tried again is closed.
    init(
        dispatcher: Dispatcher,
        context: OccurrenceContext,
        lease: Lease,
        recipients: Recipients,
        leasedAt: ContinuousClock.Instant,
        isCancelling: Bool,
        held: HeldChunks,
        session: HeldSession
    ) {
        self.dispatcher = dispatcher
        self.context = context
        self.lease = lease
        self.recipients = recipients
        self.isCancelling = isCancelling
        self.held = held
        self.session = session
        lastCommit = leasedAt
        accumulator = OutcomeAccumulator(
            lease: lease,
            facts: context.facts,
            schedule: dispatcher.options.retries,
            haltRule: dispatcher.options.haltRule,
            message: context.messageHash
        )
    }

    var dependencies: Dispatcher.Dependencies { dispatcher.dependencies }

    var deviceCount: Int { recipients.count }

    mutating func run() async {
        await dependencies.tracer.withChunkSpan(lease, deviceCount: deviceCount) {
            await sendAndCommit()
            return problem
        }
    }

    /// Why it ended before its time, if that was no operator's wish.
    private var problem: String? {
        if let halt = accumulator.halt { return halt.rawValue }
        switch stop {
        case .failed(let failure): return "\(failure.step)"
        case .leaseLost: return "leaseLost"
        case .interrupted, nil: return nil
        }
    }

    private mutating func sendAndCommit() async {
        if isCancelling {
            closeRetries()
        } else {
            await send()
        }
        await finish()
        release(permits)
        if waiting.isEmpty {
            held.remove(lease.chunk)
            session.release()
        } else {
            dispatcher.backlog.add(
                WaitingCommits.Item(
                    waiting,
                    of: lease,
                    session: session,
                    held: held,
                    since: dependencies.clock.now(),
                    nextAttempt: dependencies.timer.now()
                )
            )
        }
        dependencies.signals.work.signal()
    }

    /// Asks the store a few times for what the Chunk needs, before anything is sent.
    ///
    /// - Returns: `nil` when it failed, or the process ends; ``stop`` says which.
    mutating func attempt<Value>(
        _ step: WorkFailure.Step,
        _ body: () async throws(StoreError) -> Value
    ) async -> Value? {
        let backoff = StoreBackoff(dispatcher.options.storeRetryTime)
        // Well within the lease: what is given back late is given back all the same.
        let end = dependencies.timer.now() + dispatcher.options.leaseTime / 4
        while true {
            do throws(StoreError) {
                return try await body()
            } catch {
                let isLast = backoff.count + 1 >= dispatcher.options.attemptsBeforeSending
                guard !isLast, !dispatcher.isStopping, dependencies.timer.now() < end else {
                    stop = dispatcher.isStopping ? .interrupted : .failed(WorkFailure(step, error))
                    return nil
                }
                await dispatcher.wait(for: backoff, error)
            }
        }
    }
}
