import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// How much of a body is read from whom.
struct CorePushBodyTests {
    /// More fields than a form may have, most of them beyond the first 64 KiB.
    private static let filler = (0..<1_100).map { "&f\($0)=" + String(repeating: "a", count: 100) }.joined()
    private static let key = "config_key=" + CorePushClient.configKey

    @Test("A large body is read to its end only when its key and secret are right")
    func readsInSteps() async throws {
        try await CorePushClient.run { (client) async throws in
            func message(_ body: String, secret: String = CorePushClient.secret) async throws -> String {
                try await client.send("iphone_push_request", body: body, secret: secret).message
            }
            #expect(try await message("config_key=unknownunknown" + Self.filler) == "config_key is of no App.")
            #expect(try await message(Self.key + Self.filler, secret: "wrongwrong") == "The secret is wrong.")
            #expect(try await message(Self.key + Self.filler).contains("at most 1000 fields"))
            let late = "a=1" + Self.filler + "&" + Self.key
            #expect(try await message(late) == "config_key must come within the first 65536 bytes.")
            let large = "&a=" + String(repeating: "a", count: 100_000)
            #expect(try await message(Self.key + large) == "request_data is required.")
            let twice = Self.key + large + "&config_key=unknownunknown"
            #expect(try await message(twice) == "config_key must be there once.")
        }
    }

    @Test("A large multipart body is read in the same steps")
    func multipart() async throws {
        try await CorePushClient.run { (client) async throws in
            func message(_ key: String, secret: String) async throws -> String {
                let parts = [("config_key", key), ("request_data", String(repeating: "A", count: 100_000))]
                let body = parts.map { "--b\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n" }
                    .joined()
                let headers = ["Content-Type": "multipart/form-data; boundary=b"]
                let path = "iphone_push_request"
                return try await client.send(path, body: body + "--b--\r\n", secret: secret, headers: headers).message
            }
            #expect(try await message("unknownunknown", secret: CorePushClient.secret) == "config_key is of no App.")
            #expect(try await message(CorePushClient.configKey, secret: "wrongwrong") == "The secret is wrong.")
            let right = try await message(CorePushClient.configKey, secret: CorePushClient.secret)
            #expect(right.hasPrefix("request_data must be"), "\(right)")
        }
    }

    @Test("An address that has sent too many wrong keys is refused before its body is read")
    func refusesFirst() async throws {
        try await CorePushClient.run { configuration, _ in
            configuration.requestLimits = RequestLimits()
            configuration.requestLimits?.unknownKey = 0.01
        } _: { (client) async throws in
            let path = "iphone_push_request"
            let wrong = try await client.send(path, body: Self.key, secret: "wrongwrong")
            #expect(wrong.message == "The secret is wrong.")
            let body = Self.filler
            let refused = try await client.send(path, body: body, secret: CorePushClient.secret)
            #expect(refused.message.hasPrefix("Too many wrong keys"), "\(refused.body)")
        }
    }

    @Test("With the secret a registration leaves the token of a device that its app registered itself")
    func keepsOwnDevices() async throws {
        try await CorePushClient.run { client in
            let headers = ["Carillon-App-Key": client.appKey, "Carillon-Device-Secret": TestServer.deviceSecret]
            let path = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
            let body = #"{"token":"\#(CorePushClient.token(1))","consent":{"notifications":true}}"#
            #expect(try await client.server.send(.put, path, body, headers: headers).status == .created)
            let fields = [("device_token", CorePushClient.token(1)), ("mode", "1")]
            let refused = try await client.send("iphone_token_regist", fields, secret: CorePushClient.secret)
            #expect(refused.status == "1" && refused.message.contains("registered itself"))
            #expect(try await client.registered(1)?.hasSecret == true)
        }
    }
}
