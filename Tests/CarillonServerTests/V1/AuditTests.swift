import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import CarillonStore
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

struct AuditTests {
    /// The log's entries but for the request that asks, the latest first.
    private func entries(_ server: TestServer, _ query: String = "", key: String? = nil) async throws -> [AuditEntry] {
        let answer = try await server.send(.get, "/v1/audit" + query, key: key ?? server.serverKey)
        #expect(answer.status == .ok)
        return try answer.decoded(Page<AuditEntry>.self).items.filter { $0.action != "GET /v1/audit" }
    }

    @Test("S1-m6 Requests are recorded in the audit log with actor, App, object and address")
    func records() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let keys = try await server.send(.get, "/v1/keys", key: server.serverKey).decoded(Page<APIKey>.self)
            let first = try #require(keys.items.first).id
            let made = try await server.send(
                .post,
                "/v1/keys?app=\(app)",
                #"{"name":"n","scopes":["admin"]}"#,
                key: server.serverKey
            ).decoded(APIKeySecret.self)
            _ = try await server.send(.patch, "/v1/apps/\(app)", #"{"name":"New"}"#, key: made.secret)
            _ = try await server.send(.delete, "/v1/keys/\(made.key.id)", key: server.serverKey)

            let log = try await entries(server)

            #expect(
                log.map(\.action) == ["DELETE /v1/keys/{key}", "PATCH /v1/apps/{app}", "POST /v1/keys"]
            )
            #expect(log.map(\.actor) == [first.description, made.key.id.description, first.description])
            #expect(log.map(\.app) == [app, app, app])
            #expect(log.map(\.object) == [made.key.id.description, nil, made.key.id.description])
            #expect(log.map(\.status) == [204, 200, 201])
            #expect(log.allSatisfy { $0.address == "local" })
            #expect(try await server.engine.audit.verify().count >= 3)
        }
    }

    @Test("S1-m6 A key of one App gets only its entries, and only with scope admin")
    func staysWithinApp() async throws {
        try await TestServer.run { server in
            let (own, other) = (try await server.makeApp().app.id, try await server.makeApp().app.id)
            let (admin, sender) = (try await server.makeKey(own, .admin), try await server.makeKey(own, .send, .read))
            for app in [own, other] {
                _ = try await server.send(.patch, "/v1/apps/\(app)", #"{"name":"New"}"#, key: server.serverKey)
            }

            #expect(try await entries(server, key: admin).map(\.app) == [own])
            #expect(try await entries(server, "?app=\(other)").map(\.app) == [other])
            #expect(try await server.send(.get, "/v1/audit?app=\(other)", key: admin).problem == "unknown-app")
            #expect(try await server.send(.get, "/v1/audit", key: sender).problem == "missing-scope")
        }
    }

    @Test("S1-m6 Malformed ids are not recorded, whatever their bytes, and the chain stays valid")
    func writesIDsAlone() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let reader = try await server.makeKey(app, .read)
            let long = String(repeating: "e" + String(repeating: "%CC%81", count: 900), count: 1)
            for key in ["x", reader] {
                for id in ["%00", long, "a%2Fb", String(repeating: "a", count: 65)] {
                    _ = try await server.send(.delete, "/v1/templates/" + id, key: key)
                }
            }

            let log = try await entries(server)
            // Three at once of a network with a wrong key.
            #expect(log.map(\.actor).filter { $0 == "unknown" }.count == 3 && log.count == 7)
            #expect(log.allSatisfy { $0.object == nil })
            #expect(try await server.engine.audit.verify().count >= 7)
        }
    }

    @Test("S1-m6 A request of a key for another App's id is recorded under its own App, without a key under none")
    func staysWithTheCallersApp() async throws {
        try await TestServer.run { server in
            let (own, other) = (try await server.makeApp().app.id, try await server.makeApp().app.id)
            let (mine, theirs) = (try await server.makeKey(own, .admin), try await server.makeKey(other, .admin))
            let request = #"{"name":"t","message":{"content":{"default":{"body":"b"}}}}"#
            let send = try await server.makeKey(other, .send)
            let template = try await server.send(.post, "/v1/templates", request, key: send).decoded(Template.self)
            let path = "/v1/templates/\(template.id)"
            #expect(try await server.send(.delete, path, key: try await server.makeKey(own, .send)).status == .notFound)
            _ = try await server.send(.delete, path, key: "x")

            #expect(try await entries(server, key: mine).map(\.status) == [404])
            #expect(try await entries(server, key: theirs).map(\.action) == ["POST /v1/templates"])
            #expect(try await entries(server).first { $0.actor == "unknown" }?.app == nil)
        }
    }

    @Test("S1-m6 A dry run with personal data is recorded, and so is a refused request")
    func recordsDryRunsWithDevice() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let sender = try await server.makeKey(app, .send)
            let path = "/v1/dry-run"
            _ = try await server.send(.post, path, CampaignTests.draft, key: sender)
            _ = try await server.send(.post, path + "?device=\(UUID())", CampaignTests.draft, key: sender)
            _ = try await server.send(.get, "/v1/keys", key: sender)

            let log = try await entries(server)
            #expect(log.map(\.action) == ["GET /v1/keys", "POST /v1/dry-run"])
            #expect(log.map(\.status) == [403, 403])
        }
    }

    @Test("S1-m6 People are recorded by a keyed hash: found by their id, but not by guessing ids")
    func namesByKeyedHash() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let admin = try await server.makeKey(app, .admin)
            let body = #"{"attributes":{"plan":"gold"}}"#
            _ = try await server.send(.patch, "/v1/users/0612345678/attributes", body, key: admin)

            let found = try await entries(server, "?app=\(app)&user=0612345678")
            #expect(found.count == 1)
            let plain = SHA256.hash(data: Data("\(app)/0612345678".utf8)).prefix(4).map { String($0, radix: 16) }
            #expect(found.first?.object?.hasPrefix("user:") == true)
            #expect(found.first?.object?.hasPrefix("user:" + plain.joined()) == false)
            #expect(found.first?.object?.contains("0612345678") == false)
            // The same on every node and after a restart.
            let vault = try #require(Vault(masterKey: [UInt8](repeating: 7, count: 32)))
            let other = AuditPseudonyms(store: server.stores.audit, vault: vault)
            #expect(try await other.name("user", "0612345678", app: app) == found.first?.object)
        }
    }

    @Test("S1-m6 Verifying the chain requires a key of the server: one App's entries have gaps")
    func checksTheWholeChain() async throws {
        try await TestServer.run { server in
            let admin = try await server.makeKey(try await server.makeApp().app.id, .admin)
            let path = "/v1/audit?whole=true"
            #expect(try await server.send(.get, path, key: admin).problem == "server-key-required")
            #expect(try await server.send(.get, path, key: server.serverKey).status == .ok)
            #expect(try await server.send(.get, "/v1/audit?whole=yes", key: server.serverKey).field == "whole")
        }
    }

    @Test("S1-m6 Refusals are recorded; invalid requests and reads are not")
    func recordsRefusals() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let reader = try await server.makeKey(app, .read)
            let request = #"{"name":"n","scopes":["read"]}"#
            _ = try await server.send(.post, "/v1/keys", request, key: reader)
            _ = try await server.send(.delete, "/v1/campaigns/x", key: reader)
            _ = try await server.send(.post, "/v1/keys", "{}", key: server.serverKey)
            _ = try await server.send(.get, "/v1/apps", key: reader)
            _ = try await server.send(
                .post,
                "/v1/audience-parse?app=\(app)",
                #"{"rule":"all"}"#,
                key: server.serverKey
            )
            _ = try await server.send(.get, "/v1/device-export", key: reader)

            let log = try await entries(server)

            #expect(log.map(\.action) == ["GET /v1/device-export", "POST /v1/keys"])
            #expect(log.map(\.status) == [403, 403])
        }
    }

    @Test("S1-m6 Attempts with an invalid key are recorded, limited by address")
    func recordsWrongKeys() async throws {
        try await TestServer.run { server in
            for _ in 0..<10 { _ = try await server.send(.get, "/v1/apps", key: "ck_wrong") }
            _ = try await server.send(.get, "/v1/apps")

            let log = try await entries(server, "?key=unknown")

            #expect(log.map(\.actor) == ["unknown", "unknown", "unknown"])
            #expect(log.allSatisfy { $0.status == 401 && $0.action == "GET /v1/apps" })
        }
    }

    @Test("S1-m6 The log names no User and no Device, and is searchable by either")
    func namesNobody() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let device = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
            _ = try await server.send(.delete, "/v1/users/marked-person?app=\(app)", key: server.serverKey)
            _ = try await server.send(.get, "/v1/devices/\(device)?app=\(app)", key: server.serverKey)

            let text = String(buffer: try await server.send(.get, "/v1/audit", key: server.serverKey).body)
            #expect(!text.contains("marked-person") && !text.lowercased().contains(device))
            let ofUser = try await entries(server, "?app=\(app)&user=marked-person")
            #expect(ofUser.map(\.action) == ["DELETE /v1/users/{user}"])
            let ofDevice = try await entries(server, "?app=\(app)&device=\(device)")
            #expect(ofDevice.map(\.action) == ["GET /v1/devices/{device}"])
            #expect(try await server.send(.get, "/v1/audit?user=u", key: server.serverKey).field == "app")
            #expect(try await server.send(.get, "/v1/audit?key=k&object=o", key: server.serverKey).field == "object")
        }
    }

    @Test("S1-m6 A replayed response is recorded once")
    func recordsRepetitionsOnce() async throws {
        try await TestServer.run { server in
            for _ in 0..<2 {
                _ = try await server.send(
                    .post,
                    "/v1/keys",
                    #"{"name":"n","scopes":["read"]}"#,
                    key: server.serverKey,
                    headers: ["Idempotency-Key": "one"]
                )
            }

            #expect(try await entries(server).count == 1)
        }
    }
}
