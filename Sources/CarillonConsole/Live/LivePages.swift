import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The streams of pages whose numbers move, beside that of a Campaign.
enum LivePages {
    static func declare(_ routes: inout ConsoleRoutes, _ report: @escaping @Sendable () async -> NodeReport) {
        let systems = SharedRead<Int, SystemPage.Model>()
        let overviews = SharedRead<OverviewKey, Overview.Model>()
        let rendered = SharedRendering<Timestamp, LiveFrame>()
        routes.page("/live/system", .everywhere(.viewer)) { visit in
            let (engine, look) = (visit.engine, visit.look)
            return try visit.live {
                let model = try await systems.value(0) { try await SystemPage.read(await report(), engine) }
                return try await rendered.value(StreamLook("system", look), of: model.readAt) {
                    try LiveFrame(SystemLive(model, look).event(look))
                }
            }
        }
        routes.page("/apps/{app}/live", .app(.viewer)) { visit in
            let (app, engine, look) = (try visit.app, visit.engine, visit.look)
            let key = OverviewKey(app: app.id, zone: visit.times.zoneName)
            return try visit.live {
                let model = try await overviews.value(key) {
                    try await Overview.read(app, zone: key.zone, engine)
                }
                return try await rendered.value(StreamLook("\(app.id)", look), of: model.readAt) {
                    try LiveFrame(OverviewLive.event(model, look))
                }
            }
        }
    }

    private struct OverviewKey: Hashable, Sendable {
        var app: AppID
        var zone: String
    }
}

/// The first page of an App as its stream sends it.
enum OverviewLive {
    /// The names of its tiles, in their order.
    static let tiles = ["accepted", "notAccepted", "received", "opened"]

    /// What changes when the page has other rows.
    static func state(_ model: Overview.Model) -> String {
        (model.underWay.map(\.campaign.id.description) + model.halted.map(\.id.description)).joined(separator: " ")
    }

    static func event(_ model: Overview.Model, _ look: Look) -> LiveEvent {
        let view = OverviewView(model, as: .viewer, look)
        var event = LiveEvent(state: state(model), numbers: [:], at: look.times.exact(model.readAt).text)
        for (name, tile) in zip(tiles, view.tiles) {
            event.numbers["tile-" + name] = tile.tileNumber
            event.shares["tile-" + name] = tile.tileShare ?? ""
        }
        for (campaign, row) in zip(model.underWay, view.underWay) {
            event.numbers["progress-\(campaign.campaign.id)"] = row.campaignProgress ?? ""
        }
        return event
    }
}

/// One reading for all streams of the same page: a store that many look at is read as if one did.
actor SharedRead<Key: Hashable & Sendable, Value: Sendable> {
    private struct Reading {
        var at: ContinuousClock.Instant
        var task: Task<Value, any Error>
    }

    private var readings: [Key: Reading] = [:]
    private let lifetime: Duration

    /// - Parameter lifetime: How long a reading is shown to others.
    init(lifetime: Duration = .milliseconds(1_500)) { self.lifetime = lifetime }

    /// Returns what was read a moment ago, or reads.
    func value(_ key: Key, _ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let now = ContinuousClock.now
        if let reading = readings[key], now - reading.at < lifetime { return try await reading.task.value }
        readings = readings.filter { now - $0.value.at < lifetime }
        let task = Task { try await read() }
        readings[key] = Reading(at: now, task: task)
        return try await task.value
    }
}
