import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// What keeps COIMOTION's weaker rules from harm, and how an App turns the API on.
struct CoimotionFenceTests {
    private func entries(_ client: CoimotionClient) async throws -> [AuditEntry] {
        let answer = try await client.server.send(.get, "/v1/audit?app=\(client.app)", key: client.server.serverKey)
        let page: Page<AuditEntry> = try answer.decoded()
        return page.items.filter { $0.actor.hasPrefix("coimotion") }
    }

    @Test("Calls of apps are in the audit log once a minute of an App and an operation, without names and tokens")
    func audit() async throws {
        try await CoimotionClient.run { client async throws in
            for _ in 1...3 { _ = try await client.profile(nil) }
            let token = try await client.signUp("alice@example.com")
            _ = try await client.profile(token)
            let found = try await entries(client)
            #expect(
                Set(found.map(\.action)) == [
                    "POST /{appcode}/core/user/profile", "POST /{appcode}/core/user/register",
                    "POST /{appcode}/core/user/activate/{id}",
                ]
            )
            #expect(found.count == 3 && found.allSatisfy { $0.actor == "coimotion-app" && $0.app == client.app })
            #expect(!"\(found)".contains("alice") && !"\(found)".contains(token))
        }
    }

    @Test("Calls are limited by App; those about accounts also by address, as registrations are, and reading is not")
    func limits() async throws {
        try await CoimotionClient.run { configuration, _ in
            configuration.requestLimits?.appKey = 0.001
        } _: { client async throws in
            #expect(try await client.profile(nil).code == 0)
            let limited = try await client.profile(nil)
            #expect(limited.code == -1 && limited.retryAfter != nil)
        }
        try await CoimotionClient.run { configuration, _ in
            configuration.registrationLimiter = RegistrationLimiter(rate: 0.001, burst: 1)
        } _: { client async throws in
            #expect(try await client.register().code == 0)
            #expect(try await client.register("bob").code == -1)
            #expect(try await client.login().code == -1)
            for _ in 1...5 {
                #expect(try await client.profile(nil).code == 0)
                #expect(try await client.get("twShow/show/catList").code == 0)
            }
        }
    }

    @Test("What an address is refused as one registration too many uses up nothing of the App's limit")
    func addressFirst() async throws {
        try await CoimotionClient.run { configuration, _ in
            configuration.requestLimits?.appKey = 0.4
            configuration.registrationLimiter = RegistrationLimiter(rate: 0.001, burst: 1)
        } _: { client async throws in
            // The App may send two requests at once.
            #expect(try await client.register().code == 0)
            for _ in 1...5 { #expect(try await client.login().code == -1) }
            #expect(try await client.profile(nil).code == 0)
        }
    }

    @Test("M-05 Unknown codes and paths of an address are limited apart from the keys that are compared")
    func lookUps() async throws {
        try await CoimotionClient.run { configuration, _ in
            configuration.requestLimits?.unknownKey = 0.001
        } _: { client async throws in
            #expect(try await client.profile(nil).code == 0)
            #expect(try await client.post("core/user/profile", key: "wrong-key-of-the-app").code == -20)
            for number in 10...25 {
                let answer = try await client.server.send(.get, "/unknown\(number)/a/b/c")
                #expect(answer.status == .notFound)
                #expect(try await client.post("core/user/profile", code: "unknown\(number)").code == -1)
            }
            #expect(try await client.profile(nil).code == 0)
        }
    }

    @Test("M-05 Wrong codes and keys of an address are limited; right ones from there pass, within a bound of guesses")
    func wrongKeys() async throws {
        try await CoimotionClient.run { configuration, _ in
            configuration.requestLimits?.unknownKey = 0.001
        } _: { client async throws in
            #expect(try await client.post("core/user/profile", key: "wrong-key-of-the-app").code == -20)
            let stopped = try await client.post("core/user/profile", key: "wrong-key-of-the-app")
            #expect(stopped.code == -1 && stopped.retryAfter != nil)
            #expect(try await client.post("core/user/profile", code: "unknown1").code == -1)
            // Somebody behind the same address.
            #expect(try await client.profile(nil).code == 0)
            #expect(try await client.register().code == 0)
            // Whoever goes on may not try keys without end, and a right one among them is not told apart.
            for number in 1...10 {
                #expect(try await client.post("core/user/profile", key: "wrong-key-\(number)").code == -1)
            }
            #expect(try await client.profile(nil).code == -1)
        }
    }

    @Test("The API is off until an App turns it on, is shown with its settings, and off again at once")
    func onAndOff() async throws {
        try await TestServer.run { server in
            let secrets = try await server.makeAccounts().app
            let client = CoimotionClient(server: server, secrets: secrets)
            let path = "/v1/apps/\(client.app)/vendor-apis"
            #expect(try await client.profile(nil).code == -12)
            let body = #"{"coimotion":{"code":"newCode7","contentSets":{"twShow":"events"},"stopLimit":7}}"#
            let refused = try await server.send(.put, path + "/coimotion", body, key: server.serverKey)
            #expect(refused.field == "coimotion.contentSets.twShow")
            for (table, status) in [("other", 422), ("events", 200)] {
                let set = "/v1/content-sets/events?app=\(client.app)"
                let definition = """
                    {"version":1,"title":"E","tables":[{"name":"\(table)","key":"id","fields":[{"name":"id","type":"text"}]}]}
                    """
                #expect(try await server.send(.put, set, definition, key: server.serverKey).status == .ok)
                let answer = try await server.send(.put, path + "/coimotion", body, key: server.serverKey)
                #expect(answer.status.code == status)
                if status == 200 { _ = try await server.send(.delete, path + "/coimotion", key: server.serverKey) }
            }
            let on: VendorAPISecrets = try await server.send(.put, path + "/coimotion", body, key: server.serverKey)
                .decoded()
            let key = try #require(on.key)
            #expect(key.wholeMatch(of: /[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}/) != nil && on.secret == nil)
            let settings = CoimotionSettings(code: "newCode7", contentSets: .init(twShow: "events"), stopLimit: 7)
            #expect(on.vendorAPI.coimotion == settings && !on.vendorAPI.hasSecret)
            let list: VendorAPIList = try await server.send(.get, path, key: server.serverKey).decoded()
            #expect(list.vendorAPIs == [on.vendorAPI])
            #expect(try await client.post("core/user/profile", key: key, code: "newCode7").code == 0)

            // The key and the settings stay unless the request has others.
            let again: VendorAPISecrets = try await server.send(.put, path + "/coimotion", "{}", key: server.serverKey)
                .decoded()
            #expect(again.key == nil && again.vendorAPI.coimotion == settings)
            let moved = try client.text(["coimotion": .object(["code": "newCode8"])])
            _ = try await server.send(.put, path + "/coimotion", moved, key: server.serverKey)
            #expect(try await client.post("core/user/profile", key: key, code: "newCode7").code == -12)
            #expect(try await client.post("core/user/profile", key: key, code: "newCode8").code == 0)

            #expect(try await server.send(.delete, path + "/coimotion", key: server.serverKey).status == .noContent)
            #expect(try await client.post("core/user/profile", key: key, code: "newCode8").code == -12)
        }
    }

    @Test("A code belongs to one App, whatever its case, and to none that is deleted")
    func codes() async throws {
        try await CoimotionClient.run { client async throws in
            let server = client.server
            let other = try await server.makeApp().app.id
            func put(_ body: String, _ api: String = "coimotion") async throws -> TestResponse {
                try await server.send(.put, "/v1/apps/\(other)/vendor-apis/\(api)", body, key: server.serverKey)
            }
            #expect(try await put(#"{"coimotion":{"code":"DEMOAPP"}}"#).problem == "conflict")
            for (body, field) in [
                ("{}", "coimotion"), (#"{"coimotion":{}}"#, "coimotion.code"),
                (#"{"coimotion":{"code":"short"}}"#, "coimotion.code"),
                (#"{"coimotion":{"code":"with-hyphen"}}"#, "coimotion.code"),
                (#"{"coimotion":{"code":"HEALTH"}}"#, "coimotion.code"),
                (#"{"coimotion":{"code":"twShow"}}"#, "coimotion.code"),
                (#"{"coimotion":{"code":"otherApp","contentSets":{"twBook":"b"}}}"#, "coimotion.contentSets.twBook"),
                (#"{"coimotion":{"code":"otherApp","stopLimit":0}}"#, "coimotion.stopLimit"),
                (#"{"secret":"a1B2c3D4","coimotion":{"code":"otherApp"}}"#, "secret"),
            ] {
                let answer = try await put(body)
                #expect(answer.status == .unprocessableContent && answer.field == field, "\(body)")
            }
            #expect(try await put(#"{"coimotion":{"code":"otherApp"}}"#, "toast").field == "coimotion")

            try await server.engine.appDeletions.delete(client.app)
            #expect(try await client.profile(nil).code == -12)
            #expect(try await put(#"{"coimotion":{"code":"demoApp"}}"#).status == .ok)
        }
    }
}
