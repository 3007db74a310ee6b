import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

struct AppDeletionTests {
    @Test("Only a key of the server deletes an App, and then the App does not exist for anybody")
    func deletes() async throws {
        try await TestServer.run { server in
            let (app, other) = (try await server.makeApp(), try await server.makeApp())
            let own = try await server.makeKey(app.app.id, .admin)
            let reader = try await server.makeKey(nil, .read)
            let path = "/v1/apps/\(app.app.id)"
            let draft = try await server.send(.post, "/v1/campaigns", CampaignTests.draft, key: own)
            let campaign = "/v1/campaigns/\(try draft.decoded(Campaign.self).id)"
            let phone = server.device(app)
            let device = "/v1/devices/\(DeviceID(rawValue: UUID()))"
            let registration = #"{"consent":{"notifications":false}}"#
            #expect(try await server.send(.put, device, registration, headers: phone).status == .created)

            #expect(try await server.send(.delete, path, key: own).problem == "server-key-required")
            #expect(try await server.send(.delete, path, key: reader).problem == "missing-scope")
            #expect(try await server.send(.get, path, key: own).status == .ok)
            #expect(try await server.send(.delete, path, key: server.serverKey).status == .noContent)

            #expect(try await server.send(.get, path, key: own).status == .unauthorized)
            #expect(try await server.send(.put, device, registration, headers: phone).status == .unauthorized)
            #expect(try await server.send(.post, "/v1/events", "{}", headers: phone).status == .unauthorized)
            for key in [server.serverKey, reader] {
                #expect(try await server.send(.get, path, key: key).problem == "unknown-app")
                for query in ["campaigns", "audiences", "statistics-ids", "webhooks", "tags", "templates"] {
                    let answer = try await server.send(.get, "/v1/\(query)?app=\(app.app.id)", key: key)
                    #expect(answer.problem == "unknown-app", "\(query)")
                }
                #expect(try await server.send(.get, campaign, key: key).problem == "unknown-campaign")
                let all = try await server.send(.get, "/v1/campaigns", key: key).decoded(Page<Campaign>.self)
                #expect(all.items.isEmpty)
                let apps = try await server.send(.get, "/v1/apps", key: key).decoded(Page<App>.self)
                #expect(apps.items.map(\.id) == [other.app.id])
            }
            let byKey = "\(device)?app=\(app.app.id)"
            #expect(try await server.send(.get, byKey, key: server.serverKey).problem == "unknown-app")
            #expect(try await server.send(.delete, path, key: server.serverKey).problem == "unknown-app")
            #expect(
                try await server.send(
                    .post,
                    "/v1/campaigns?app=\(app.app.id)",
                    CampaignTests.draft,
                    key: server.serverKey
                ).problem == "unknown-app"
            )
            let others = server.device(other)
            #expect(try await server.send(.put, device, registration, headers: others).status == .created)
        }
    }

    @Test("The audit log keeps the entries of a deleted App, that of its deletion too")
    func audit() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let path = "/v1/apps/\(app.app.id)"
            _ = try await server.send(.patch, path, #"{"name":"New"}"#, key: server.serverKey)
            _ = try await server.send(.delete, path, key: server.serverKey)

            let answer = try await server.send(.get, "/v1/audit?app=\(app.app.id)", key: server.serverKey)
            let entries = try answer.decoded(Page<AuditEntry>.self).items.filter { $0.action != "GET /v1/audit" }

            #expect(entries.map(\.action) == ["DELETE /v1/apps/{app}", "PATCH /v1/apps/{app}"])
            #expect(entries.map(\.status) == [204, 200])
        }
    }
}
