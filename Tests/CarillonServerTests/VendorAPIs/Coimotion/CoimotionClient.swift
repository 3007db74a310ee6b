import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// A phone with an app of COIMOTION's: an App that turned the API on, with accounts and content sets.
struct CoimotionClient: Sendable {
    static let code = "demoApp"
    static let key = "1b4e28ba-2fa1-11d2-883f-0016d3cca427"

    /// Rules by which people have accounts.
    static var accounts: AccountRules {
        var rules = AccountRules()
        rules.isOn = true
        return rules
    }

    let server: TestServer
    let secrets: AppSecrets

    var app: AppID { secrets.app.id }

    /// Runs a test with an App that has the API on.
    static func run(
        _ settings: CoimotionSettings = CoimotionSettings(
            code: code,
            contentSets: .init(twShow: "events", twCtBus: "buses")
        ),
        rules: AccountRules = accounts,
        testing: TestingSetup = .router,
        _ configure: (inout APIServer.Configuration, inout NodeStatus) -> Void = { _, _ in },
        _ test: @Sendable (CoimotionClient) async throws -> Void
    ) async throws {
        try await TestServer.run(configure, testing: testing) { server in
            let secrets = try await server.makeAccounts { $0 = rules }.app
            let request = VendorAPIRequest(key: key, coimotion: settings)
            _ = try await server.engine.vendorAPIs.turnOn(.coimotion, app: secrets.app.id, request)
            try await test(CoimotionClient(server: server, secrets: secrets))
        }
    }

    /// Sends a call as the vendor's SDKs do; checks that the answer is 200 with an envelope.
    func post(
        _ path: String,
        _ parameters: [String: JSONValue] = [:],
        token: String? = nil,
        key: String? = CoimotionClient.key,
        code: String = CoimotionClient.code,
        headers: [String: String] = [:]
    ) async throws -> CoimotionReply {
        var body = parameters
        body["_key"] = key.map(JSONValue.string)
        if let token { body["token"] = .string(token) }
        return try await send(.post, path, body: try text(body), code: code, headers: headers)
    }

    /// Sends a call by GET.
    func get(_ path: String, _ query: String = "", key: String? = CoimotionClient.key) async throws -> CoimotionReply {
        let all = [key.map { "_key=" + $0 }, query.isEmpty ? nil : query].compactMap(\.self).joined(separator: "&")
        return try await send(.get, path + (all.isEmpty ? "" : "?" + all))
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        body: String? = nil,
        code: String = CoimotionClient.code,
        headers: [String: String] = [:]
    ) async throws -> CoimotionReply {
        let answer = try await server.send(method, "/\(code)/\(path)", body, headers: headers)
        #expect(answer.status == .ok, "\(path)")
        #expect(answer.headers[.contentType] == "application/json")
        let reply = CoimotionReply(
            body: try answer.decoded(JSONValue.self),
            retryAfter: answer.headers[.retryAfter],
            text: String(buffer: answer.body)
        )
        #expect(reply.code != nil && reply.body["message"]?.string?.isEmpty == false, "\(reply.body)")
        if reply.code != 0 { #expect(reply.value == nil && reply.token ?? "" == "", "\(reply.body)") }
        return reply
    }

    func text(_ parameters: [String: JSONValue]) throws -> String {
        String(decoding: try JSONEncoder().encode(JSONValue.object(parameters)), as: UTF8.self)
    }

    // MARK: Accounts

    /// What the vendor's SDKs send of a password.
    static func salted(_ password: String, _ name: String) -> JSONValue {
        .string(SaltedPassword(password, name: name).text)
    }

    func register(_ name: String = "alice", _ password: String = "correct horse") async throws -> CoimotionReply {
        let sent = Self.salted(password, name)
        return try await post("core/user/register", ["accName": .string(name), "passwd": sent, "passwd2": sent])
    }

    func login(_ name: String = "alice", _ password: String = "correct horse") async throws -> CoimotionReply {
        try await post("core/user/login", ["accName": .string(name), "passwd": Self.salted(password, name)])
    }

    /// Registers and activates; returns the token.
    func signUp(_ name: String = "alice", _ password: String = "correct horse") async throws -> String {
        let activation = try #require(try await register(name, password).value?["actID"]?.string)
        return try #require(try await post("core/user/activate/" + activation).token)
    }

    func profile(_ token: String?) async throws -> CoimotionReply { try await post("core/user/profile", token: token) }

    // MARK: Content

    /// Fills the content set of events.
    func importEvents(_ file: String = CoimotionFixtures.events) async throws {
        try await makeSet("events", "culture")
        _ = try await sets.importFile(Array(file.utf8), .culture, table: nil, into: "events", app: app)
    }

    /// Fills the content set of buses.
    func importBuses() async throws {
        try await makeSet("buses", "transit")
        for (table, file) in [("stops", CoimotionFixtures.stops), ("routes", CoimotionFixtures.routes)] {
            _ = try await sets.importFile(Array(file.utf8), .json, table: table, into: "buses", app: app)
        }
    }

    /// What vehicles tell now, in TDX's form.
    func tell(_ estimates: String) async throws {
        let (store, now) = (server.stores.contentSources, server.clock.now())
        var request = ContentSourceRequest(.tdxArrivals, url: "https://example.com/live")
        request.city = "Kaohsiung"
        let source = ContentSource(app: app, set: "buses", name: "live", request: request)
        _ = try await store.put(source, secret: .remove, at: now).get()
        let due = DueContentSource(app: app, set: "buses", name: "live")
        let end = now.advanced(by: .seconds(60))
        _ = try await store.makeDue("live", of: "buses", app: app, at: now)
        let claimed = try #require(
            try await store.claim(due, as: .random(in: 1 ... .max), at: now, until: end)
        )
        var state = claimed.source.state
        state.fetchedAt = now
        let feed = ContentFeed(format: .tdxArrivals, fetchedAt: now, body: Array(estimates.utf8))
        #expect(try await store.complete(claimed, state, next: end, feed: feed))
    }

    private func makeSet(_ name: String, _ preset: String) async throws {
        let definition = try #require(ContentSetDefinition.preset(preset))
        _ = try await sets.put(name, definition, app: app)
    }

    private var sets: ContentSets { server.content.sets }
}

/// An answer in the vendor's form.
struct CoimotionReply: Sendable {
    var body: JSONValue
    var retryAfter: String?
    var text = ""

    var code: Int64? { body["errCode"]?.integer }
    var message: String { body["message"]?.string ?? "" }
    var value: JSONValue? { body["value"] }
    var list: [JSONValue]? { value?["list"]?.array }
    var token: String? { body["token"]?.string }

    /// The names of the envelope's members.
    var names: Set<String> { Set((body.object ?? [:]).keys) }

    /// A member of each row.
    func texts(_ name: String) -> [String] { list?.map { $0[name]?.string ?? "?" } ?? [] }
}
