import Carillon
import Foundation

/// What an operator does once for the app at a Carillon server.
struct CarillonSetup: Sendable {
    /// The App at the server.
    struct App: Sendable {
        /// The App's id.
        var id: String
        /// The App's public key.
        var key: String
    }

    /// The push key of a simulated APNs, as a team downloads it.
    struct PushKey: Sendable {
        var keyID: String
        var teamID: String
        var privateKey: String
    }

    let api: OperatorClient
    /// The App's bundle id.
    let bundleID: String
    /// Where the sample data are published.
    let openData: URL

    /// Creates the App with its push key, accounts, content sets, sources and alert.
    ///
    /// - Parameter pushKey: The push key.
    /// - Returns: The App; the sources are not fetched yet.
    /// - Throws: ``OperatorClient/Refusal``, or what the network said.
    func run(_ pushKey: PushKey) async throws -> App {
        let created = try await api.call(
            "POST",
            "/v1/apps",
            .object(["name": .string("瘋藝文"), "bundleID": .string(bundleID)])
        )
        guard let id = created["app"]?["id"]?.string, let key = created["appKey"]?.string else {
            throw OperatorClient.Refusal(description: "The server created no App.")
        }
        let push: [String: JSONValue] = [
            "keyID": .string(pushKey.keyID), "teamID": .string(pushKey.teamID),
            "privateKey": .string(pushKey.privateKey),
        ]
        try await api.call("PUT", "/v1/apps/\(id)/push-key", .object(push))
        try await api.call("PUT", "/v1/apps/\(id)/accounts", .object(["isOn": .bool(true)]))
        for name in ["events", "buses"] {
            try await api.call("PUT", "/v1/content-sets/\(name)?app=\(id)", try Resources.json(name))
        }
        for source in SampleSource.all {
            try await api.call("PUT", source.path(id), source.request(from: openData))
        }
        let template = try await api.call(
            "POST",
            "/v1/templates?app=\(id)",
            .object(["name": .string("new event"), "message": try Resources.json("message")])
        )
        let alert: [String: JSONValue] = ["template": template["id"] ?? .null]
        try await api.call("PUT", "/v1/content-sets/events/alerts/events?app=\(id)", .object(alert))
        return App(id: id, key: key)
    }

    /// Waits until every source was fetched.
    ///
    /// - Parameters:
    ///   - app: The App's id.
    ///   - seconds: The longest wait.
    /// - Throws: ``OperatorClient/Refusal`` when a source fails, or it takes too long.
    func waitForSources(of app: String, within seconds: Double = 180) async throws {
        let end = Date().addingTimeInterval(seconds)
        for source in SampleSource.all {
            while true {
                let answer = try await api.call("GET", source.path(app))
                if answer["status"]?.string == "ok" { break }
                if let problem = answer["problem"]?.string {
                    throw OperatorClient.Refusal(description: "The source \(source.name) fails: \(problem)")
                }
                guard Date() < end else {
                    throw OperatorClient.Refusal(description: "The source \(source.name) was not fetched in time.")
                }
                try await Task.sleep(nanoseconds: 100_000_000)
            }
        }
    }

    /// Has the server fetch the events soon, whatever their interval is.
    ///
    /// - Parameter app: The App's id.
    /// - Throws: ``OperatorClient/Refusal``, or what the network said.
    func importEvents(of app: String) async throws {
        try await api.call("POST", SampleSource.events.path(app, "/fetch"))
    }
}

/// What the server fetches by itself.
struct SampleSource: Sendable {
    var set: String
    var name: String
    var format: String
    var file: String
    /// Seconds.
    var interval: Int64

    static let events = SampleSource(
        set: "events",
        name: "ministry",
        format: "culture",
        file: "events.json",
        interval: 300
    )
    static let all = [
        events,
        SampleSource(set: "buses", name: "timetable", format: "gtfs", file: "buses.zip", interval: 86_400),
        SampleSource(set: "buses", name: "live", format: "gtfs-realtime", file: "realtime.pb", interval: 15),
    ]

    func path(_ app: String, _ end: String = "") -> String {
        "/v1/content-sets/\(set)/sources/\(name)\(end)?app=\(app)"
    }

    func request(from openData: URL) -> JSONValue {
        let url = openData.appendingPathComponent(file).absoluteString
        return .object(["format": .string(format), "url": .string(url), "interval": .integer(interval)])
    }
}

/// The files of this target's bundle.
enum Resources {
    /// The folder as it was copied: `resourceURL` of a bundle that has a folder of this name is that folder on some systems.
    private static var folder: URL { Bundle.module.bundleURL.appendingPathComponent("Resources") }

    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(name))
    }

    static func json(_ name: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: try data(name + ".json"))
    }

    /// The folder of the pages' templates.
    static var templates: String { folder.appendingPathComponent("templates").path }
}
