import CarillonModel
package import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle
import Synchronization
package import Tracing

/// Finds Chunks, sends them and commits the outcomes.
///
/// One task looks for work and shares the slots between Apps. Child tasks read and lease Chunks, a few at a time, and
/// send them, so that one Chunk is read while another's answers are awaited and a third is committed. On graceful
/// shutdown no new batch is sent; sent batches are awaited and committed, and the rest of each Chunk is given back.
package struct Dispatcher: Service {
    /// The settings of a dispatcher.
    package struct Options: Sendable {
        /// How many full Chunks are sent at once, 1 through 64; more while they leave room in the window.
        package var chunksAtOnce = 4
        /// How many Chunks of any size are sent at once: many small Campaigns may wait for answers together.
        package var smallChunksAtOnce = 256
        /// How many Chunks, of different Occurrences, are read concurrently, 1 through 32.
        package var loadsAtOnce = 3
        /// Maximum bytes of cached Occurrences: messages, audiences, and renderings.
        package var contextBytes = 64 << 20
        /// After this time the facts of an Occurrence are read again: its validity or the App's rules may have changed.
        package var factsTime = Duration.seconds(10)
        /// Attempts to read what a Chunk needs before it is given back unsent, 1 through 100.
        package var attemptsBeforeSending = 3
        /// When failed work is tried again, and when its Campaign is paused.
        package var failures = FailureRule()
        /// Maximum number of Devices of a Chunk, 1 through 5,000.
        package var chunkSize = 5_000
        /// Maximum number of notifications of a batch.
        package var batchSize = 1_000
        /// How many batches of a Chunk are in flight at once.
        package var batchesAtOnce = 3
        /// How many notifications may be sent and not committed.
        package var window = SendWindow.Limits()
        /// How long a lease lasts without a heartbeat.
        package var leaseTime = Duration.seconds(10)
        /// After this time a slow Chunk commits what it has.
        package var partTime = Duration.milliseconds(100)
        /// Maximum number of plain rows of one transaction: about three milliseconds.
        package var commitSize = 2_000
        /// Attempts to commit a part in its slot before it moves to the backlog.
        package var commitAttempts = 3
        /// After this time in its slot a part moves to the backlog: the store itself waits for locks.
        package var commitTime = Duration.seconds(5)
        /// How many Chunks may wait to be committed before the node takes no new work.
        package var waitingChunks = 512
        /// How many notifications may wait to be committed before the node takes no new work.
        package var waitingNotifications = 200_000
        /// How many token verdicts may wait to be written; further ones are dropped.
        package var waitingVerdicts = 50_000
        /// The first delay after the store failed; it doubles up to thirty times this value.
        package var storeRetryTime = Duration.milliseconds(100)
        /// After this time it looks for work in any case: the wall clock may have been set forward.
        ///
        /// With several nodes it has to be short compared to the lease time, so that lost nodes are noticed.
        package var longestWait = Duration.seconds(60)
        /// How late a Campaign without a schedule may begin by itself; after that an alarm pauses it.
        package var lateness = Duration.seconds(3_600)
        package var retries = RetrySchedule()
        package var haltRule = HaltRule()
        /// A number from 0 up to 1.
        package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

        package init() {}
    }

    /// The dependencies of a dispatcher.
    package struct Dependencies: Sendable {
        package var work: any WorkStore
        package var outcomes: any OutcomeStore
        package var sessions: any SessionStore
        package var sender: any Sender
        package var receiptKeys: any ReceiptKeys
        package var ids: IDSource
        package var signals: CampaignSignals
        package var clock: any WallClock
        package var timer: any DispatchClock
        package var figures: DispatcherMetrics
        package var logger: Logger
        /// Creates spans; by default the process's tracer, which does nothing unless one was bootstrapped.
        package var tracer: any Tracer

        package init(
            store: any WorkStore & OutcomeStore & SessionStore,
            sender: any Sender,
            receiptKeys: any ReceiptKeys,
            ids: IDSource,
            signals: CampaignSignals,
            clock: any WallClock,
            timer: any DispatchClock = SystemDispatchClock(),
            figures: DispatcherMetrics = DispatcherMetrics(),
            logger: Logger,
            tracer: any Tracer = InstrumentationSystem.tracer
        ) {
            work = store
            outcomes = store
            sessions = store
            self.sender = sender
            self.receiptKeys = receiptKeys
            self.ids = ids
            self.signals = signals
            self.clock = clock
            self.timer = timer
            self.figures = figures
            self.logger = logger
            self.tracer = tracer
        }
    }

    let options: Options
    package let dependencies: Dependencies
    let nights = ZoneNights()
    let shutdown = ShutdownFlag()
    let running = RunningFlag()
    let quiet = RunningFlag()
    let heartbeat: SessionHeartbeat
    let verdicts: VerdictQueue
    let writer: CommitWriter
    let backlog: CommitBacklog
    let progress: WorkProgress
    let contexts: ContextCache
    let permits: SendPermits
    let underWay = ChunksUnderWay()

    package init(options: Options = Options(), _ dependencies: Dependencies) {
        self.options = options
        self.dependencies = dependencies
        progress = WorkProgress(options)
        contexts = ContextCache(limit: options.contextBytes)
        heartbeat = SessionHeartbeat(
            SessionHeartbeat.Parts(
                store: dependencies.sessions,
                clock: dependencies.clock,
                timer: dependencies.timer,
                leaseTime: options.leaseTime,
                retryTime: options.storeRetryTime,
                figures: dependencies.figures,
                logger: dependencies.logger
            )
        )
        verdicts = VerdictQueue(
            dependencies,
            capacity: options.waitingVerdicts,
            retryTime: options.storeRetryTime
        )
        writer = CommitWriter(dependencies: dependencies, verdicts: verdicts)
        backlog = CommitBacklog(writer, heartbeat, options: options)
        permits = SendPermits(options.window)
    }

    package func run() async throws {
        running.set(true)
        defer { running.set(false) }
        await withGracefulShutdownHandler {
            await dispatchWhileAlive()
        } onGracefulShutdown: { [shutdown, dependencies, backlog] in
            shutdown.raise()
            dependencies.signals.work.signal()
            backlog.wake()
        }
    }

    /// Whether it takes no work, because an admin quieted its node.
    package var isQuiet: Bool { quiet.isRaised }

    /// Makes it give its Chunks back and take no new ones, or take some again.
    package func setQuiet(_ isQuiet: Bool) {
        guard quiet.isRaised != isQuiet else { return }
        quiet.set(isQuiet)
        dependencies.signals.work.signal()
    }

    var isStopping: Bool { shutdown.isRaised || Task.isCancelled }

    // MARK: - Private

    /// Dispatches next to the tasks that send heartbeats and write the queues, which outlive dispatching.
    private func dispatchWhileAlive() async {
        await withTaskGroup(of: Void.self) { life in
            life.addTask { await heartbeat.run() }
            await withTaskGroup(of: Void.self) { writers in
                writers.addTask { await backlog.run() }
                writers.addTask { await verdicts.run() }
                await dispatch()
                backlog.close()
                verdicts.close()
            }
            await backlog.drain()
            await verdicts.drain()
            await heartbeat.end()
        }
    }

    private func dispatch() async {
        let failure = StoreBackoff(options.storeRetryTime)
        while !isStopping {
            do throws(StoreError) {
                try await dependencies.work.releaseAbandonedLeases(at: dependencies.clock.now())
                break
            } catch {
                await wait(for: failure, error)
            }
        }
        await withDiscardingTaskGroup { group in
            var leaser = ChunkLeaser(dispatcher: self)
            let loader = ChunkLoader(dispatcher: self, held: leaser.held)
            while !isStopping {
                await backlog.waitForRoom(unless: { isStopping })
                for order in await leaser.nextOrders() {
                    group.addTask { await loader.carryOut(order) }
                }
            }
            // The children check the flag themselves.
        }
    }

    /// How many Devices may be sent beyond the full Chunks.
    ///
    /// Chunks that wait for answers leave room for others, within bounds. Without an accepted notification, the key or
    /// topic may be wrong, so no more than the usual number are tried.
    var extraDevices: Int {
        permits.hasRoom && underWay.unprovenCount < options.chunksAtOnce ? options.window.total : 0
    }

    /// Waits after the store failed.
    func wait(for backoff: StoreBackoff, _ error: StoreError) async {
        dependencies.figures.storeFailed()
        dependencies.logger.info(
            "The store failed; trying again",
            metadata: ["carillon.error": "\(error)", "carillon.failures": "\(backoff.count + 1)"]
        )
        await dependencies.timer.sleep(until: dependencies.timer.now() + backoff.next())
    }
}

/// Set once, when a process is about to end.
package final class ShutdownFlag: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package func raise() { flag.store(true, ordering: .releasing) }

    package var isRaised: Bool { flag.load(ordering: .acquiring) }
}

/// Growing delays between attempts at a store that fails.
final class StoreBackoff: Sendable {
    private let first: Duration
    private let failures = NIOLockedValueBox(0)

    init(_ first: Duration) { self.first = first }

    var count: Int { failures.withLockedValue { $0 } }

    func next() -> Duration {
        failures.withLockedValue { failures in
            defer { failures += 1 }
            return first * min(1 << min(failures, 10), 30)
        }
    }

    func reset() { failures.withLockedValue { $0 = 0 } }
}
