package import CarillonModel
package import CarillonOperatorModel
package import Logging
import ServiceLifecycle

/// Deletes what is old enough, once a day, on one node.
///
/// Where the store has partitions, whole ones are dropped first. Single rows are deleted in steps of a few milliseconds
/// with pauses between them, so that requests are not delayed. Failures are counted and repeated by a later round, and
/// the rest continues. The first round is a minute after the start.
package struct Retention: Service {
    /// The settings.
    package struct Options: Sendable {
        /// The delay after the start.
        package var delay = Duration.seconds(60)
        /// The time between two rounds.
        package var interval = Duration.seconds(86_400)
        /// The number of rows that a step reads.
        package var stepSize = 1_000
        /// The pause between two steps.
        package var pause = Duration.milliseconds(20)
        /// How long a node's claim lasts without a renewal.
        package var leaseTime = Duration.seconds(300)
        /// How many days half-hour counts are stored.
        package var halfHourDays = 400
        /// How many days undeliverable messages to webhooks are stored, and messages that wait for disabled ones.
        package var webhookDays = 14
        /// How many days ahead partitions are created.
        package var daysAhead = 21
        /// After this many failures in a row a later round continues with the subject.
        package var failureLimit = 5

        package init() {}
    }

    static let leaseName = "retention"

    let options: Options
    let store: any RetentionStore
    let apps: any AppStore
    let users: Users
    let accounts: Accounts?
    let operators: Operators?
    let pushKeys: PushKeys?
    let clock: any WallClock
    let timer: any DispatchClock
    let logger: Logger
    let owner: Int64
    let shutdown = ShutdownFlag()
    let signal = AsyncSignal()
    /// Counts of steps and failures.
    package let figures = RetentionMetrics()

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - options: The settings.
    ///   - store: The store to delete from.
    ///   - apps: The Apps.
    ///   - users: Stores invalid tokens and pending erasures.
    ///   - accounts: Accounts, whose expired tokens and unused guests are deleted; `nil` for none.
    ///   - operators: Operators, whose expired sessions and links are deleted; `nil` for none.
    ///   - pushKeys: Push keys, which are checked; `nil` for none.
    ///   - clock: The wall clock.
    ///   - timer: The monotonic clock of pauses.
    ///   - logger: Receives what was deleted.
    ///   - owner: A number that identifies this node.
    package init(
        options: Options = Options(),
        store: any RetentionStore,
        apps: any AppStore,
        users: Users,
        accounts: Accounts? = nil,
        operators: Operators? = nil,
        pushKeys: PushKeys? = nil,
        clock: any WallClock,
        timer: any DispatchClock = SystemDispatchClock(),
        logger: Logger,
        owner: Int64 = .random(in: 1 ... .max)
    ) {
        self.options = options
        self.store = store
        self.apps = apps
        self.users = users
        self.accounts = accounts
        self.operators = operators
        self.pushKeys = pushKeys
        self.clock = clock
        self.timer = timer
        self.logger = logger
        self.owner = owner
    }

    // MARK: - Settings

    /// Returns an App's retention.
    package func days(of app: AppID) async throws(EngineError) -> RetentionDays {
        let days = try await stored(try await store.days(of: app))
        guard let days else { throw .notFound(.app) }
        return days
    }

    /// Sets an App's retention.
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
        // Behind all rows that refer to them; a partition of deliveries is dropped up to a week late.
        case .occurrences: max(days.deliveries, days.events, days.inbox, days.minutes) + 7
        case .userMessages: days.userMessages
        case .lists: days.lists
        case .deletedDevices:
            [days.deliveries, days.events, days.inbox, days.campaigns, days.userMessages, days.lists].max() ?? 0
        }
    }
}
