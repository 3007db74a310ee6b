import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// `/v1/content-sets`.
struct ContentSetTests {
    private static let definition = """
        {"version":1,"title":"Stops","timeZone":"Asia/Taipei","tables":[{"name":"stops","key":"id","order":["name"],"fields":[
        {"name":"id","type":"text"},{"name":"name","type":"text","isSearchable":true},
        {"name":"city","type":"text","isIndexed":true},{"name":"at","type":"position"},{"name":"opens","type":"time"}]}]}
        """
    private static let file =
        "id,name,city,latitude,longitude,opens\\n1,音樂館,高雄市,22.6264,120.3173,2026-11-26 19:30\\n2,Far,台北市,25,121.5,\\n"
        .replacing("\\n", with: "\n")

    private struct Page: Decodable {
        struct Item: Decodable {
            var row: JSONValue
            var distance: Double?
        }

        var items: [Item]
        var nextCursor: String?

        var ids: [String?] { items.map { $0.row["id"]?.string } }
    }

    private func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    @Test("A set is defined, filled from a file and searched") func wholeWay() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .admin)
            let path = "/v1/content-sets/stops"

            #expect(try await server.send(.get, path, key: key).problem == "unknown-content-set")
            let put = try await server.send(.put, path, Self.definition, key: key)
            #expect(put.status == .ok)
            let imported = try await server.send(.post, path + "/imports?format=csv", Self.file, key: key)
            #expect(imported.status == .ok)
            let run: JSONValue = try imported.decoded()
            #expect(run["read"]?.integer == 2)
            #expect(run["tables"]?.array?.first?["imported"]?.integer == 2)

            let all: Page = try await server.send(.get, path + "/rows", key: key).decoded()
            #expect(all.ids == ["2", "1"])
            #expect(all.items[1].row["opens"] == .string("2026-11-26T11:30:00.000Z"))
            let city = encoded(#"{"city":"高雄市"}"#)
            let here: Page = try await server.send(.get, path + "/rows?where=\(city)", key: key).decoded()
            #expect(here.ids == ["1"])
            let near: Page = try await server.send(.get, path + "/rows?near=22.6264,120.3173", key: key).decoded()
            #expect(near.ids == ["1"])
            #expect(near.items[0].distance == 0)
            let words: Page = try await server.send(.get, path + "/rows?words=" + encoded("音樂"), key: key).decoded()
            #expect(words.ids == ["1"])
            let range = "/rows?time=opens&from=2026-11-26T00:00:00Z&until=2026-11-27T00:00:00Z"
            let timed: Page = try await server.send(.get, path + range, key: key).decoded()
            #expect(timed.ids == ["1"])
            let first: Page = try await server.send(.get, path + "/rows?limit=1", key: key).decoded()
            let cursor = try #require(first.nextCursor)
            let second: Page = try await server.send(.get, path + "/rows?limit=1&cursor=\(cursor)", key: key).decoded()
            #expect((first.ids + second.ids) == ["2", "1"])
            #expect(second.nextCursor == nil)

            #expect(try await server.send(.delete, path, key: key).status == .noContent)
            #expect(try await server.send(.get, path + "/rows", key: key).problem == "unknown-content-set")
        }
    }

    @Test("M-78 A file of another format is refused, and the rows stay") func refusedFile() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .admin)
            let path = "/v1/content-sets/stops"
            _ = try await server.send(.put, path, Self.definition, key: key)
            _ = try await server.send(.post, path + "/imports?format=csv", Self.file, key: key)

            let refused = try await server.send(.post, path + "/imports?format=gtfs", "PK", key: key)
            #expect(refused.status == .unprocessableContent)
            #expect(
                try await server.send(.post, path + "/imports?format=xls", "x", key: key).problem == "invalid-field"
            )
            let all: Page = try await server.send(.get, path + "/rows", key: key).decoded()
            #expect(all.ids.count == 2)
            let runs: JSONValue = try await server.send(.get, path + "/imports", key: key).decoded()
            #expect(runs["items"]?.array?.compactMap { $0["state"]?.string } == ["failed", "completed"])
        }
    }

    @Test("M-51 M-59 All errors of a definition and of a query are told at once") func errors() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .admin)
            let path = "/v1/content-sets/stops"
            let broken =
                #"{"version":2,"title":"","tables":[{"name":"1","key":"id","fields":[{"name":"id","type":"word"}]}]}"#
            let refused = try await server.send(.put, path, broken, key: key)
            let fields: Problem = try refused.decoded()
            let names = Set((fields.errors ?? []).map(\.field))
            #expect(names.isSuperset(of: ["version", "title", "tables.0.name"]))
            #expect(
                try await server.send(.put, "/v1/content-sets/1x", Self.definition, key: key).problem == "invalid-field"
            )

            _ = try await server.send(.put, path, Self.definition, key: key)
            let query = path + "/rows?near=x&from=y&where=z&radius=r"
            let wrong: Problem = try await server.send(.get, query, key: key).decoded()
            #expect(wrong.errors?.map(\.field) == ["radius", "near", "from", "time", "where"])
            let unfit: Problem = try await server.send(
                .get,
                path + "/rows?time=name&words=!&where=" + encoded(#"{"name":"x"}"#),
                key: key
            ).decoded()
            #expect(unfit.errors?.map(\.field) == ["where", "time", "words"])
        }
    }

    @Test("A key of another App finds nothing, and one that only reads changes nothing") func access() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let admin = try await server.makeKey(app, .admin)
            let path = "/v1/content-sets/stops"
            _ = try await server.send(.put, path, Self.definition, key: admin)
            let stranger = try await server.makeKey(try await server.makeApp().app.id, .admin)
            #expect(try await server.send(.get, path, key: stranger).problem == "unknown-content-set")
            let reader = try await server.makeKey(app, .read)
            #expect(try await server.send(.get, path, key: reader).status == .ok)
            #expect(try await server.send(.delete, path, key: reader).problem == "missing-scope")
            #expect(
                try await server.send(.post, path + "/imports?format=csv", "x", key: reader).problem == "missing-scope"
            )
        }
    }
}
