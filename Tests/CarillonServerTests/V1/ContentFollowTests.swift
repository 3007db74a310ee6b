import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// `/v1/content-sets/{set}/follows`, `/alerts` and `/arrivals`.
struct ContentFollowTests {
    private static let definition = """
        {"version":1,"title":"Buses","timeZone":"Asia/Taipei","tables":[
        {"name":"routes","key":"id","fields":[{"name":"id","type":"text"},{"name":"name","type":"text","isSearchable":true},
        {"name":"city","type":"text","isIndexed":true},{"name":"timetable","type":"json"},{"name":"at","type":"position"}]},
        {"name":"stops","key":"id","fields":[{"name":"id","type":"text"},{"name":"name","type":"text"}]}]}
        """
    /// One bus at 08:00 and 08:01 in Taipei, each day.
    private static let routes = """
        [{"id":"r","name":"R","timetable":{"zone":"Asia/Taipei","services":[{"weekdays":[true,true,true,true,true,true,true],
        "first":20000,"last":30000,"added":[],"removed":[]}],"patterns":[{"direction":0,"stops":["a","b"],"sequences":[],
        "profiles":[[0,60]],"trips":[{"id":"t","service":0,"profile":0,"start":28800}]}]}},
        {"id":"huge","name":"H","timetable":{"zone":"UTC","services":[{"weekdays":[],"first":0,"last":0,"added":[],
        "removed":[]}],"patterns":[{"direction":0,"stops":["a"],"sequences":[],"profiles":[[9223372036854775807]],
        "trips":[{"id":"t","service":0,"profile":0,"start":9223372036854775807}]}]}},{"id":"none","name":"N"}]
        """

