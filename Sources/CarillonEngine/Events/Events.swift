package import CarillonModel
import CarillonOperatorModel

/// Events that phones report.
package struct Events: Sendable {
    let store: any EventStore
    let apps: Apps
    let clock: any WallClock
    private let retention: (any RetentionStore)?
    private let oldest: CachedLookup<AppID, Int>

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores events.
    ///   - apps: The receipt keys.
    ///   - clock: Bounds the times that phones report.
    ///   - retention: How long events are stored: a later repetition would be counted twice. `nil` stores them for
    ///     ever.
    package init(store: any EventStore, apps: Apps, clock: any WallClock, retention: (any RetentionStore)? = nil) {
        self.store = store
        self.apps = apps
        self.clock = clock
        self.retention = retention
        oldest = CachedLookup(capacity: 10_000, lifetime: .seconds(60))
    }

    /// Counts the events that have valid receipts and were not counted before.
    ///
    /// The others of the batch are reported separately; nothing is counted when it throws.
    ///
    /// The phone's time is clamped between the Occurrence's and now, since some phones' clocks are wrong.
    ///
    /// - Parameters:
    ///   - app: The App of the phone's App key.
    ///   - events: At most ``EventBatch/maximumCount``; more are rejected one by one.
    /// - Returns: How many were counted now, how many before, and which were rejected.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/store(_:)``.
    package func record(app: AppID, _ events: [Event]) async throws(EngineError) -> EventBatchAnswer {
        let now = clock.now()
        let keys = try await apps.receiptKeys(for: app, at: now)
        let days = try await days(of: app)
        var rows: [EventRow] = []
        rows.reserveCapacity(events.count)
        var rejected: [EventBatchAnswer.Rejection] = []
        for (index, event) in events.enumerated() {
            switch Self.validate(event, at: index, keys: keys, now: now, days: days) {
            case .success(let row): rows.append(row)
            case .failure(let problem): rejected.append(.init(index: index, problem: problem.text))
            }
        }
        let accepted = rows
        guard !accepted.isEmpty else { return EventBatchAnswer(counted: 0, repeated: 0, rejected: rejected) }
        let counted = try await stored(try await store.record(app: app, accepted, at: now))
        return EventBatchAnswer(counted: counted, repeated: accepted.count - counted, rejected: rejected)
    }

    // MARK: - Private

    /// For how many days events are stored; `nil` for ever.
    private func days(of app: AppID) async throws(EngineError) -> Int? {
        guard let retention else { return nil }
        return try await stored(
            try await oldest.value(of: app) { () async throws(StoreError) in try await retention.days(of: app)?.events }
        )
    }

    private struct Problem: Error {
        var text: String
    }

    private static func validate(
        _ event: Event,
        at index: Int,
        keys: [ReceiptKey],
        now: Timestamp,
        days: Int?
    ) -> Result<EventRow, Problem> {
        guard index < EventBatch.maximumCount else {
            return .failure(Problem(text: "a batch has at most \(EventBatch.maximumCount) events"))
        }
        let isAction = event.isAction
        if isAction, !isText(event.action, 64) {
            return .failure(Problem(text: "action must have 1 through 64 characters"))
        }
        if isAction, event.reply != nil, !isText(event.reply, 1_000) {
            return .failure(Problem(text: "reply must have 1 through 1000 characters"))
        }
        guard let place = place(of: event) else {
            return .failure(Problem(text: "latitude and longitude must be -90 through 90 and -180 through 180"))
        }
        guard let device = keys.lazy.compactMap({ $0.device(of: event.receipt, occurrence: event.occurrence) }).first
        else {
            return .failure(Problem(text: "receipt does not prove this push"))
        }
        let sent = Timestamp(rawValue: event.occurrence.milliseconds)
        if let days, sent.advanced(by: .seconds(86_400 * days)) <= now {
            return .failure(Problem(text: "the push is older than \(days) days"))
        }
        return .success(
            EventRow(
                occurrence: event.occurrence,
                device: device,
                kind: isAction ? .action : event.kind,
                action: isAction ? event.action ?? "" : "",
                reply: isAction ? event.reply : nil,
                at: max(sent, min(event.at, now)),
                place: place
            )
        )
    }

    /// The position; the inner value is `nil` without one, the outer value when it is invalid.
    ///
    /// Apps of CORE PUSH send 0, 0 when they have no position.
    private static func place(of event: Event) -> EventPlace?? {
        switch (event.latitude, event.longitude) {
        case (nil, nil), (0?, 0?): .some(nil)
        case (let latitude?, let longitude?): EventPlace(latitude: latitude, longitude: longitude).map(Optional.some)
        case (nil, _?), (_?, nil): .none
        }
    }

    /// A character may consist of many scalars, so bytes are bounded too.
    private static func isText(_ text: String?, _ limit: Int) -> Bool {
        guard let text, text.utf8.count <= 4 * limit else { return false }
        return (1...limit).contains(text.count)
    }
}

extension Event {
    /// CORE PUSH's key of a launch.
    private static let launchKey = "001"

    /// Whether a launch has another key than the launch key, which makes it an action.
    fileprivate var isAction: Bool {
        switch kind {
        case .action: true
        case .launched: action != nil && action != Self.launchKey
        case .received, .opened, .dismissed: false
        }
    }
}
