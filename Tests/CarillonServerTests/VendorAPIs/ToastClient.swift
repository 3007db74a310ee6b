import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// A caller of TOAST Push's API: an App that turned it on, its app key and its secret key.
struct ToastClient: Sendable {
    static let appKey = "zaq1xsw2cde3vfr4"
    static let secretKey = "a1B2c3D4"

    let server: TestServer
    let app: AppID
    var version = "v2.4"

    /// Runs a test with an App that has the API on.
    static func run(
        identity: App.Identity = .open,
        _ configure: (inout APIServer.Configuration, inout NodeStatus) -> Void = { _, _ in },
        _ test: @Sendable (ToastClient) async throws -> Void
    ) async throws {
        try await TestServer.run(configure) { server in
            let app = try await server.makeApp(identity: identity).app.id
            var change = AppUpdate()
            change.dialect = .toast
            _ = try await server.engine.apps.update(app, change)
            let keys = VendorAPIRequest(key: appKey, secret: secretKey)
            _ = try await server.engine.vendorAPIs.turnOn(.toast, app: app, keys)
            try await test(ToastClient(server: server, app: app))
        }
    }

    func of(_ version: String) -> ToastClient {
        var client = self
        client.version = version
        return client
    }

    /// Sends a call, without a secret key where that is `nil`; checks that the answer is 200 with an envelope.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        secret: String? = ToastClient.secretKey,
        appKey: String = ToastClient.appKey,
        headers: [String: String] = [:]
    ) async throws -> ToastReply {
        var fields = headers
        fields["X-Secret-Key"] = secret
        let uri = "/push/\(version)/appkeys/\(appKey)/\(path)"
        let answer = try await server.send(method, uri, body, headers: fields)
        #expect(answer.status == .ok, "\(uri)")
        #expect(answer.headers[.contentType] == "application/json")
        let reply = ToastReply(body: try answer.decoded(JSONValue.self))
        #expect(reply.isSuccessful == (reply.code == 0), "\(reply.body)")
        return reply
    }

    // MARK: Tokens

    static func token(_ byte: Int) -> String { String(repeating: String(format: "%02x", byte), count: 32) }

    /// A registration with all fields; a value of `nil` leaves a field out.
    static func registration(_ changes: [String: JSONValue?] = [:]) throws -> String {
        var fields: [String: JSONValue?] = [
            "token": .string(token(1)), "pushType": "APNS", "isNotificationAgreement": true, "isAdAgreement": true,
            "isNightAdAgreement": true, "timezoneId": "Asia/Seoul", "country": "KR", "language": "ko", "uid": "u-1",
            "deviceId": "3F2504E0-4F89-41D3-9A0C-0305E82C3301",
        ]
        fields.merge(changes) { $1 }
        return String(decoding: try JSONEncoder().encode(fields.compactMapValues(\.self)), as: UTF8.self)
    }

    /// Registers a token, which must succeed.
    func register(_ byte: Int, uid: String, _ changes: [String: JSONValue?] = [:]) async throws {
        var fields: [String: JSONValue?] = [
            "token": .string(Self.token(byte)), "uid": .string(uid),
            "deviceId": .string(String(format: "3F2504E0-4F89-41D3-9A0C-0305E82C33%02X", byte)),
        ]
        fields.merge(changes) { $1 }
        let reply = try await send(.post, "tokens", try Self.registration(fields), secret: nil)
        #expect(reply.code == 0, "\(reply.body)")
    }

    /// The record of a token; `nil` when there is none.
    func token(_ byte: Int, _ pushType: String = "APNS", tenant: String? = nil) async throws -> JSONValue? {
        let name = Self.token(byte) + (tenant.map { "%23tenant%3D" + $0 } ?? "")
        let reply = try await send(.get, "tokens/\(name)?pushType=\(pushType)", secret: nil)
        #expect(reply.code == 0 || reply.code == 40401, "\(reply.body)")
        return reply["token"]
    }

    /// Creates a tag.
    func makeTag(_ name: String) async throws -> String {
        let reply = try await send(.post, "tags", "{\"tagName\":\"\(name)\"}")
        return try #require(reply["tag"]?["tagId"]?.string)
    }
}

/// An answer in the vendor's form.
struct ToastReply: Sendable {
    var body: JSONValue

    var isSuccessful: Bool? { body["header"]?["isSuccessful"]?.bool }
    var code: Int64? { body["header"]?["resultCode"]?.integer }
    var message: String { body["header"]?["resultMessage"]?.string ?? "" }

    subscript(_ name: String) -> JSONValue? { body[name] }
}
