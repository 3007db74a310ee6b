import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// Tokens for calls, and forgetting, over HTTP.
struct VoIPTests {
    private static let device = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    private static let token = String(repeating: "0f", count: 32)

    private func register(_ server: TestServer, _ app: AppSecrets) async throws {
        let body = #"{"consent":{"notifications":false},"user":"u-1"}"#
        let answer = try await server.send(.put, Self.device, body, headers: server.device(app))
        #expect(answer.status == .created)
    }

    @Test("T-128 A VoIP token is registered, queried and removed independently")
    func registers() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let path = Self.device + "/voip"
            let body = "{\"token\":\"\(Self.token)\",\"pushType\":\"apns_voip_sandbox\"}"
            #expect(try await server.send(.put, path, body, headers: server.device(app)).problem == "unknown-device")
            try await register(server, app)
            let none = try await server.send(.get, path, headers: server.device(app))
            #expect(none.problem == "unknown-voip-token" && none.status == .notFound)

            let answer = try await server.send(.put, path, body, headers: server.device(app))

            let expected = VoIPRecord(
                pushType: .apnsVoIPSandbox,
                tokenState: .active,
                registeredAt: server.clock.now()
            )
            #expect(try answer.decoded(VoIPRecord.self) == expected)
            #expect(!String(buffer: answer.body).contains(Self.token))
            let got = try await server.send(.get, path, headers: server.device(app))
            #expect(try got.decoded(VoIPRecord.self) == expected)
            let record = try await server.send(.get, Self.device, headers: server.device(app))
            #expect(try record.decoded(DeviceRecord.self).tokenState == .none)
            for _ in 0..<2 {
                #expect(try await server.send(.delete, path, headers: server.device(app)).status == .noContent)
            }
            #expect(try await server.send(.get, path, headers: server.device(app)).problem == "unknown-voip-token")
        }
    }

    @Test("A token of another type is refused, and so is a stranger's")
    func refuses() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            try await register(server, app)
            let path = Self.device + "/voip"
            let alert = "{\"token\":\"\(Self.token)\",\"pushType\":\"apns\"}"
            #expect(try await server.send(.put, path, alert, headers: server.device(app)).field == "pushType")
            #expect(try await server.send(.put, path, "{}", headers: server.device(app)).field == "token")
            let body = "{\"token\":\"\(Self.token)\"}"
            let wrong = server.device(app, secret: String(repeating: "x", count: 43))
            #expect(try await server.send(.put, path, body, headers: wrong).problem == "wrong-device-secret")
            #expect(try await server.send(.get, path).problem == "missing-credentials")
            #expect(try await server.send(.get, path, key: server.serverKey).problem == "missing-credentials")
        }
    }

    @Test("A Device is erased with or without a body", arguments: [nil, "{}", #"{"user":true}"#])
    func forgets(_ body: String?) async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            try await register(server, app)
            let path = Self.device + "/forget"
            let wrong = server.device(app, secret: String(repeating: "x", count: 43))
            #expect(try await server.send(.post, path, body, headers: wrong).problem == "wrong-device-secret")

            #expect(try await server.send(.post, path, body, headers: server.device(app)).status == .noContent)

            #expect(try await server.send(.get, Self.device, headers: server.device(app)).problem == "unknown-device")
            #expect(try await server.send(.post, path, body, headers: server.device(app)).problem == "unknown-device")
        }
    }
}
