import CarillonModel
import CarillonOperatorModel

/// Sends one leased Chunk and commits the outcomes.
///
/// It checks only between batches whether to continue: whether the lease still holds, the Campaign was stopped, the
/// push service refused the key or topic, or the process is ending.
struct ChunkRunner: Sendable {
    /// Why the rest of the Chunk is not sent.
    enum Stop: Equatable {
        /// The Campaign was cancelled or paused, the process ends, or outcomes cannot be committed.
        case interrupted
        /// Another session has the Chunk.
        case leaseLost
        /// Something it needs could not be read: it is given back and tried again later.
        case failed(WorkFailure)
    }

    struct SentSlice: Sendable {
        var slice: DeliveryPlan.Slice
        var consequences: [Consequence]
    }

    /// What the task that sends a Chunk waits for.
    enum Event: Sendable {
        /// An answered request for room for the next batch.
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
    /// Values that Devices fill in themselves; `nil` when all get the same.
    var values: PersonalValues?
    var accumulator: OutcomeAccumulator
    /// Whether completing this Chunk resets the failure count of its Occurrence.
    var clearsFailures = false
    /// Parts that could not be committed; if there are any, the Chunk sends no more.
    var waiting: [ChunkCommit] = []
    /// How many permits of the dispatcher's window this Chunk holds.
    var permits = 0
    /// How many of them belong to answers that are not committed.
    var answered = 0

    /// Prepares to send a Chunk.
    ///
    /// `leasedAt` is the monotonic clock before the lease was requested; `session` holds the lease. When the Campaign
    /// `isCancelling`, nothing is sent and retries are closed.
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

    /// Why it ended early, unless an operator stopped it.
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

    /// Requests from the store what the Chunk needs before it sends, with a few attempts.
    ///
    /// - Returns: `nil` when it failed, or the process ends; ``stop`` says which.
    mutating func attempt<Value>(
        _ step: WorkFailure.Step,
        _ body: () async throws(StoreError) -> Value
    ) async -> Value? {
        let backoff = StoreBackoff(dispatcher.options.storeRetryTime)
        // Well within the lease, so that the Chunk is given back in time.
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
