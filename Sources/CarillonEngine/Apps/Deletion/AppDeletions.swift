package import CarillonModel
import CarillonOperatorModel
package import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Deletes Apps, at once for everybody who asks and in small steps for the database.
///
/// The request's transaction removes the App, its keys and its secrets, and leaves a mark: from then on the App is
/// unknown, its Campaigns are not leased and its webhooks are not called. Other nodes may accept a key of it for the ten
/// seconds that they cache keys. The rows are removed by one node at a time, in steps of a few milliseconds with pauses:
/// at once what dispatchers work by, and the others once no node can write any more. Nothing but the mark has to
/// survive a restart: a step begins wherever rows are left.
package struct AppDeletions: Service {
    /// The settings.
    package struct Options: Sendable {
        /// The delay of the first round after the start.
        package var delay = Duration.seconds(30)
        /// The time between two looks at what other nodes deleted.
        package var interval = Duration.seconds(300)
        /// How long after its deletion other nodes may write rows of an App: longer than they cache its keys.
        package var grace = Duration.seconds(60)
        /// How long after its end a deletion is looked at again, for rows of an import that was running.
        package var watch = Duration.seconds(86_400)
        /// The pause between two steps.
        package var pause = Duration.milliseconds(20)
        /// How long a node's claim lasts without a renewal.
        package var leaseTime = Duration.seconds(300)

        package init() {}
    }

    static let leaseName = "appDeletions"
    /// How many deletions a round looks at.
    private static let limit = 1_000

    let options: Options
    let store: any AppDeletionStore
    /// Has the claim.
    let claims: any RetentionStore
    let apps: Apps
    let vendorAPIs: VendorAPIs
    let signals: CampaignSignals
    let clock: any WallClock
    let timer: any DispatchClock
    let logger: Logger
    let owner: Int64
    private let shutdown = ShutdownFlag()
    private let signal = AsyncSignal()
    private let known = KnownDeletions()
    /// What is left, and what was removed.
    package let figures = AppDeletionMetrics()

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - options: The settings.
    ///   - store: Removes Apps and their rows.
    ///   - claims: Has the claim that one node at a time removes rows.
    ///   - apps: The Apps, whose cached keys are invalidated.
    ///   - vendorAPIs: Their vendor APIs, whose cached keys are invalidated too.
    ///   - signals: Shared with the dispatcher of this process.
    ///   - clock: The wall clock.
    ///   - timer: The monotonic clock of pauses.
    ///   - logger: Receives what was removed.
    ///   - owner: A number that identifies this node.
    package init(
        options: Options = Options(),
        store: any AppDeletionStore,
        claims: any RetentionStore,
        apps: Apps,
        vendorAPIs: VendorAPIs,
        signals: CampaignSignals,
        clock: any WallClock,
        timer: any DispatchClock = SystemDispatchClock(),
        logger: Logger,
        owner: Int64 = .random(in: 1 ... .max)
    ) {
        self.options = options
        self.store = store
        self.claims = claims
        self.apps = apps
        self.vendorAPIs = vendorAPIs
        self.signals = signals
        self.clock = clock
        self.timer = timer
        self.logger = logger
        self.owner = owner
    }

    /// Deletes an App; when it returns, the App is unknown here, and after ten seconds on every node.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func delete(_ id: AppID) async throws(EngineError) {
        let campaigns = try await stored(try await store.delete(id, at: clock.now()))
        apps.invalidateKeys(of: id)
        vendorAPIs.invalidateKeys(of: id)
        guard let campaigns else { throw .notFound(.app) }
        known.insert(id)
        for campaign in campaigns {
            signals.stop(campaign)
            signals.confirmStop(campaign)
        }
        logger.info("An App was deleted", metadata: ["carillon.app": "\(id)"])
        signal.signal()
    }

    /// Whether an App was deleted; cached.
    package func isDeleted(_ id: AppID) async throws(EngineError) -> Bool {
        try await stored(
            try await known.contains(id) { () async throws(StoreError) in try await store.isDeleted(id) }
        )
    }

    // MARK: - Removing rows

    package func run() async throws {
        await withGracefulShutdownHandler {
            await sleep(options.delay)
            while !isStopping { await sleep(await round()) }
        } onGracefulShutdown: { [shutdown, signal] in
            shutdown.raise()
            signal.signal()
        }
    }

    /// Removes rows of deleted Apps until none may be removed now.
    ///
    /// Failures are counted and logged, and the next round repeats them.
    ///
    /// - Returns: When the next round is due.
    package func round() async -> Duration {
        var claim = RetentionClaim(name: Self.leaseName, leaseTime: options.leaseTime)
        var next = options.interval
        do throws(StoreError) {
            let end = clock.now().advanced(by: .zero - options.watch)
            let deletions = try await store.deletions(finishedAfter: end, limit: Self.limit)
            var unfinished = deletions.count { $0.finishedAt == nil }
            figures.setUnfinished(unfinished)
            for deletion in deletions {
                let settledAt = deletion.deletedAt.advanced(by: options.grace)
                let isSettled = settledAt <= clock.now()
                if !isSettled { next = min(next, clock.now().duration(to: settledAt)) }
                guard try await store.hasRows(of: deletion.app) || deletion.finishedAt == nil else { continue }
                guard try await remove(deletion, isSettled: isSettled, &claim) else { return next }
                guard isSettled, deletion.finishedAt == nil, try await !store.hasRows(of: deletion.app) else {
                    continue
                }
                try await store.finish(deletion.app, at: clock.now())
                unfinished -= 1
                figures.setUnfinished(unfinished)
                logger.info("A deleted App has no rows left", metadata: ["carillon.app": "\(deletion.app)"])
            }
        } catch {
            figures.countFailure()
            logger.warning(
                "Rows of a deleted App could not be removed; a later round repeats it",
                metadata: ["carillon.error": "\(error)"]
            )
        }
        return next
    }

    // MARK: - Private

    private var isStopping: Bool { shutdown.isRaised || Task.isCancelled }

    private func sleep(_ duration: Duration) async {
        let count = signal.count
        guard !isStopping, duration > .zero else { return }
        await signal.wait(after: count, until: timer.now() + duration, by: timer)
    }

    /// - Returns: False when the round ends here.
    private func remove(
        _ deletion: AppDeletion,
        isSettled: Bool,
        _ claim: inout RetentionClaim
    ) async throws(StoreError) -> Bool {
        var position: AppRowsPosition? = .start
        while let place = position {
            guard !isStopping, try await claim.renew(in: claims, owner: owner, at: clock.now()) else { return false }
            let step = try await store.removeSome(of: deletion.app, after: place, onlyWork: !isSettled)
            figures.count(rows: step.count)
            position = step.next
            // A table without rows is not worth a pause.
            if step.count > 0, options.pause > .zero { await pauseBetweenSteps() }
        }
        return true
    }

    /// Another deletion does not end this pause.
    private func pauseBetweenSteps() async {
        let end = timer.now() + options.pause
        while !isStopping, timer.now() < end {
            await signal.wait(after: signal.count, until: end, by: timer)
        }
    }
}

/// Which Apps were deleted, as far as this node knows.
private final class KnownDeletions: Sendable {
    /// Those that this node deleted, or found to be.
    private let deleted = NIOLockedValueBox<Set<AppID>>([])
    /// Others count as there for a while.
    private let others = CachedLookup<AppID, Bool>(capacity: 10_000, lifetime: .seconds(10))

    func insert(_ app: AppID) { deleted.withLockedValue { _ = $0.insert(app) } }

    func contains(
        _ app: AppID,
        else lookUp: () async throws(StoreError) -> Bool
    ) async throws(StoreError) -> Bool {
        if deleted.withLockedValue({ $0.contains(app) }) { return true }
        let found = try await others.value(of: app) { () async throws(StoreError) -> Bool? in try await lookUp() }
        guard found == true else { return false }
        insert(app)
        return true
    }
}
