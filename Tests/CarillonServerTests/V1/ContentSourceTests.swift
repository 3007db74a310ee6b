import CarillonContentSets
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// `/v1/content-sets/{set}/sources`.
struct ContentSourceTests {
    private static let definition = """
        {"version":1,"title":"Stops","tables":[
        {"name":"stops","key":"id","fields":[{"name":"id","type":"text"},{"name":"name","type":"text"}]},
        {"name":"routes","key":"id","fields":[{"name":"id","type":"text"},{"name":"name","type":"text"}]}]}
        """

    private func withSet(
        _ test: @Sendable (TestServer, _ key: String, _ path: String) async throws -> Void
    )
        async throws
    {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .admin)
            _ = try await server.send(.put, "/v1/content-sets/buses", Self.definition, key: key)
            try await test(server, key, "/v1/content-sets/buses/sources")
        }
    }

    @Test("A source is saved, shown without its secret, asked for and deleted") func wholeWay() async throws {
        try await withSet { server, key, path in
            #expect(try await server.send(.get, path + "/tdx", key: key).problem == "unknown-content-source")
            let body = #"{"format":"tdx","city":"Kaohsiung","clientID":"id","clientSecret":"s3cret","interval":3600}"#
            let saved = try await server.send(.put, path + "/tdx", body, key: key)
            #expect(saved.status == .ok)
            let source: JSONValue = try saved.decoded()
            #expect(source["status"] == .string("waiting"))
            #expect(source["hasClientSecret"] == .bool(true))
            #expect(source["clientSecret"] == nil)
            let list: JSONValue = try await server.send(.get, path, key: key).decoded()
            #expect(list["items"]?.array?.compactMap { $0["name"]?.string } == ["tdx"])
            let text = String(buffer: try await server.send(.get, path, key: key).body)
            #expect(!text.contains("s3cret"))
            let soon = try await server.send(.post, path + "/tdx/fetch", key: key)
            #expect(soon.status == .ok)
            #expect(try await server.send(.delete, path + "/tdx", key: key).status == .noContent)
            #expect(try await server.send(.post, path + "/tdx/fetch", key: key).problem == "unknown-content-source")
        }
    }

    @Test(
        "A source that does not fit is refused with its field",
        arguments: [
            (#"{"format":"csv"}"#, "url"),
            (#"{"format":"csv","url":"http://example.com/x","table":"stops"}"#, "url"),
            (#"{"format":"csv","url":"https://127.0.0.1/x","table":"stops"}"#, "url"),
            (#"{"format":"csv","url":"https://example.com/x"}"#, "table"),
            (#"{"format":"csv","url":"https://example.com/x","table":"none"}"#, "table"),
            (#"{"format":"gtfs","url":"https://example.com/x","table":"stops"}"#, "table"),
            (#"{"format":"culture","url":"https://example.com/x"}"#, "format"),
            (#"{"format":"csv","url":"https://example.com/x","table":"stops","interval":299}"#, "interval"),
            (#"{"format":"gtfs-realtime","url":"https://example.com/x","interval":14}"#, "interval"),
            (#"{"format":"tdx","clientID":"x","clientSecret":"y"}"#, "city"),
            (#"{"format":"tdx","city":"../x"}"#, "city"),
            (#"{"format":"tdx","city":"Kaohsiung","clientID":"x"}"#, "clientSecret"),
            (#"{"format":"csv","url":"https://example.com/x","table":"stops","city":"x"}"#, "city"),
        ]
    )
    func refused(_ body: String, _ field: String) async throws {
        try await withSet { server, key, path in
            let answer = try await server.send(.put, path + "/x", body, key: key)
            #expect(answer.status == .unprocessableContent)
            let problem: Problem = try answer.decoded()
            #expect(problem.errors?.map(\.field).contains(field) == true)
        }
    }

    @Test("A table is filled by one source, and one tells of vehicles") func oneATable() async throws {
        try await withSet { server, key, path in
            let stops = #"{"format":"csv","url":"https://example.com/x","table":"stops"}"#
            let first = try await server.send(.put, path + "/a", stops, key: key)
            #expect(first.status == .ok)
            #expect(try await server.send(.put, path + "/a", stops, key: key).status == .ok)
            #expect(try await server.send(.put, path + "/b", stops, key: key).problem == "invalid-field")
            let gtfs = #"{"format":"gtfs","url":"https://example.com/x"}"#
            #expect(try await server.send(.put, path + "/b", gtfs, key: key).problem == "invalid-field")
            let live = #"{"format":"gtfs-realtime","url":"https://example.com/x"}"#
            #expect(try await server.send(.put, path + "/c", live, key: key).status == .ok)
            #expect(try await server.send(.put, path + "/d", live, key: key).problem == "invalid-field")
        }
    }

    @Test("A key that reads changes no source, and another App's key finds none") func access() async throws {
        try await withSet { server, key, path in
            let stops = #"{"format":"csv","url":"https://example.com/x","table":"stops"}"#
            _ = try await server.send(.put, path + "/a", stops, key: key)
            let other = try await server.makeKey(try await server.makeApp().app.id, .admin)
            #expect(try await server.send(.get, path, key: other).problem == "unknown-content-set")
            #expect(try await server.send(.get, path + "/a", key: other).problem == "unknown-content-source")
            #expect(try await server.send(.get, path + "/../arrivals?route=1", key: other).status != .ok)
        }
    }
}
