package import CarillonContentSets
package import CarillonEngine
import CarillonModel
package import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle
import StoreErrors

/// Fetches sources of content sets when they are due, each on one node.
///
/// A node claims a source before it fetches it and renews the claim while it does; when it dies, another one fetches the
/// source after the claim's end. Sources are fetched beside each other, within the bounds of ``ContentFetchPlaces``.
package struct ContentImports: Service {
    /// The settings.
    package struct Options: Sendable {
        /// The pause between two looks at what is due.
        package var pause = Duration.seconds(5)
        /// How many sources a node fetches at once.
        package var places = ContentFetchPlaces()
        /// After this time without a renewal the node that holds a source counts as lost.
        package var leaseTime = Duration.seconds(60)
        package var schedule = ContentImportSchedule()
        /// How many due sources are read together.
        package var lookLimit = 200
        /// A number from 0 up to 1.
        package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

        package init() {}
    }

    let options: Options
    let store: any ContentSourceStore
    let reader: ContentSourceReader
    let clock: any WallClock
    let timer: any DispatchClock
    let logger: Logger
    let owner: Int64
    private let shutdown = ShutdownFlag()
    private let signal = AsyncSignal()
    private let places: NIOLockedValueBox<ContentFetchPlaces>
    /// Counts of fetches.
    package let figures: ContentImportMetrics

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - options: The settings.
    ///   - store: Stores sources.
    ///   - reader: Fetches and imports one.
    ///   - clock: The wall clock.
    ///   - timer: The monotonic clock of pauses.
    ///   - figures: Counts fetches.
    ///   - logger: Receives failures.
    ///   - owner: A number that identifies this node.
    package init(
        options: Options = Options(),
        store: any ContentSourceStore,
        reader: ContentSourceReader,
        clock: any WallClock,
        timer: any DispatchClock = SystemDispatchClock(),
        figures: ContentImportMetrics,
        logger: Logger,
        owner: Int64 = .random(in: 1 ... .max)
    ) {
        self.options = options
        self.store = store
        self.reader = reader
        self.clock = clock
        self.timer = timer
        self.figures = figures
        self.logger = logger
        self.owner = owner
        places = NIOLockedValueBox(options.places)
    }

    package func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                while !isStopping {
                    let count = signal.count
                    for due in await next() {
                        group.addTask {
                            // A store that failed is asked again after the pause.
                            if await fetch(due) { signal.signal() }
                        }
                    }
                    guard !isStopping else { break }
                    await signal.wait(after: count, until: timer.now() + options.pause, by: timer)
                }
                // A fetch that goes on would hold the shutdown up; the claim's end leads another node to it.
                group.cancelAll()
            }
        } onGracefulShutdown: { [shutdown, signal] in
            shutdown.raise()
            signal.signal()
        }
    }

    /// Fetches every due source once, until the store fails.
    ///
    /// - Returns: How many were begun.
    package func fetchDue() async -> Int {
        var count = 0
        while true {
            let due = await next()
            guard !due.isEmpty else { return count }
            let hasAnswered = await withTaskGroup(of: Bool.self) { group in
                for source in due { group.addTask { await fetch(source) } }
                return await group.reduce(true) { $0 && $1 }
            }
            count += due.count
            guard hasAnswered else { return count }
        }
    }

    // MARK: - Private

    private var isStopping: Bool { shutdown.isRaised || Task.isCancelled }

    /// Gives places to due sources, first to those that have waited longest.
    private func next() async -> [DueContentSource] {
        guard !places.withLockedValue({ $0.isFull }) else { return [] }
        let (due, failing): ([WaitingContentSource], Int)
        do throws(StoreError) {
            due = try await store.dueSources(
                at: clock.now(),
                appLimit: options.places.appLimit,
                limit: options.lookLimit
            )
            failing = try await store.failingSourceCount()
        } catch {
            logger.info("The store failed; content is fetched later", metadata: ["carillon.error": "\(error)"])
            return []
        }
        figures.setFailingSources(failing)
        return places.withLockedValue { places in due.filter { places.acquire($0) }.map(\.source) }
    }

    /// - Returns: False when the store failed: the source is due as before.
    private func fetch(_ due: DueContentSource) async -> Bool {
        defer { places.withLockedValue { $0.release(due) } }
        do throws(StoreError) {
            let now = clock.now()
            let claim = Int64.random(in: 1 ... .max)
            let end = now.advanced(by: options.leaseTime)
            guard let claimed = try await store.claim(due, as: claim, at: now, until: end) else { return true }
            guard let result = await withHeartbeat(claimed, { await reader.read(claimed) }) else { return true }
            try await complete(claimed, result)
            return true
        } catch {
            // The claim ends by itself.
            logger.info("The store failed; content is fetched later", metadata: ["carillon.error": "\(error)"])
            return false
        }
    }

    /// Renews the claim while the work goes on.
    ///
    /// - Returns: The work's result; `nil` when the claim was lost, or the node ends.
    private func withHeartbeat(
        _ claimed: ClaimedContentSource,
        _ work: @Sendable @escaping () async -> ContentSourceReader.Result
    ) async -> ContentSourceReader.Result? {
        await withTaskGroup(of: ContentSourceReader.Result?.self) { group in
            group.addTask { await work() }
            group.addTask {
                while !Task.isCancelled {
                    await timer.sleep(until: timer.now() + options.leaseTime / 3)
                    guard !Task.isCancelled else { break }
                    let end = clock.now().advanced(by: options.leaseTime)
                    // A store that does not answer may answer the next time.
                    if (try? await store.renew(claimed, until: end)) == false { break }
                }
                return nil
            }
            let first = await group.next() ?? nil
            let isStopped = Task.isCancelled
            group.cancelAll()
            return isStopped ? nil : first
        }
    }

    private func complete(
        _ claimed: ClaimedContentSource,
        _ result: ContentSourceReader.Result
    ) async throws(StoreError) {
        let now = clock.now()
        var state = claimed.source.state
        state.triedAt = now
        state.apply(result, at: now)
        var feed: ContentFeed?
        var retryAfter: Duration?
        switch result {
        case .realtime(let body, _, _):
            feed = ContentFeed(format: claimed.source.request.format, fetchedAt: now, body: body)
        case .failed(_, let asked, _): retryAfter = asked
        case .imported, .unchanged, .busy: break
        }
        let next = options.schedule.next(
            claimed.source.request,
            failures: result == .busy ? 1 : state.failures,
            retryAfter: retryAfter,
            at: now,
            random: options.random()
        )
        guard try await store.complete(claimed, state, next: next, feed: feed) else { return }
        if let metric = result.metric { figures.count(metric) }
        guard case .failed(let problem, _, _) = result else { return }
        logger.warning(
            "A source of a content set failed; its last good data stays",
            metadata: [
                "carillon.app": "\(claimed.source.app)", "carillon.content-set": "\(claimed.source.set)",
                "carillon.source": "\(claimed.source.name)", "carillon.failures": "\(state.failures)",
                "carillon.problem": "\(problem)",
            ]
        )
    }
}

extension ContentSourceReader.Result {
    /// `nil` for what is neither a success nor a failure.
    var metric: ContentImportMetrics.Result? {
        switch self {
        case .imported, .realtime: .imported
        case .unchanged: .unchanged
        case .failed: .failed
        case .busy: nil
        }
    }
}

extension ContentSource.State {
    /// Notes what came of a fetch.
    mutating func apply(_ result: ContentSourceReader.Result, at now: Timestamp) {
        switch result {
        case .imported(let run, let validators):
            (importID, self.validators) = (run.id, validators)
            succeed(at: now)
        case .realtime(_, let validators, let madeAt):
            (self.validators, self.madeAt) = (validators, madeAt)
            succeed(at: now)
        case .unchanged: succeed(at: now)
        case .failed(let text, _, let run):
            failures += 1
            problem = text
            if let run { importID = run }
        case .busy: break
        }
    }

    private mutating func succeed(at now: Timestamp) { (fetchedAt, failures, problem) = (now, 0, nil) }
}
