package import CarillonContentSets
package import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
package import Logging
import ServiceLifecycle
import StoreErrors

/// Notifies Users and audiences of new rows that they follow, with Campaigns.
///
/// New rows are noted with the version that has them. A node claims a version's run and goes through its rows; for each it
/// finds the follows that fit, and makes Campaigns of up to 10,000 recipients. How far it is, is committed with each
/// Campaign, so that a node that dies leaves nobody out and notifies nobody twice. Consent, quiet hours and frequency caps
/// are those of any Campaign.
package struct ContentAlerts: Service {
    /// The settings.
    package struct Options: Sendable {
        /// The pause when there is nothing to send.
        package var pause = Duration.seconds(5)
        /// How long a node's claim of a run lasts; it is longer than a slice of a run takes.
        package var leaseTime = Duration.seconds(120)
        /// The rows of a run that are sent before another run has its turn.
        package var rowsAtOnce = 20
        /// Maximum number of recipients of a Campaign.
        package var recipients = CampaignRecipient.maximumCount
        /// How many follows are looked at before the place is saved.
        package var followsAtOnce = 50_000
        /// There are no alerts about rows that are older.
        package var longestTime = Duration.seconds(86_400)

        package init() {}
    }

    let options: Options
    let store: any ContentFollowStore
    let sets: ContentSets
    let campaigns: Campaigns
    let clock: any WallClock
    let timer: any DispatchClock
    let figures: ContentImportMetrics
    let logger: Logger
    private let shutdown = ShutdownFlag()
    private let signal = AsyncSignal()

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - options: The settings.
    ///   - store: Has follows, and which alerts are still to be sent.
    ///   - sets: The content sets.
    ///   - campaigns: Makes Campaigns.
    ///   - clock: The wall clock.
    ///   - timer: The monotonic clock of pauses.
    ///   - figures: Counts Campaigns and failures.
    ///   - logger: Receives rows of which no Campaign could be made.
    package init(
        options: Options = Options(),
        store: any ContentFollowStore,
        sets: ContentSets,
        campaigns: Campaigns,
        clock: any WallClock,
        timer: any DispatchClock = SystemDispatchClock(),
        figures: ContentImportMetrics,
        logger: Logger
    ) {
        self.options = options
        self.store = store
        self.sets = sets
        self.campaigns = campaigns
        self.clock = clock
        self.timer = timer
        self.figures = figures
        self.logger = logger
    }

    package func run() async throws {
        await withGracefulShutdownHandler {
            while !isStopping {
                let count = signal.count
                let hasSent = await sendSome()
                guard !isStopping, !hasSent else { continue }
                await signal.wait(after: count, until: timer.now() + options.pause, by: timer)
            }
        } onGracefulShutdown: { [shutdown, signal] in
            shutdown.raise()
            signal.signal()
        }
    }

    /// Sends alerts about some rows of one run, and the bundles that are due.
    ///
    /// - Returns: Whether there was anything, and the store answered.
    package func sendSome() async -> Bool {
        do throws(StoreError) {
            let hasBundles = try await sendBundles()
            let now = clock.now()
            let claim = Int64.random(in: 1 ... .max)
            let end = now.advanced(by: options.leaseTime)
            guard let run = try await store.claimRun(as: claim, at: now, until: end) else { return hasBundles }
            let isOver = try await send(run)
            try await store.release(run, isOver: isOver, at: clock.now())
            return true
        } catch {
            logger.info(
                "The store failed; alerts about new rows go out later",
                metadata: ["carillon.error": "\(error)"]
            )
            return false
        }
    }

    var isStopping: Bool { shutdown.isRaised || Task.isCancelled }

    // MARK: - Private

    /// Sends alerts about some rows.
    ///
    /// - Returns: Whether all of the run are sent.
    private func send(_ run: ContentAlertRun) async throws(StoreError) -> Bool {
        guard let alert = try await store.alert(run.table, of: run.set, app: run.app), alert.settings.isActive else {
            return true
        }
        guard run.beganAt.advanced(by: options.longestTime) > clock.now() else {
            try await fail(alert, run.batch, "There was no time for alerts about rows that were new a day ago.")
            return true
        }
        let definition = try await contentSet(run.set, run.app)?.definition
        let zone = definition.flatMap { TimeZone(identifier: $0.timeZone) } ?? .gmt
        var position = run.position
        let deadline = timer.now() + options.leaseTime / 2
        for _ in 0..<options.rowsAtOnce {
            // The row at the position may be sent in part.
            guard let row = try await store.newRow(of: run, after: position.number - 1) else {
                await end(run.batch, of: alert)
                return true
            }
            if row.number != position.number { position = .init(number: row.number) }
            guard !isStopping, timer.now() < deadline,
                try await send(row.document, AlertTexts(table: row.table, zone: zone), run, alert, &position)
            else { return false }
        }
        return false
    }

    /// Notifies all followers of a row.
    ///
    /// - Returns: False when the node ends, or another one has the run.
    private func send(
        _ document: String,
        _ texts: AlertTexts,
        _ run: ContentAlertRun,
        _ alert: ContentAlert,
        _ position: inout ContentAlertRun.Position
    ) async throws(StoreError) -> Bool {
        let number = position.number
        let end = ContentAlertRun.Position(number: number + 1)
        guard let row = FollowedRow(document, of: texts.table) else {
            return try await advance(run, to: end, [], &position)
        }
        let keys = try await store.followedKeys(FollowKeys.keys(of: row), of: run)
        var merge = FollowerMerge(store, run, keys: keys, after: (position.userHash, position.follow))
        var step = AlertStep(position: position)
        let dueAt = alert.settings.bundleTime(after: clock.now(), in: texts.zone)
        while true {
            let group = try await merge.next()
            guard !group.isEmpty else { break }
            if let first = group.first, first.userHash < 0 {
                guard try await send(first, row, document, texts, run, alert, &position) else { return false }
                step = AlertStep(position: position)
                continue
            }
            step.add(group, row, number: number, dueAt: dueAt)
            guard step.users.count >= options.recipients || step.looked >= options.followsAtOnce else { continue }
            guard !isStopping, try await send(step, document, texts, run, alert, &position) else { return false }
            step = AlertStep(position: position)
        }
        step.position = end
        return try await send(step, document, texts, run, alert, &position)
    }

    /// Makes the Campaign of a step, or saves its place when it is for nobody.
    private func send(
        _ step: AlertStep,
        _ document: String,
        _ texts: AlertTexts,
        _ run: ContentAlertRun,
        _ alert: ContentAlert,
        _ position: inout ContentAlertRun.Position
    ) async throws(StoreError) -> Bool {
        guard !step.users.isEmpty else { return try await advance(run, to: step.position, step.bundled, &position) }
        var request = request(alert, alert.settings.template, "\(run.set) \(run.slot).\(position.number)")
        do throws(EngineError) {
            let places = try await campaigns.recipientPlaces(of: request, app: run.app)
            let values = texts.values(of: document, count: 1, for: places)
            let recipients = step.users.map { CampaignRecipient(user: $0, values: values) }
            (request.recipients, request.audience) = (recipients, .users(step.users))
            let next = engineStep(run, step.position, step.bundled)
            _ = try await campaigns.create(app: run.app, request, advancing: next)
            await succeed(alert, run.batch)
            position = step.position
            return true
        } catch {
            try await note(error, alert, run.batch)
            // A row that is refused for some is refused for others too.
            return try await advance(run, to: .init(number: position.number + 1), step.bundled, &position)
        }
    }

    /// Makes the Campaign of an audience.
    private func send(
        _ candidate: FollowCandidate,
        _ row: FollowedRow,
        _ document: String,
        _ texts: AlertTexts,
        _ run: ContentAlertRun,
        _ alert: ContentAlert,
        _ position: inout ContentAlertRun.Position
    ) async throws(StoreError) -> Bool {
        let next = ContentAlertRun.Position(number: position.number, userHash: -1, follow: candidate.id)
        guard candidate.follow.query.fits(row), let audience = candidate.follow.alertAudience else {
            return try await advance(run, to: next, [], &position)
        }
        var request = request(alert, alert.settings.template, "\(run.set) \(run.slot).\(position.number)")
        do throws(EngineError) {
            let places = try await campaigns.recipientPlaces(of: request, app: run.app)
            request.audience = audience
            request.recipientValues = texts.values(of: document, count: 1, for: places)
            _ = try await campaigns.create(app: run.app, request, advancing: engineStep(run, next, []))
            await succeed(alert, run.batch)
            position = next
            return true
        } catch {
            try await note(error, alert, run.batch)
            return try await advance(run, to: next, [], &position)
        }
    }

    private func advance(
        _ run: ContentAlertRun,
        to next: ContentAlertRun.Position,
        _ bundled: [BundledRow],
        _ position: inout ContentAlertRun.Position
    ) async throws(StoreError) -> Bool {
        guard try await store.advance(run, to: next, bundling: bundled) else { return false }
        position = next
        return true
    }

    private func engineStep(
        _ run: ContentAlertRun,
        _ position: ContentAlertRun.Position,
        _ bundled: [BundledRow]
    ) -> ContentAlertStep {
        ContentAlertStep(
            set: run.set,
            table: run.table,
            progress: .run(
                slot: run.slot,
                claim: run.claim,
                number: position.number,
                userHash: position.userHash,
                follow: position.follow
            ),
            bundled: bundled.map { .init(user: $0.user, row: $0.row, dueAt: $0.dueAt) }
        )
    }
}

extension ContentAlertRun {
    fileprivate var batch: ContentAlert.Batch { .rows(slot: slot) }
}

extension ContentFollow {
    /// The audience; `nil` for a User's follow.
    fileprivate var alertAudience: Audience? {
        audience.flatMap { try? JSONDecoder().decode(Audience.self, from: JSONEncoder().encode($0)) }
    }
}
