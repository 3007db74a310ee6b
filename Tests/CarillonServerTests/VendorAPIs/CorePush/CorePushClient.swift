import CarillonEngine
package import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// A caller of CORE PUSH's API: an App that turned it on, its config key and its secret.
struct CorePushClient: Sendable {
    static let configKey = "0123456789abcdef0123456789abcdef"
    static let secret = "a1B2c3D4e5F6"

    let server: TestServer
    let app: AppID
    /// What the App's SDK sends.
    let appKey: String

    /// Runs a test with an App that has the API on.
    static func run(
        identity: App.Identity = .open,
        payloadLimit: Int? = nil,
        _ configure: (inout APIServer.Configuration, inout NodeStatus) -> Void = { _, _ in },
        _ test: @Sendable (CorePushClient) async throws -> Void
    ) async throws {
        try await TestServer.run(configure) { server in
            let secrets = try await server.makeApp(identity: identity)
            let app = secrets.app.id
            var change = AppUpdate()
            (change.dialect, change.payloadLimit) = (.corepush, payloadLimit)
            _ = try await server.engine.apps.update(app, change)
            let keys = VendorAPIRequest(key: configKey, secret: secret)
            _ = try await server.engine.vendorAPIs.turnOn(.corepush, app: app, keys)
            try await test(CorePushClient(server: server, app: app, appKey: secrets.appKey))
        }
    }

    // MARK: Calls

    /// Sends fields as a form, with the config key.
    func send(
        _ path: String,
        _ fields: [(String, String)] = [],
        secret: String? = nil,
        key: String = CorePushClient.configKey
    ) async throws -> CorePushReply {
        let pairs = ([("config_key", key)] + fields).map { "\(Self.encoded($0))=\(Self.encoded($1))" }
        return try await send(path, body: pairs.joined(separator: "&"), secret: secret)
    }

    /// Sends a body as it is; checks that the answer is 200 with a status that is a text.
    func send(
        _ path: String,
        body: String,
        secret: String? = nil,
        headers: [String: String] = [:],
        method: HTTPRequest.Method = .post
    ) async throws -> CorePushReply {
        var fields = HTTPFields()
        fields[.contentType] = "application/x-www-form-urlencoded"
        if let secret { fields[.authorization] = "Basic " + Data("corepush:\(secret)".utf8).base64EncodedString() }
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        let uri = "/" + path + ".php"
        let body = ByteBuffer(string: body)
        let answer = try await server.client.executeRequest(uri: uri, method: method, headers: fields, body: body)
        #expect(answer.status == .ok, "\(uri)")
        #expect(answer.headers[.contentType] == "application/json")
        let reply = CorePushReply(body: try answer.decoded(JSONValue.self))
        #expect(reply.status == "0" || reply.status == "1" && !reply.message.isEmpty, "\(reply.body)")
        return reply
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    // MARK: Tokens

    static func token(_ byte: Int) -> String { String(repeating: String(format: "%02x", byte), count: 32) }

    /// Registers a token as an app does, which must succeed.
    func register(_ byte: Int, _ fields: [(String, String)] = []) async throws {
        let fields = [("device_token", Self.token(byte)), ("mode", "1")] + fields
        let reply = try await send("iphone_token_regist", fields)
        #expect(reply.status == "0", "\(reply.body)")
    }

    /// What the Device of a token last registered; `nil` when no Device has it.
    func registered(_ byte: Int) async throws -> RegisteredToken? {
        let token = try #require(DeviceToken(hexadecimal: Self.token(byte)))
        return try await server.engine.devices.tokens(token, tenant: nil, app: app, isTrusted: true).first
    }

    // MARK: Sending

    static func data(_ items: JSONValue) -> String {
        // Texts, lists and objects are always encodable.
        ((try? JSONEncoder().encode(items)) ?? Data()).base64EncodedString()
    }

    /// Sends items, as a back end does.
    func push(
        _ items: JSONValue,
        path: String = "iphone_push_request",
        _ fields: [(String, String)] = []
    ) async throws -> CorePushReply {
        try await send(path, [("request_data", Self.data(items))] + fields, secret: Self.secret)
    }

    /// Sends items, and returns their Campaigns, the first one first.
    func campaigns(
        _ items: JSONValue,
        path: String = "iphone_push_request",
        _ fields: [(String, String)] = []
    ) async throws -> [Campaign] {
        let reply = try await push(items, path: path, fields)
        let key = try #require(reply["feedback_key"]?.string.flatMap { CorePushKey($0) }, "\(reply.body)")
        return try await key.campaigns(server.engine.campaigns, app: app).reversed()
    }

    /// Takes an Occurrence's notifications as if Apple had.
    func deliver(_ campaign: Campaign, _ outcome: Delivery.Outcome = .accepted) async throws {
        try await server.deliver(try #require(campaign.occurrence), app: app, outcome)
    }
}

/// An answer in the vendor's form.
struct CorePushReply: Sendable {
    var body: JSONValue

    /// Only a text is one.
    var status: String? { body["status"]?.string }
    var message: String { body["message"]?.string ?? "" }

    subscript(_ name: String) -> JSONValue? { body[name] }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
