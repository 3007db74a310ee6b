import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// What phones may do with content sets: read rows by App key, and follow by Device secret.
struct DeviceFollowTests {
    private static let definition = """
        {"version":1,"title":"Stops","timeZone":"Asia/Taipei","tables":[{"name":"stops","key":"id","fields":[
        {"name":"id","type":"text"},{"name":"name","type":"text","isSearchable":true},
        {"name":"city","type":"text","isIndexed":true},{"name":"at","type":"position"}]}]}
        """
    private static let file = "id,name,city,latitude,longitude\n1,Arena,Kaohsiung,22.6264,120.3173\n"
    private static let phone = "0d9c2f5e-6d4e-4d36-9c1f-6b9b6f0a7f11"
    private static let tablet = "0d9c2f5e-6d4e-4d36-9c1f-6b9b6f0a7f12"

    /// A server with an App, its content set `stops` and an API key of it.
    private func run(
        _ identity: App.Identity = .signed,
        _ body: @Sendable (TestServer, AppSecrets, String) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp(identity: identity)
            let key = try await server.makeKey(app.app.id, .admin)
            let path = "/v1/content-sets/stops"
            #expect(try await server.send(.put, path, Self.definition, key: key).status == .ok)
            let imported = try await server.send(.post, path + "/imports?format=csv", Self.file, key: key)
            #expect(imported.status == .ok)
            try await body(server, app, key)
        }
    }

    private func register(
        _ server: TestServer,
        _ app: AppSecrets,
        _ device: String = Self.phone,
        user: String?
    ) async throws {
        let user = try user.map { #","user":"\#($0)","userProof":\#(try proof(server, app, $0))"# } ?? ""
        let body = #"{"pushType":"apns","consent":{"notifications":true,"ads":false,"nightAds":false}\#(user)}"#
        let answer = try await server.send(.put, "/v1/devices/\(device)", body, headers: server.device(app))
        #expect([.created, .ok].contains(answer.status))
    }

    /// What the customer's back end says of a User.
    private func proof(_ server: TestServer, _ app: AppSecrets, _ user: String) throws -> String {
        let now: Timestamp = server.clock.now()
        let proof = UserProof.signed(
            user: try #require(UserID(rawValue: user)),
            app: app.app.id,
            expires: now.rawValue / 1_000 + 3_600,
            identitySecret: app.identitySecret
        )
        return String(decoding: try JSONEncoder().encode(proof), as: UTF8.self)
    }

    private func followPath(_ device: String = Self.phone) -> String {
        "/v1/devices/\(device)/content-sets/stops/follows"
    }

    private func names(_ answer: TestResponse) throws -> [String] {
        let page: JSONValue = try answer.decoded()
        return page["items"]?.array?.compactMap { $0["name"]?.string } ?? []
    }

    @Test("M-45 Phones read the rows of their App's content sets with the App key, and those of no other App")
    func readsRows() async throws {
        try await run { server, app, _ in
            let own = ["Carillon-App-Key": app.appKey]
            let rows: JSONValue = try await server.send(.get, "/v1/content-sets/stops/rows", headers: own).decoded()
            #expect(rows["items"]?.array?.first?["row"]?["name"] == .string("Arena"))
            let near = "/v1/content-sets/stops/rows?near=22.6264,120.3173"
            let here: JSONValue = try await server.send(.get, near, headers: own).decoded()
            #expect(here["items"]?.array?.first?["distance"] != nil)

            let stranger = ["Carillon-App-Key": try await server.makeApp().appKey]
            let foreign = try await server.send(.get, "/v1/content-sets/stops/rows", headers: stranger)
            #expect(foreign.problem == "unknown-content-set")
            let named = "/v1/content-sets/stops/rows?app=\(app.app.id)"
            #expect(try await server.send(.get, named, headers: own).status == .ok)
            #expect(try await server.send(.get, named, headers: stranger).problem == "unknown-app")
            let nobody = try await server.send(.get, "/v1/content-sets/stops/rows")
            #expect(nobody.status == .unauthorized && nobody.problem == "missing-credentials")
            let wrong = ["Carillon-App-Key": "ak_wrong"]
            #expect(
                try await server.send(.get, "/v1/content-sets/stops/rows", headers: wrong).problem
                    == "wrong-credentials"
            )
            // There is no table of routes.
            let arrivals = "/v1/content-sets/stops/arrivals?route=1"
            #expect(try await server.send(.get, arrivals, headers: own).problem == "conflict")
            // Everything else about content sets is the operator's.
            for path in ["/v1/content-sets", "/v1/content-sets/stops", "/v1/content-sets/stops/follows"] {
                #expect(try await server.send(.get, path, headers: own).status == .unauthorized)
            }
        }
    }

    @Test("A Device's User follows, lists and stops, and the operator sees it under the User's name")
    func follows() async throws {
        try await run { server, app, key in
            let headers = server.device(app)
            try await register(server, app, user: "ann")
            let body = #"{"where":{"city":"Kaohsiung"},"near":{"latitude":22.6,"longitude":120.3},"radius":500}"#

            let put = try await server.send(.put, followPath() + "/near-me", body, headers: headers)
            #expect(put.status == .ok)
            let saved: JSONValue = try put.decoded()
            #expect(saved["name"] == .string("near-me") && saved["user"] == .string("ann"))
            #expect(saved["table"] == .string("stops") && saved["radius"]?.number == 500)
            let bundled = try await server.send(.put, followPath() + "/all", #"{"isBundled":true}"#, headers: headers)
            #expect(bundled.status == .ok)
            #expect(try names(try await server.send(.get, followPath(), headers: headers)) == ["all", "near-me"])

            let path = "/v1/content-sets/stops/follows"
            #expect(try names(try await server.send(.get, path, key: key)) == ["~ann~all", "~ann~near-me"])
            let first: JSONValue = try await server.send(.get, path + "?limit=1", key: key).decoded()
            let cursor = try #require(first["nextCursor"]?.string)
            #expect(try names(try await server.send(.get, path + "?cursor=\(cursor)", key: key)) == ["~ann~near-me"])
            #expect(try await server.send(.get, path + "/~ann~all", key: key).status == .ok)
            #expect(try await server.send(.put, path + "/~ann~all", #"{"user":"bob"}"#, key: key).field == "follow")

            #expect(try await server.send(.delete, followPath() + "/all", headers: headers).status == .noContent)
            let again = try await server.send(.delete, followPath() + "/all", headers: headers)
            #expect(again.problem == "unknown-content-follow")
            #expect(try names(try await server.send(.get, followPath(), headers: headers)) == ["near-me"])
        }
    }

    @Test("Users have follows of the same name, see only their own, and end what a back end made for them")
    func apart() async throws {
        try await run { server, app, key in
            let headers = server.device(app)
            try await register(server, app, user: "ann")
            try await register(server, app, Self.tablet, user: "bob")
            for device in [Self.phone, Self.tablet] {
                let answer = try await server.send(.put, followPath(device) + "/x", "{}", headers: headers)
                #expect(answer.status == .ok)
            }
            let path = "/v1/content-sets/stops/follows"
            #expect(try await server.send(.put, path + "/made", #"{"user":"ann"}"#, key: key).status == .ok)
            #expect(try await server.send(.put, path + "/bobs", #"{"user":"bob"}"#, key: key).status == .ok)

            #expect(try names(try await server.send(.get, followPath(), headers: headers)) == ["made", "x"])
            let foreign = try await server.send(.delete, followPath() + "/bobs", headers: headers)
            #expect(foreign.problem == "unknown-content-follow")
            #expect(try await server.send(.delete, followPath() + "/made", headers: headers).status == .noContent)
            #expect(try await server.send(.delete, followPath() + "/x", headers: headers).status == .noContent)
            #expect(try names(try await server.send(.get, followPath(Self.tablet), headers: headers)) == ["bobs", "x"])

            // The next User of the phone has none of the last one's.
            try await register(server, app, Self.tablet, user: "ann")
            #expect(try names(try await server.send(.get, followPath(Self.tablet), headers: headers)) == [])
        }
    }

    @Test("Follows need a User, the Device's secret and a query that fits, and name nobody")
    func refuses() async throws {
        try await run { server, app, _ in
            let headers = server.device(app)
            try await register(server, app, user: nil)
            #expect(try await server.send(.get, followPath(), headers: headers).problem == "user-required")
            #expect(try await server.send(.put, followPath() + "/x", "{}", headers: headers).problem == "user-required")
            try await register(server, app, user: "ann")
            let thief = server.device(app, secret: String(repeating: "t", count: 43))
            #expect(try await server.send(.get, followPath(), headers: thief).problem == "wrong-device-secret")
            let unknown = try await server.send(.get, followPath(Self.tablet), headers: headers)
            #expect(unknown.problem == "unknown-device")

            for (body, field) in [
                (#"{"user":"bob"}"#, "user"), (#"{"audience":{"all":true}}"#, "audience"),
                (#"{"where":{"name":"x"}}"#, "where"), (#"{"radius":5}"#, "near"), (#"{"table":"x"}"#, "table"),
                (#"{"time":"x"}"#, "time"),
            ] {
                let answer = try await server.send(.put, followPath() + "/x", body, headers: headers)
                #expect(answer.status == .unprocessableContent && answer.field == field, "\(body)")
            }
            #expect(try await server.send(.put, followPath() + "/a~b", "{}", headers: headers).field == "follow")
            let other = "/v1/devices/\(Self.phone)/content-sets/shops/follows"
            #expect(try await server.send(.get, other, headers: headers).problem == "unknown-content-set")
            #expect(try await server.send(.put, other + "/x", "{}", headers: headers).problem == "unknown-content-set")
        }
    }

    @Test("A User has at most a hundred follows in a set, and erasing the User ends them")
    func bounded() async throws {
        try await run { server, app, key in
            let headers = server.device(app)
            try await register(server, app, user: "ann")
            for number in 1...100 {
                let answer = try await server.send(.put, followPath() + "/f\(number)", "{}", headers: headers)
                #expect(answer.status == .ok)
            }
            #expect(try await server.send(.put, followPath() + "/f101", "{}", headers: headers).status == .conflict)
            #expect(try await server.send(.put, followPath() + "/f100", "{}", headers: headers).status == .ok)
            #expect(try names(try await server.send(.get, followPath(), headers: headers)).count == 100)

            let forget = try await server.send(
                .post,
                "/v1/devices/\(Self.phone)/forget",
                #"{"user":true}"#,
                headers: headers
            )
            #expect(forget.status == .noContent)
            #expect(try names(try await server.send(.get, "/v1/content-sets/stops/follows", key: key)) == [])
        }
    }

    @Test("Where anybody may claim a User, a Device sees and ends what it has made itself, and nothing else")
    func openIdentity() async throws {
        try await run(.open) { server, app, key in
            let headers = server.device(app)
            try await register(server, app, user: "ann")
            // Somebody who knows her id.
            try await register(server, app, Self.tablet, user: "ann")
            #expect(try await server.send(.put, followPath() + "/x", "{}", headers: headers).status == .ok)
            #expect(try await server.send(.put, followPath() + "/y", "{}", headers: headers).status == .ok)
            let path = "/v1/content-sets/stops/follows"
            #expect(try await server.send(.put, path + "/made", #"{"user":"ann"}"#, key: key).status == .ok)

            #expect(try names(try await server.send(.get, followPath(Self.tablet), headers: headers)) == [])
            for name in ["x", "made"] {
                let ended = try await server.send(.delete, followPath(Self.tablet) + "/" + name, headers: headers)
                #expect(ended.problem == "unknown-content-follow")
            }
            // Of the same name it has one of its own.
            let other = #"{"words":"arena"}"#
            #expect(try await server.send(.put, followPath(Self.tablet) + "/x", other, headers: headers).status == .ok)
            #expect(try names(try await server.send(.get, followPath(Self.tablet), headers: headers)) == ["x"])
            let mine: JSONValue = try await server.send(.get, followPath(), headers: headers).decoded()
            #expect(mine["items"]?.array?.compactMap { $0["name"]?.string } == ["x", "y"])
            #expect(mine["items"]?.array?.first?["words"] == nil)

            #expect(try await server.send(.delete, followPath() + "/x", headers: headers).status == .noContent)
            #expect(try names(try await server.send(.get, followPath(), headers: headers)) == ["y"])
            #expect(try names(try await server.send(.get, followPath(Self.tablet), headers: headers)) == ["x"])
            #expect(try names(try await server.send(.get, path + "?user=ann", key: key)).count == 3)
        }
    }

    @Test("An App whose identity becomes signed has its Users see and end what their Devices made before")
    func becomesSigned() async throws {
        try await run(.open) { server, app, key in
            let headers = server.device(app)
            for device in [Self.phone, Self.tablet] {
                try await register(server, app, device, user: "ann")
                #expect(try await server.send(.put, followPath(device) + "/x", "{}", headers: headers).status == .ok)
            }
            let signed = #"{"identity":"signed"}"#
            let changed = try await server.send(.patch, "/v1/apps/\(app.app.id)", signed, key: server.serverKey)
            #expect(changed.status == .ok)
            #expect(try names(try await server.send(.get, followPath(), headers: headers)) == ["x", "x"])
            #expect(try await server.send(.delete, followPath() + "/x", headers: headers).status == .noContent)
            #expect(try names(try await server.send(.get, followPath(Self.tablet), headers: headers)) == [])
        }
    }

    @Test("Where anybody may claim a User, no User follows a place, and the problem says why")
    func placesOfOpenIdentity() async throws {
        try await run(.open) { server, app, key in
            let headers = server.device(app)
            try await register(server, app, user: "ann")
            let place = #""near":{"latitude":22.6,"longitude":120.3},"radius":500"#
            let path = "/v1/content-sets/stops/follows/home"
            let answers = [
                try await server.send(.put, followPath() + "/home", "{\(place)}", headers: headers),
                try await server.send(.put, path, #"{"user":"ann",\#(place)}"#, key: key),
            ]
            for answer in answers {
                let problem: Problem = try answer.decoded()
                #expect(problem.status == 409 && problem.code == "conflict")
                #expect(problem.detail?.contains("an App whose identity is signed") == true)
            }
            #expect(try names(try await server.send(.get, "/v1/content-sets/stops/follows", key: key)) == [])
            // An audience is nobody's home.
            let all = #"{"audience":{"all":true},\#(place)}"#
            #expect(try await server.send(.put, path, all, key: key).status == .ok)
        }
    }
}