    private func withSet(
        _ test: @Sendable (TestServer, _ key: String, _ path: String) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            let key = try await server.makeKey(try await server.makeApp(identity: .signed).app.id, .admin, .send, .read)
            let path = "/v1/content-sets/buses"
            _ = try await server.send(.put, path, Self.definition, key: key)
            try await test(server, key, path)
        }
    }

    @Test("A follow is saved, shown, listed by its User and deleted") func follows() async throws {
        try await withSet { server, key, path in
            #expect(try await server.send(.get, path + "/follows/ann", key: key).problem == "unknown-content-follow")
            let body = """
                {"user":"ann","table":"routes","where":{"city":["x","y"]},"near":{"latitude":22.6,"longitude":120.3},
                "radius":500,"words":"night bus","isBundled":true}
                """
            #expect(try await server.send(.put, path + "/follows/ann", body, key: key).status == .ok)
            _ = try await server.send(.put, path + "/follows/bob", #"{"user":"bob","table":"stops"}"#, key: key)
            let all = #"{"audience":{"all":true},"table":"routes"}"#
            #expect(try await server.send(.put, path + "/follows/all", all, key: key).status == .ok)
            let shown: JSONValue = try await server.send(.get, path + "/follows/ann", key: key).decoded()
            #expect(shown["user"] == .string("ann") && shown["isBundled"] == .bool(true))
            #expect(shown["where"]?["city"] == .array([.string("x"), .string("y")]))
            #expect(shown["near"]?["latitude"]?.number == 22.6 && shown["radius"]?.number == 500)

            let list: JSONValue = try await server.send(.get, path + "/follows?user=bob", key: key).decoded()
            #expect(list["items"]?.array?.compactMap { $0["name"]?.string } == ["bob"])
            let first: JSONValue = try await server.send(.get, path + "/follows?limit=2", key: key).decoded()
            #expect(first["items"]?.array?.compactMap { $0["name"]?.string } == ["all", "ann"])
            let cursor = try #require(first["nextCursor"]?.string)
            let rest: JSONValue = try await server.send(.get, path + "/follows?cursor=\(cursor)", key: key).decoded()
            #expect(rest["items"]?.array?.compactMap { $0["name"]?.string } == ["bob"])
            #expect(try await server.send(.delete, path + "/follows/bob", key: key).status == .noContent)
            #expect(try await server.send(.delete, path + "/follows/bob", key: key).problem == "unknown-content-follow")
        }
    }

    @Test(
        "A follow that does not fit is refused with its field",
        arguments: [
            (#"{"table":"routes"}"#, "user"), (#"{"user":"a","audience":{"all":true},"table":"routes"}"#, "user"),
            (#"{"user":"a"}"#, "table"), (#"{"user":"a","table":"none"}"#, "table"),
            (#"{"user":"a","table":"routes","radius":5}"#, "near"),
            (#"{"user":"a","table":"routes","near":{"latitude":91,"longitude":0}}"#, "near.latitude"),
            (#"{"user":"a","table":"routes","near":{"latitude":0,"longitude":0},"radius":1e9}"#, "radius"),
            (#"{"user":"a","table":"routes","where":{"name":"x"}}"#, "where"),
            (#"{"user":"a","table":"routes","where":{"city":1.5}}"#, "where"),
            (#"{"user":"a","table":"routes","where":{"city":"x\u0000"}}"#, "where"),
            (#"{"user":"a","table":"stops","words":"x"}"#, "words"),
            (#"{"audience":{"all":true},"table":"routes","isBundled":true}"#, "isBundled"),
        ]
    )
    func refusedFollows(_ body: String, _ field: String) async throws {
        try await withSet { server, key, path in
            let answer = try await server.send(.put, path + "/follows/x", body, key: key)
            #expect(answer.status == .unprocessableContent)
            let problem: Problem = try answer.decoded()
            #expect(problem.errors?.map(\.field).contains(field) == true, "\(problem.errors ?? [])")
        }
    }

    @Test("A User has a bounded number of follows, and the answer says which") func tooMany() async throws {
        try await withSet { server, key, path in
            for number in 1...100 {
                _ = try await server.send(
                    .put,
                    path + "/follows/f\(number)",
                    #"{"user":"ann","table":"stops"}"#,
                    key: key
                )
            }
            let more = try await server.send(.put, path + "/follows/more", #"{"user":"ann","table":"stops"}"#, key: key)
            #expect(more.problem == "conflict")
            let problem: Problem = try more.decoded()
            #expect(problem.detail?.contains("100 follows of a User in a content set") == true)
        }
    }

    @Test("An alert is set, shown and deleted, and needs a template of the App") func alerts() async throws {
        try await withSet { server, key, path in
            #expect(try await server.send(.get, path + "/alerts/routes", key: key).problem == "unknown-content-alert")
            #expect(try await server.send(.get, path + "/alerts/none", key: key).problem == "unknown-content-set")
            let template = #"{"name":"new","message":{"content":{"default":{"body":"{{recipient.name}}"}}}}"#
            let made: JSONValue = try await server.send(.post, "/v1/templates", template, key: key).decoded()
            let id = try #require(made["id"]?.string)
            let saved = try await server.send(
                .put,
                path + "/alerts/routes",
                #"{"template":"\#(id)","bundleAt":"08:30"}"#,
                key: key
            )
            #expect(saved.status == .ok)
            let shown: JSONValue = try await server.send(.get, path + "/alerts/routes", key: key).decoded()
            #expect(shown["bundleAt"] == .string("08:30") && shown["isActive"] == .bool(true))
            let unknown = #"{"template":"tpl_000000000001"}"#
            #expect(try await server.send(.put, path + "/alerts/routes", unknown, key: key).field == "template")
            let time = #"{"template":"\#(id)","bundleAt":"+8:30"}"#
            #expect(try await server.send(.put, path + "/alerts/routes", time, key: key).field == "bundleAt")
            // A template with a place that no row fills; one with a default is fine.
            for (place, status) in [
                ("rating", 422), ("at", 422), (#"rating | default: \"-\""#, 200), ("count", 200),
            ] {
                let text = #"{"name":"\#(place)","message":{"content":{"default":{"body":"{{recipient.\#(place)}}"}}}}"#
                let other: JSONValue = try await server.send(.post, "/v1/templates", text, key: key).decoded()
                let body = #"{"template":"\#(try #require(other["id"]?.string))"}"#
                let answer = try await server.send(.put, path + "/alerts/routes", body, key: key)
                #expect(answer.status.code == status, "\(place)")
                if status == 422 { #expect(answer.field == "template") }
            }
            let none = #"{"template":"\#(id)"}"#
            #expect(try await server.send(.put, path + "/alerts/none", none, key: key).problem == "unknown-content-set")
            #expect(try await server.send(.delete, path + "/alerts/routes", key: key).status == .noContent)
            let again = try await server.send(.delete, path + "/alerts/routes", key: key)
            #expect(again.problem == "unknown-content-alert")
        }
    }

    @Test("M-63 Arrivals are those of a route's timetable, with the names of its stops") func arrivals() async throws {
        try await withSet { server, key, path in
            let imported = try await server.send(
                .post,
                path + "/imports?format=json&table=routes",
                Self.routes,
                key: key
            )
            #expect(imported.status == .ok)
            let run: JSONValue = try imported.decoded()
            #expect(run["id"]?.string?.hasPrefix("imp_") == true)
            let stops = "id,name\na,First\nb,Second\n"
            _ = try await server.send(.post, path + "/imports?format=csv&table=stops", stops, key: key)
            let answer: JSONValue = try await server.send(.get, path + "/arrivals?route=r", key: key).decoded()
            let items = try #require(answer["items"]?.array)
            #expect(items.map { $0["name"]?.string } == ["First", "Second"])
            #expect(items.map { $0["isPredicted"] } == [.bool(false), .bool(false)])
            #expect(answer["timeZone"] == .string("Asia/Taipei"))
            // What is no route, no timetable, and one that was made to overflow.
            #expect(try await server.send(.get, path + "/arrivals?route=x", key: key).problem == "unknown-content-row")
            let shops =
                #"{"version":1,"title":"S","tables":[{"name":"shops","key":"id","fields":[{"name":"id","type":"text"}]}]}"#
            _ = try await server.send(.put, "/v1/content-sets/shops", shops, key: key)
            let none = try await server.send(.get, "/v1/content-sets/shops/arrivals?route=r", key: key)
            #expect(none.problem == "conflict")
            #expect(try none.decoded(Problem.self).detail?.contains("no table routes") == true)
            #expect(try await server.send(.get, path + "/arrivals", key: key).field == "route")
            for route in ["none", "huge"] {
                #expect(try await server.send(.get, path + "/arrivals?route=\(route)", key: key).problem == "conflict")
            }
        }
    }

    @Test("Imports are listed by ids that JavaScript reads, page by page") func imports() async throws {
        try await withSet { server, key, path in
            for number in 1...3 {
                _ = try await server.send(
                    .post,
                    path + "/imports?format=csv&table=stops",
                    "id,name\n\(number),x\n",
                    key: key
                )
            }
            let first: JSONValue = try await server.send(.get, path + "/imports?limit=2", key: key).decoded()
            let ids = (first["items"]?.array ?? []).compactMap { $0["id"]?.string }
            #expect(ids.count == 2 && first["nextCursor"]?.string == ids.last)
            let rest: JSONValue = try await server.send(
                .get,
                path + "/imports?cursor=\(try #require(ids.last))",
                key: key
            ).decoded()
            #expect(rest["items"]?.array?.count == 1)
            #expect(try await server.send(.get, path + "/imports?cursor=7", key: key).field == "cursor")
        }
    }

    @Test("Made-up cursors and numbers of a query are refused, and end nothing") func madeUpQueries() async throws {
        try await withSet { server, key, path in
            _ = try await server.send(.post, path + "/imports?format=csv&table=stops", "id,name\n1,x\n", key: key)
            for query in [
                "cursor=1.9223372036854775807", "cursor=9223372036854775807.1", "cursor=-1.1", "cursor=1e9.1",
                "near=nan,1", "near=1,inf", "near=1e999,0", "limit=9999999999999999999", "limit=0",
            ] {
                let answer = try await server.send(.get, path + "/rows?table=stops&" + query, key: key)
                #expect(answer.status == .unprocessableContent, "\(query)")
            }
            for query in ["radius=nan", "radius=inf", "radius=-1", "radius=1e999"] {
                let answer = try await server.send(.get, path + "/rows?table=routes&near=1,1&" + query, key: key)
                #expect(answer.status == .unprocessableContent, "\(query)")
            }
        }
    }

    @Test("A name with control characters is none of a content set") func controlCharacters() async throws {
        try await withSet { server, key, _ in
            let answer = try await server.send(.get, "/v1/content-sets/a%00b", key: key)
            #expect(answer.problem == "unknown-content-set")
        }
    }
}
