package import CarillonModel
package import CarillonOperatorModel
package import Logging
import ServiceLifecycle

/// Drops what is old enough, once a day, on one node.
///
/// Rows go in steps of a few milliseconds with pauses between them, so that nobody waits; totals stay. The first round
/// is a minute after the start.
package struct Retention: Service {
    /// How it works.
    package struct Options: Sendable {
        /// How long it waits after the start.
        package var delay = Duration.seconds(60)
        /// How long between two rounds.
        package var interval = Duration.seconds(86_400)
        /// How many rows a step looks at.
        package var stepSize = 1_000
        /// How long it waits between two steps.
        package var pause = Duration.milliseconds(20)
        /// How long a node's claim lasts without a sign of life.
        package var leaseTime = Duration.seconds(300)
        /// Figures by the half hour are kept for so many days.
        package var halfHourDays = 400
        /// Dead messages to webhooks, and what waits for disabled ones, for so many.
        package var webhookDays = 14
        /// How many days ahead partitions are made.
        package var daysAhead = 21

        package init() {}
    }

    private static let leaseName = "retention"

    private let options: Options
    private let store: any RetentionStore
    private let apps: any AppStore
    private let users: Users
    private let clock: any WallClock
    private let timer: any DispatchClock
    private let logger: Logger
    private let owner: Int64
    private let shutdown = ShutdownFlag()
    private let bell = Bell()

    /// Joins it together.
    ///
    /// - Parameters:
    ///   - options: How it works.
    ///   - store: What it drops from.
    ///   - apps: Has the Apps.
    ///   - users: Lists refused tokens for a while.
    ///   - clock: The wall clock.
    ///   - timer: What pauses are measured by.
    ///   - logger: Where it tells what it dropped.
    ///   - owner: A number of this node's own.
    package init(
        options: Options = Options(),
        store: any RetentionStore,
        apps: any AppStore,
        users: Users,
        clock: any WallClock,
        timer: any DispatchClock = SystemDispatchClock(),
        logger: Logger,
        owner: Int64 = .random(in: 1 ... .max)
    ) {
        self.options = options
        self.store = store
        self.apps = apps
        self.users = users
        self.clock = clock
        self.timer = timer
        self.logger = logger
        self.owner = owner
    }

    // MARK: - Settings

    /// An App's days.
    package func days(of app: AppID) async throws(EngineError) -> RetentionDays {
        let days = try await stored { () async throws(StoreError) in try await store.days(of: app) }
        guard let days else { throw .notFound(.app) }
        return days
    }

    /// Sets an App's days.
    package func setDays(_ days: RetentionDays, of app: AppID) async throws(EngineError) -> RetentionDays {
        let isKept = try await stored { () async throws(StoreError) in try await store.setDays(days, of: app) }
        guard isKept else { throw .notFound(.app) }
        return days
    }

    // MARK: - Rounds

    package func run() async throws {
        await withGracefulShutdownHandler {
            var wait = options.delay
            while !isStopping {
                await sleep(wait)
                guard !isStopping else { return }
                wait = await round() ? options.interval : options.leaseTime
            }
        } onGracefulShutdown: { [shutdown, bell] in
            shutdown.raise()
            bell.ring()
        }
    }

    /// Drops all that is old enough now.
    ///
    /// - Returns: False when another node does, the store failed or the process ends: it is tried again soon.
    package func round() async -> Bool {
        do throws(StoreError) {
            guard try await claim() else { return false }
            var longest = RetentionDays()
            var last: AppID?
            while true {
                let page = try await apps.apps(after: last, limit: 100)
                for app in page {
                    let days = try await store.days(of: app.id) ?? RetentionDays()
                    longest.deliveries = max(longest.deliveries, days.deliveries)
                    longest.events = max(longest.events, days.events)
                    guard try await drop(app.id, days) else { return false }
                }
                guard let id = page.last?.id else { break }
                last = id
            }
            guard try await dropInvalidTokens() else { return false }
            let kept = max(longest.deliveries, longest.events)
            let partitions = try await store.keepPartitions(
                from: ago(kept),
                through: clock.now().advanced(by: .seconds(86_400 * options.daysAhead))
            )
            logger.info("Old rows are dropped", metadata: ["carillon.partitions": "\(partitions)"])
            return true
        } catch {
            logger.info("The store failed; old rows wait", metadata: ["carillon.error": "\(error)"])
            return false
        }
    }

    // MARK: - Private

    private var isStopping: Bool { shutdown.isRaised || Task.isCancelled }

    private func ago(_ days: Int) -> Timestamp { clock.now().advanced(by: .seconds(-86_400 * days)) }

    private func claim() async throws(StoreError) -> Bool {
        let now = clock.now()
        return try await store.claim(Self.leaseName, owner: owner, at: now, until: now.advanced(by: options.leaseTime))
    }

    private func drop(_ app: AppID, _ days: RetentionDays) async throws(StoreError) -> Bool {
        for subject in RetentionSubject.allCases {
            let time = ago(subject.days(days, options))
            var cursor: RetentionCursor? = .start
            while let place = cursor {
                guard !isStopping, try await claim() else { return false }
                let next = try await store.drop(subject, of: app, before: time, after: place, limit: options.stepSize)
                if next != nil { await sleep(options.pause) }
                cursor = next
            }
        }
        return true
    }

    private func dropInvalidTokens() async throws(StoreError) -> Bool {
        repeat {
            guard !isStopping, try await claim() else { return false }
            await sleep(options.pause)
        } while try await users.removeOldInvalidTokens()
        return true
    }

    private func sleep(_ duration: Duration) async {
        let count = bell.count
        guard !isStopping else { return }
        await bell.ring(after: count, until: timer.now() + duration, by: timer)
    }
}

extension RetentionSubject {
    fileprivate func days(_ days: RetentionDays, _ options: Retention.Options) -> Int {
        switch self {
        case .deliveries: days.deliveries
        case .events: days.events
        case .inboxRows, .inboxBroadcasts, .deviceReads, .userReads: days.inbox
        case .minutes, .campaignMinutes: days.minutes
        case .halfHours: options.halfHourDays
        case .webhookMessages, .webhookOutbox: options.webhookDays
        }
    }
}
