import CarillonModel
package import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle
import Synchronization

/// Finds Chunks, sends them and commits what became of them.
///
/// One task looks for work and leases it; each leased Chunk runs in a child task, a few at a time, so that one Chunk is
/// read while another's answers are awaited and a third's are written. On graceful shutdown nothing new is handed over;
/// what is under way is awaited and committed, and the rest of each Chunk is given back.
package struct Dispatcher: Service {
    /// How a dispatcher works.
    package struct Options: Sendable {
        /// How many full Chunks are under way at once, 1 through 64.
        package var chunksAtOnce = 4
        /// How many Chunks of whatever size are under way at once: many small Campaigns may wait for answers together.
        package var smallChunksAtOnce = 256
        /// How many Devices a Chunk has at most, 1 through 5,000.
        package var chunkSize = 5_000
        /// How many notifications are handed to the sender together, at most.
        package var batchSize = 1_000
        /// How many batches of a Chunk are under way at once.
        package var batchesAtOnce = 3
        /// How long a lease lasts without a sign of life.
        package var leaseTime = Duration.seconds(10)
        /// After this time a slow Chunk commits what it has.
        package var partTime = Duration.seconds(1)
        /// How many plain rows one transaction writes at most: some three milliseconds.
        package var commitSize = 2_000
        /// How long to wait when the store fails; it doubles up to thirty times of it.
        package var storeRetryTime = Duration.milliseconds(100)
        /// After this time it looks for work in any case: a wall clock may have been set forward.
        ///
        /// Where other nodes may die, it has to be short against the lease.
        package var longestWait = Duration.seconds(60)
        package var retries = RetrySchedule()
        package var haltRule = HaltRule()
        /// A number from 0 up to 1.
        package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

        package init() {}
    }

    /// What a dispatcher does its work with.
    package struct Surroundings: Sendable {
        package var work: any WorkStore
        package var outcomes: any OutcomeStore
        package var sender: any Sender
        package var receiptKeys: any ReceiptKeys
        package var ids: IDSource
        package var signals: CampaignSignals
        package var clock: any WallClock
        package var timer: any DispatchClock
        package var figures: DispatchFigures
        package var logger: Logger

        package init(
            store: any WorkStore & OutcomeStore,
            sender: any Sender,
            receiptKeys: any ReceiptKeys,
            ids: IDSource,
            signals: CampaignSignals,
            clock: any WallClock,
            timer: any DispatchClock = SystemDispatchClock(),
            figures: DispatchFigures = DispatchFigures(),
            logger: Logger
        ) {
            work = store
            outcomes = store
            self.sender = sender
            self.receiptKeys = receiptKeys
            self.ids = ids
            self.signals = signals
            self.clock = clock
            self.timer = timer
            self.figures = figures
            self.logger = logger
        }
    }

    let options: Options
    package let surroundings: Surroundings
    let nights = ZoneNights()
    let shutdown = ShutdownFlag()

    package init(options: Options = Options(), _ surroundings: Surroundings) {
        self.options = options
        self.surroundings = surroundings
    }

    package func run() async throws {
        await withGracefulShutdownHandler {
            await dispatch()
        } onGracefulShutdown: { [shutdown, surroundings] in
            shutdown.raise()
            surroundings.signals.work.ring()
        }
    }

    var isStopping: Bool { shutdown.isRaised || Task.isCancelled }

    // MARK: - Private

    private func dispatch() async {
        let failure = StoreBackoff(options.storeRetryTime)
        while !isStopping {
            do throws(StoreError) {
                try await surroundings.work.releaseAbandonedLeases()
                break
            } catch {
                await wait(for: failure, error)
            }
        }
        // Each child gives back how many Devices its Chunk had.
        await withTaskGroup(of: Int.self) { group in
            var desk = WorkDesk(dispatcher: self)
            var (chunks, devices) = (0, 0)
            while !isStopping {
                let isFull = devices > (options.chunksAtOnce - 1) * options.chunkSize
                if isFull || chunks >= options.smallChunksAtOnce, let ended = await group.next() {
                    chunks -= 1
                    devices -= ended
                    continue
                }
                guard let chunk = await desk.nextChunk() else { continue }
                chunks += 1
                devices += chunk.deviceCount
                group.addTask { [figures = surroundings.figures] in
                    var runner = chunk
                    figures.begin(chunk.deviceCount)
                    await runner.run()
                    figures.end(chunk.deviceCount)
                    return runner.deviceCount
                }
            }
            // The children look at the flag themselves.
            await group.waitForAll()
        }
    }

    /// Waits after the store failed.
    func wait(for backoff: StoreBackoff, _ error: StoreError) async {
        surroundings.figures.storeFailed()
        surroundings.logger.info(
            "The store failed; trying again",
            metadata: ["carillon.error": "\(error)", "carillon.failures": "\(backoff.count + 1)"]
        )
        await surroundings.timer.sleep(until: surroundings.timer.now() + backoff.next())
    }
}

/// Set once, when a process is about to end.
package final class ShutdownFlag: Sendable {
    private let flag = Atomic(false)

    func raise() { flag.store(true, ordering: .releasing) }

    var isRaised: Bool { flag.load(ordering: .acquiring) }
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
