import CarillonModel
import Foundation

@testable import CarillonCommand

/// The content set that both servers have.
enum ContractContent {
    static let set = "events"
    static let definition = Data(
        #"""
        {"version":1,"title":"Events","timeZone":"Asia/Taipei","tables":[{"name":"events","key":"id","order":["startsAt"],"fields":[
        {"name":"id","type":"text"},{"name":"title","type":"text","isRequired":true,"isSearchable":true},
        {"name":"city","type":"text","isIndexed":true},{"name":"isFree","type":"boolean","isIndexed":true},
        {"name":"startsAt","type":"time"},{"name":"position","type":"position","columns":["latitude","longitude"]},
        {"name":"kinds","type":"list","isIndexed":true}]}]}
        """#.utf8
    )
}

/// A row of the content set; encoded as the test kit takes it and as answers have it.
struct ContractRow: Codable, Hashable, Sendable {
    struct Position: Codable, Hashable, Sendable {
        var latitude: Double
        var longitude: Double
    }

    var id: String
    var title: String
    var city: String?
    var isFree: Bool?
    var startsAt: Date?
    var position: Position?
    var kinds: [String]?

    init(_ id: String, _ title: String) {
        self.id = id
        self.title = title
    }

    /// As a file has it.
    var record: JSONValue {
        var members: [String: JSONValue] = ["id": .string(id), "title": .string(title)]
        if let city { members["city"] = .string(city) }
        if let isFree { members["isFree"] = .bool(isFree) }
        if let startsAt { members["startsAt"] = .string(Timestamp(startsAt).description) }
        if let position {
            members["latitude"] = .number(position.latitude)
            members["longitude"] = .number(position.longitude)
        }
        if let kinds { members["kinds"] = .array(kinds.map(JSONValue.string)) }
        return .object(members)
    }
}

extension LiveApp {
    /// Imports rows into the content set.
    func setContent(_ rows: [ContractRow]) async throws {
        let (path, app) = ("v1/content-sets/" + ContractContent.set, ["app": app.description])
        _ = try await running.api.call("PUT", path, app, body: ContractContent.definition)
        let file = try JSONEncoder().encode(rows.map(\.record))
        let query = app.merging(["format": "json"]) { $1 }
        _ = try await running.api.call(
            "POST",
            path + "/imports",
            query,
            body: file,
            contentType: "application/octet-stream"
        )
    }
}
