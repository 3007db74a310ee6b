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
        {"name":"city","type":"text","isIndexed":true},{"name":"at","type":"position"},{"name":"opens","type":"time"},
        {"name":"closes","type":"time"}]}]}
        """
    private static let file = """
        id,name,city,latitude,longitude,opens,closes
        1,音樂館,高雄市,22.6264,120.3173,2026-11-26 19:30,2026-11-28 19:30
        2,Far,台北市,25,121.5,,

        """

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
            let later = "/rows?time=opens&from=2026-11-27T00:00:00Z"
            #expect(try await server.send(.get, path + later, key: key).decoded(Page.self).ids == [])
            let running: Page = try await server.send(.get, path + later + "&ending=closes", key: key).decoded()
            #expect(running.ids == ["1"])
            #expect(try await server.send(.get, path + later + "&ending=name", key: key).field == "ending")
            #expect(try await server.send(.get, path + "/rows?ending=closes", key: key).field == "time")
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
            let several = """
                {"version":1,"title":"T","timeZone":"Mars","tables":[{"name":"a","key":"place","order":["place"],"fields":[
                {"name":"id","type":"text"},{"name":"9","type":"text"},{"name":"b","type":"word"},
                {"name":"place","type":"position","isIndexed":true}]},
                {"name":"b","key":"none","fields":[{"name":"id","type":"number","isSearchable":true}]}]}
                """
            let all: Problem = try await server.send(.put, path, several, key: key).decoded()
            #expect(
                Set((all.errors ?? []).map(\.field)) == [
                    "timeZone", "tables.0.fields.1.name", "tables.0.fields.2.type", "tables.0.fields.3.isIndexed",
                    "tables.0.order", "tables.0.key", "tables.1.fields.0.isSearchable", "tables.1.key",
                ]
            )
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

    @Test("M-51 A value that a field of its type cannot have is refused, with the type")
    func valuesOfTypes() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .admin)
            let path = "/v1/content-sets/shows"
            let definition = """
                {"version":1,"title":"S","tables":[{"name":"shows","key":"number","fields":[{"name":"number","type":"integer"},
                {"name":"free","type":"boolean","isIndexed":true},{"name":"hall","type":"text","isIndexed":true}]}]}
                """
            #expect(try await server.send(.put, path, definition, key: key).status == .ok)
            let file = "number,free,hall\n7,yes,3\n8,no,4\n"
            #expect(try await server.send(.post, path + "/imports?format=csv", file, key: key).status == .ok)
            for condition in [#"{"free":"yes"}"#, #"{"free":1}"#, #"{"number":"x"}"#, #"{"number":"07"}"#] {
                let answer = try await server.send(.get, path + "/rows?where=" + encoded(condition), key: key)
                #expect(answer.field == "where", "\(condition)")
                let problem: Problem = try answer.decoded()
                #expect(problem.errors?.first?.problem.contains("which is of the type") == true)
            }
            for condition in [
                #"{"free":true}"#, #"{"free":"true"}"#, #"{"number":7}"#, #"{"number":"7"}"#, #"{"hall":3}"#,
            ] {
                let page: JSONValue = try await server.send(
                    .get,
                    path + "/rows?where=" + encoded(condition),
                    key: key
                ).decoded()
                #expect(page["items"]?.array?.map { $0["row"]?["number"]?.integer } == [7], "\(condition)")
            }
        }
    }

    @Test("A refused file names the table, the format or the form that is wrong") func namedErrors() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .admin)
            let path = "/v1/content-sets/two"
            let definition = """
                {"version":1,"title":"T","tables":[{"name":"a","key":"id","fields":[{"name":"id","type":"text"}]},
                {"name":"b","key":"id","fields":[{"name":"id","type":"text"}]}]}
                """
            _ = try await server.send(.put, path, definition, key: key)
            let imports = path + "/imports?format="
            #expect(try await server.send(.post, imports + "csv", "id\n1\n", key: key).field == "table")
            #expect(try await server.send(.post, imports + "csv&table=c", "id\n1\n", key: key).field == "table")
            #expect(try await server.send(.post, imports + "gtfs", "PK", key: key).field == "format")
            #expect(try await server.send(.post, imports + "csv&table=a", "x\n1\n", key: key).field == "file")
            let form = try await server.send(
                .post,
                imports + "csv&table=a",
                "--x\r\n\r\nid\n1\n--x--",
                key: key,
                headers: ["Content-Type": "multipart/form-data; boundary=x"]
            )
            #expect(form.field == "file")
            let runs: JSONValue = try await server.send(.get, path + "/imports", key: key).decoded()
            #expect(runs["items"]?.array?.count == 1)
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
