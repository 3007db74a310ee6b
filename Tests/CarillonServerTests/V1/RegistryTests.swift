import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// Users, their tags, categories, refused tokens, and Devices in bulk, over HTTP.
struct RegistryTests {
    private func register(
        _ server: TestServer,
        _ app: AppSecrets,
        _ body: String,
        device: String = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    ) async throws -> TestResponse {
        try await server.send(.put, "/v1/devices/" + device, body, headers: server.device(app))
    }

    private func token(_ digit: Character) -> String { String(repeating: digit, count: 64) }

    @Test("T-14 T-25 A registration has a tenant and the previous token")
    func tellsTenants() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let body = """
                {"token":"\(token("a"))","tenant":"north","oldToken":"\(token("b"))","consent":{"notifications":true}}
                """
            let known = #"{"token":"\#(token("b"))","tenant":"north","user":"u1","consent":{"notifications":true}}"#
            let before = try await register(server, app, known, device: "3f2504e0-4f89-41d3-9a0c-0305e82c3302")
            #expect(try before.decoded(DeviceRecord.self).tokenState == .active)
            let answer = try await register(server, app, body)
            let record = try answer.decoded(DeviceRecord.self)
            #expect(record.tokenState == .active)
            // The old token is nobody's any more, and its installation has none.
            let admin = try await server.makeKey(app.app.id, .admin)
            let user = try await server.send(.get, "/v1/users/u1", key: admin)
            #expect(!String(buffer: user.body).contains(token("b")))
            #expect(record.tenant == "north")
            #expect(!String(buffer: answer.body).contains("oldToken"))

