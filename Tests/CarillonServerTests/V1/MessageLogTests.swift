import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import HTTPTypes
import HummingbirdTesting
import Testing

@Suite struct MessageLogRouteTests {
    private static let device = "00000000-0000-4000-8000-000000000001"

    @Test("T-43 A notification's result is found by Device, User or Campaign")
    func looksUp() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let key = try await server.makeKey(app.app.id, .read, .send)
            let registration =
                #"{"token":"\#(String(repeating: "ab", count: 32))","user":"u/1","consent":{"notifications":true}}"#
            _ = try await server.send(.put, "/v1/devices/\(Self.device)", registration, headers: server.device(app))
            let body = #"{"audience":{"all":true},"message":{"content":{"default":{"body":"Hello"}}}}"#
            let sent = try await server.send(.post, "/v1/campaigns", body, key: key).decoded(Campaign.self)
            let occurrence = try #require(sent.occurrence)
            try await server.insertDelivery(app: app.app.id, occurrence)

            for query in ["device=\(Self.device)", "user=u%2F1", "campaign=\(sent.id)"] {
                let page = try await server.send(.get, "/v1/message-log?\(query)", key: key)
                    .decoded(Page<LoggedMessage>.self)
                #expect(page.items.map(\.campaign) == [sent.id], "\(query)")
                #expect(page.items.first?.outcome == .accepted)
                #expect(page.items.first?.openedAt == Timestamp(rawValue: 1_795_250_645_000))
                #expect(page.nextCursor == nil)
            }
            let later = "/v1/message-log?device=\(Self.device)&from=2030-01-01T00:00:00Z"
            #expect(try await server.send(.get, later, key: key).decoded(Page<LoggedMessage>.self).items.isEmpty)
            let earlier = "/v1/message-log?device=\(Self.device)&until=9999-01-01T00:00:00Z"
            #expect(try await server.send(.get, earlier, key: key).decoded(Page<LoggedMessage>.self).items.count == 1)
        }
    }

    @Test("An invalid query is reported by its field; a key of another App finds nothing")
    func refuses() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let other = try await server.makeApp()
            let key = try await server.makeKey(app.app.id, .read)
            let wrong = [
                "": "device", "?device=1": "device", "?user=": "user", "?campaign=x": "campaign",
                "?device=\(Self.device)&user=u": "user", "?device=\(Self.device)&cursor=!": "cursor",
                "?device=\(Self.device)&limit=201": "limit", "?device=\(Self.device)&from=now": "from",
                "?colour=red": "colour",
            ]
            for (query, field) in wrong {
                #expect(try await server.send(.get, "/v1/message-log\(query)", key: key).field == field, "\(query)")
            }
            let path = "/v1/message-log?device=\(Self.device)"
            #expect(try await server.send(.get, path, key: key).problem == "unknown-device")
            #expect(try await server.send(.get, path + "&app=\(other.app.id)", key: key).problem == "unknown-app")
            let sender = try await server.makeKey(app.app.id, .send)
            #expect(try await server.send(.get, path, key: sender).problem == "missing-scope")
            #expect(try await server.send(.get, path).status == .unauthorized)
        }
    }
}

extension TestServer {
    /// What a dispatcher and a phone would have left: nothing is sent in these tests.
    fileprivate func insertDelivery(app: AppID, _ occurrence: OccurrenceID) async throws {
        _ = try await stores.database.write { connection in
            try connection.run(
                """
                INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at)
                SELECT app_id, $1, number, 1, 1, 0, 1795250640000 FROM devices WHERE app_id = $2
                """,
                occurrence,
                app
            )
            try connection.run(
                """
                INSERT INTO events (app_id, occurrence_id, device_number, kind, action, occurred_at)
                SELECT app_id, $1, number, $2, '', 1795250645000 FROM devices WHERE app_id = $3
                """,
                occurrence,
                Event.Kind.opened.code,
                app
            )
        }
    }
}
