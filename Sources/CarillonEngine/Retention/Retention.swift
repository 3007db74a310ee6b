package import CarillonModel
package import CarillonOperatorModel
package import Logging
import ServiceLifecycle

/// Drops what is old enough, once a day, on one node.
///
/// Whole partitions go first, where the store has them; single rows go in steps of a few milliseconds with pauses between
/// them, so that nobody waits. What fails is counted and left to a later round, and the rest goes on. The first round is a
/// minute after the start.
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
        /// After how many failures in a row a subject is left to a later round.
        package var failureLimit = 5

        package init() {}
    }

    static let leaseName = "retention"

    let options: Options
    let store: any RetentionStore
    let apps: any AppStore
    let users: Users
    let clock: any WallClock
    let timer: any DispatchClock
    let logger: Logger
    let owner: Int64
    let shutdown = ShutdownFlag()
    let signal = AsyncSignal()
    /// What it did and could not do.
    package let figures = RetentionMetrics()

    /// Makes the service.
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
        let days = try await stored(try await store.days(of: app))
        guard let days else { throw .notFound(.app) }
        return days
    }

    /// Sets an App's days.
    package func setDays(_ days: RetentionDays, of app: AppID) async throws(EngineError) -> RetentionDays {
        let isKept = try await stored(try await store.setDays(days, of: app))
        guard isKept else { throw .notFound(.app) }
        return days
    }

    // MARK: - Rounds

    package func run() async throws {
        await withGracefulShutdownHandler {
            let all = Set(RetentionSubject.allCases)
            var due = all
            var nextRound = timer.now() + options.delay
            while !isStopping {
                await sleep(min(options.leaseTime, nextRound - timer.now()))
                guard !isStopping else { return }
                if timer.now() >= nextRound {
                    due = await round(of: due)
                    nextRound = timer.now() + (due.isEmpty ? options.interval : options.leaseTime)
                    if due.isEmpty { due = all }
                } else {
                    if !figures.values.missingPartitions.isEmpty { await makePartitions(.thorough) }
                    await continueErasures()
                }
            }
        } onGracefulShutdown: { [shutdown, signal] in
            shutdown.raise()
            signal.signal()
        }
    }
}

extension RetentionSubject {
    func days(_ days: RetentionDays, _ options: Retention.Options) -> Int {
        switch self {
        case .deliveries: days.deliveries
        case .events: days.events
        case .inboxRows, .inboxBroadcasts, .deviceReads, .userReads: days.inbox
        case .minutes, .campaignMinutes: days.minutes
        case .halfHours: options.halfHourDays
        case .webhookMessages, .webhookOutbox: options.webhookDays
        case .campaigns: days.campaigns
        case .userMessages: days.userMessages
        case .lists: days.lists
        case .deletedDevices:
            [days.deliveries, days.events, days.inbox, days.campaigns, days.userMessages, days.lists].max() ?? 0
        }
    }
}