            let wrong = try await register(server, app, #"{"tenant":"","consent":{"notifications":true}}"#)
            #expect(wrong.problem == "invalid-field" && wrong.field == "tenant")
        }
    }

    @Test("T-20 T-28 An App sets how many tokens a User has, and their lifetime")
    func setsRules() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let path = "/v1/apps/\(app.app.id)"
            let change = #"{"tokensPerUser":"one","tokenLifetimeDays":30}"#
            let changed = try await server.send(.patch, path, change, key: server.serverKey).decoded(App.self)
            #expect(changed.tokensPerUser == .one && changed.tokenLifetimeDays == 30)
            for days in ["0", "731"] {
                let body = "{\"tokenLifetimeDays\":\(days)}"
                #expect(try await server.send(.patch, path, body, key: server.serverKey).field == "tokenLifetimeDays")
            }
        }
    }

    @Test("T-31 T-32 T-34 T-35 An operator reads a User, changes tags, and lists a tag's Users")
    func operatesUsers() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let admin = try await server.makeKey(app.app.id, .admin)
            let reader = try await server.makeKey(app.app.id, .read)
            let body = "{\"token\":\"\(token("a"))\",\"user\":\"a/b c\",\"consent\":{\"notifications\":true}}"
            _ = try await register(server, app, body)
            let tag = try await server.engine.tags.create(app: app.app.id, TagRequest(name: "vip"))
            let tags = "/v1/tags/\(tag.id)"

            let users = #"{"users":["a/b c","other"]}"#
            #expect(try await server.send(.post, tags + "/users", users, key: reader).problem == "missing-scope")
            #expect(try await server.send(.post, tags + "/users", users, key: admin).status == .noContent)
            let listed = try await server.send(.get, tags + "/users?limit=1", key: reader).decoded(Page<UserID>.self)
            #expect(listed.items.map(\.rawValue) == ["a/b c"])
            let cursor = try #require(listed.nextCursor)
            let rest = try await server.send(.get, tags + "/users?cursor=\(cursor)", key: reader)
                .decoded(Page<UserID>.self)
            #expect(rest.items.map(\.rawValue) == ["other"])

            let path = "/v1/users/a%2Fb%20c"
            let shown = try await server.send(.get, path, key: admin).decoded(UserRecord.self)
            #expect(shown.tags == [tag] && shown.contacts.map(\.pushType) == [.apns])
            #expect(shown.contacts.first?.token?.hexadecimal == token("a"))
            let seen = try await server.send(.get, path, key: reader)
            #expect(!String(buffer: seen.body).contains(token("a")))

            #expect(try await server.send(.delete, tags + "/users?users=other", key: admin).status == .noContent)
            let emptied = try await server.send(.put, path + "/tags", #"{"tags":[]}"#, key: admin)
            #expect(try emptied.decoded(TagSet.self).tags == [])
            #expect(try await server.send(.patch, tags, #"{"name":"gold"}"#, key: admin).status == .ok)
            let named = try await server.send(.get, "/v1/tags?name=gold", key: reader)
            #expect(try named.decoded(Page<CarillonOperatorModel.Tag>.self).items.map(\.id) == [tag.id])

            #expect(try await server.send(.delete, path, key: reader).problem == "missing-scope")
            #expect(try await server.send(.delete, path, key: admin).status == .noContent)
            #expect(try await server.send(.get, path, key: admin).problem == "unknown-user")
        }
    }

    @Test("C-10 An operator defines labels and lists undefined ones")
    func operatesCategories() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let admin = try await server.makeKey(app.app.id, .admin)
            let path = "/v1/categories"
            let body = #"{"dimension":"region","label":"kanto","title":"Kanto"}"#
            #expect(try await server.send(.post, path, body, key: admin).status == .ok)
            let told = #"{"consent":{"notifications":true},"categories":{"region":["kanto","kansai"]}}"#
            #expect(try await register(server, app, told).status.code < 300)

            let all = try await server.send(.get, path, key: admin).decoded(Page<CategoryLabel>.self)
            #expect(all.items.map(\.label) == ["kansai", "kanto"])
            #expect(all.items.map(\.isDefined) == [false, true])
            let defined = try await server.send(.get, path + "?defined=true", key: admin)
            #expect(try defined.decoded(Page<CategoryLabel>.self).items.map(\.devices) == [1])
            #expect(try await server.send(.get, path + "?defined=maybe", key: admin).field == "defined")
            let gone = path + "?dimension=region&label=kanto"
            #expect(try await server.send(.delete, gone, key: admin).status == .noContent)
            #expect(try await server.send(.delete, gone, key: admin).problem == "unknown-category")
            #expect(try await server.send(.delete, path, key: admin).field == "label")
        }
    }

    @Test("Invalid tokens are listed for keys with scope read") func listsInvalidTokens() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let reader = try await server.makeKey(app.app.id, .read)
            let path = "/v1/invalid-tokens"
            let page = try await server.send(.get, path + "?from=2026-01-01T00:00:00Z&limit=100", key: reader)
            #expect(try page.decoded(Page<InvalidToken>.self).items.isEmpty)
            #expect(try await server.send(.get, path + "?limit=201", key: reader).field == "limit")
            #expect(try await server.send(.get, path + "?campaign=x", key: reader).field == "campaign")
            #expect(try await server.send(.get, path + "?cursor=x", key: reader).field == "cursor")
            #expect(try await server.send(.get, path).problem == "missing-credentials")
        }
    }

    @Test("Devices are imported and exported as CSV and JSON Lines, with scope admin only")
    func importsAndExports() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let admin = try await server.makeKey(app.app.id, .admin)
            let csv = ["Content-Type": "text/csv"]
            let text = "token,user,tags\n\(token("a")),u1,vip gold\nbad,u2,\n\(token("b")),u3,\n"
            let path = "/v1/device-import"
            let answer = try await server.send(.post, path, text, key: admin, headers: csv)
            let report = try answer.decoded(ImportReport.self)
            #expect(report.added == 2 && report.rejected == 1)
            #expect(report.problems.map(\.line) == [3])
            #expect(!String(buffer: answer.body).contains("bad,"))

            let out = try await server.send(.get, "/v1/device-export?format=jsonl", key: admin)
            #expect(out.headers[.contentType] == "application/x-ndjson")
            let lines = String(buffer: out.body)
            #expect(lines.split(separator: "\n").count == 2)
            let again = try await server.send(
                .post,
                path,
                lines,
                key: admin,
                headers: ["Content-Type": "application/x-ndjson"]
            )
            #expect(try again.decoded(ImportReport.self).replaced == 2)

            let unknown = "token,time_zone,language\n\(token("c")),X/Y,ja\n\(token("d")),Asia/Seoul,Japanese?\n"
            let refused = try await server.send(.post, path, unknown, key: admin, headers: csv)
            let problems = try refused.decoded(ImportReport.self).problems
            #expect(problems.map(\.line) == [2, 3])
            #expect(problems.first?.problem.hasPrefix("time_zone must be an IANA time zone") == true)
            #expect(problems.last?.problem.hasPrefix("language must be a BCP 47 language tag") == true)
            let consent = #""consent":{"notifications":true}"#
            let line = #"{"registration":{"token":"\#(token("e"))",\#(consent),"timeZone":"X/Y"}}"#
            let objects = ["Content-Type": "application/x-ndjson"]
            let refusedLine = try await server.send(.post, path, line, key: admin, headers: objects)
            let problem = try refusedLine.decoded(ImportReport.self).problems.first?.problem
            #expect(problem?.hasPrefix("registration.timeZone must be an IANA time zone") == true)

            for scope in [APIKeyScope.read, .send] {
                let key = try await server.makeKey(app.app.id, scope)
                #expect(try await server.send(.post, path, text, key: key, headers: csv).problem == "missing-scope")
                #expect(try await server.send(.get, "/v1/device-export", key: key).problem == "missing-scope")
            }
            #expect(try await server.send(.post, path, "{}", key: admin).problem == "unsupported-media-type")
            let other = try await server.send(.get, "/v1/device-export?format=xml", key: admin)
            #expect(other.field == "format")
            #expect(try await server.send(.get, "/v1/device-export?cursor=x", key: admin).field == "cursor")
            let header = try await server.send(.post, path, "nothing\n", key: admin, headers: csv)
            #expect(header.problem == "invalid-field" && header.field == "header")
        }
    }
}
