import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonServer
import CarillonStore
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

struct EventTests {
    /// An event of a push that the server made.
    private func event(_ server: TestServer, _ app: AppID, device: Int64, kind: String) async throws -> String {
        let occurrence = OccurrenceID(milliseconds: server.clock.now().rawValue, sequence: 1)
        let key = try await server.engine.apps.receiptKey(for: app)
        var receipt = [UInt8](repeating: 0, count: 24)
        receipt.withUnsafeMutableBytes { bytes in
            key.write(occurrence: occurrence, device: DeviceNumber(rawValue: device), into: bytes)
        }
        let text = String(decoding: receipt, as: UTF8.self)
        _ = try await server.stores.database.write { connection in
            try connection.run(
                """
                INSERT INTO occurrences (app_id, id, campaign_id, last_device, started_at, retry_until, next_chunk)
                VALUES ($1, $2, 1, 0, 0, 0, 0) ON CONFLICT DO NOTHING
                """,
                app,
                occurrence
            )
        }
        return """
            {"occurrence":"\(occurrence)","receipt":"\(text)","kind":"\(kind)","at":"2026-11-21T08:44:00.120Z"}
            """
    }

    @Test("Events count once; an invalid one does not affect the others")
    func counts() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let header = ["Carillon-App-Key": app.appKey]
            let received = try await event(server, app.app.id, device: 1, kind: "received")
            let opened = try await event(server, app.app.id, device: 1, kind: "opened")
            let forged = received.replacing("\"receipt\":\"", with: "\"receipt\":\"A").replacing(
                "A\",\"kind",
                with: "\",\"kind"
            )
            let body = "{\"events\":[\(received),{\"kind\":\"opened\"},\(opened),\(received)]}"

            let first = try await server.send(.post, "/v1/events", body, headers: header).decoded(EventBatchAnswer.self)
            let second = try await server.send(.post, "/v1/events", "{\"events\":[\(opened)]}", headers: header)
                .decoded(EventBatchAnswer.self)
            let third = try await server.send(.post, "/v1/events", "{\"events\":[\(forged)]}", headers: header)
                .decoded(EventBatchAnswer.self)

            #expect(first.counted == 2 && first.repeated == 1 && first.rejected.map(\.index) == [1])
            #expect(second == EventBatchAnswer(counted: 0, repeated: 1, rejected: []))
            #expect(third.counted == 0 && third.rejected.map(\.index) == [0])
        }
    }

    @Test("C-51 C-52 a launch is accepted with its location, and an invalid location is refused")
    func launches() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let launch = try await event(server, app.app.id, device: 1, kind: "launched").dropLast()
            let events = [
                launch + ",\"latitude\":35.68,\"longitude\":139.76}", launch + ",\"latitude\":91,\"longitude\":0}",
                launch + ",\"latitude\":\"x\"}",
            ]

            let answer = try await server.send(
                .post,
                "/v1/events",
                "{\"events\":[\(events.joined(separator: ","))]}",
                headers: ["Carillon-App-Key": app.appKey]
            ).decoded(EventBatchAnswer.self)

            #expect(answer.counted == 1 && answer.rejected.map(\.index) == [1, 2])
        }
    }

    @Test("A receipt of another App proves nothing")
    func refusesOtherApps() async throws {
        try await TestServer.run { server in
            let own = try await server.makeApp()
            let other = try await server.makeApp()
            let event = try await event(server, other.app.id, device: 1, kind: "received")

            let answer = try await server.send(
                .post,
                "/v1/events",
                "{\"events\":[\(event)]}",
                headers: ["Carillon-App-Key": own.appKey]
            )

            #expect(try answer.decoded(EventBatchAnswer.self).rejected.count == 1)
        }
    }

    @Test("Without an App key events are refused")
    func asksForAppKey() async throws {
        try await TestServer.run { server in
            let none = try await server.send(.post, "/v1/events", "{\"events\":[]}")
            let unknown = try await server.send(
                .post,
                "/v1/events",
                "{\"events\":[]}",
                headers: ["Carillon-App-Key": "ak_x"]
            )

            #expect(none.problem == "missing-credentials" && none.headers[.wwwAuthenticate] != nil)
            #expect(unknown.problem == "wrong-credentials")
        }
    }
}
