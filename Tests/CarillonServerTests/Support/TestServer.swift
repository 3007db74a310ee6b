import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonServer
import CarillonStore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOConcurrencyHelpers
import NIOCore
import TestStores
import Testing

/// A server on an empty database of its own, asked without a socket.
struct TestServer: Sendable {
    let client: any TestClientProtocol
    let stores: Stores
    let engine: Engine
    let clock: MovableClock
    let content: ContentServices
    /// The server's first key, which may do everything.
    let serverKey: String

    /// Runs a test against a new server.
    static func run(
        _ configure: (inout APIServer.Configuration, inout NodeStatus) -> Void = { _, _ in },
        store: SQLiteDatabase.Options = .forTests,
        testing: TestingSetup = .router,
        _ test: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let clock = MovableClock()
        let (engine, stores) = try await makeServices(store: store, clock: clock)
        var configuration = APIServer.Configuration()
        var node = NodeStatus()
        configure(&configuration, &node)
        let key = try #require(try await engine.access.firstKey())
        let content = ContentServices(stores, engine, UnusedFetcher())
        let server = APIServer(
            configuration: configuration,
            engine: engine,
            content: content,
            node: node,
            logger: logger
        )
        try await server.application().test(testing) { client in
            try await test(
                TestServer(
                    client: client,
                    stores: stores,
                    engine: engine,
                    clock: clock,
                    content: content,
                    serverKey: key.secret
                )
            )
        }
    }

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// The engine's services on an empty database.
    static func makeServices(
        store: SQLiteDatabase.Options = .forTests,
        clock: MovableClock = MovableClock()
    ) async throws -> (engine: Engine, stores: Stores) {
        let stores = try await Stores(migrating: try await TestDatabase(store), now: clock.now())
        return (try engine(stores, clock), stores)
    }

    /// The services of another node on the same store.
    func anotherEngine(_ options: Accounts.Options? = nil) throws -> Engine {
        try Self.engine(stores, clock, options ?? Self.accountOptions)
    }

    private static func engine(
        _ stores: Stores,
        _ clock: MovableClock,
        _ accountOptions: Accounts.Options = accountOptions
    ) throws -> Engine {
        let vault = try #require(Vault(masterKey: [UInt8](repeating: 7, count: 32)))
        let context = EngineContext(vault: vault, clock: clock, logger: logger)
        return Engine(
            stores: stores,
            context: context,
            apps: context.apps(stores),
            sender: PlainSender(),
            webhookClient: StubWebhookClient(),
            accountOptions: accountOptions,
            operatorOptions: operatorOptions
        )
    }

    /// Passwords that cost little.
    private static var accountOptions: Accounts.Options {
        var options = Accounts.Options()
        options.passwords.parameters = .init(logRounds: 10, blockSize: 8, parallelism: 1)
        return options
    }

    private static var operatorOptions: Operators.Options {
        var options = Operators.Options()
        options.passwords.parameters = accountOptions.passwords.parameters
        return options
    }

    // MARK: Requests

    /// Sends a request with a JSON body and returns the answer.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        key: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> TestResponse {
        var fields = HTTPFields()
        if body != nil { fields[.contentType] = "application/json" }
        if let key { fields[.authorization] = "Bearer " + key }
        for (name, value) in headers {
            fields[try #require(HTTPField.Name(name))] = value
        }
        return try await client.executeRequest(
            uri: path,
            method: method,
            headers: fields,
            body: body.map { ByteBuffer(string: $0) }
        )
    }

    /// Creates an App with a push key, whose Users need no proof.
    func makeApp(identity: App.Identity = .open) async throws -> AppSecrets {
        var request = AppRequest(name: "Bus", bundleID: "org.example.bus", identity: identity)
        request.personalMessages = true
        var secrets = try await engine.apps.create(request)
        let (id, now): (AppID, Timestamp) = (secrets.app.id, clock.now())
        let app = try await stores.apps.setPushKey(id, keyID: "K", teamID: "T", sealedPrivateKey: [1], at: now)
        secrets.app = try #require(app)
        return secrets
    }

    /// Creates an API key.
    func makeKey(_ app: AppID?, _ scopes: APIKeyScope...) async throws -> String {
        try await engine.access.createKey(app: app, APIKeyRequest(name: "key", scopes: scopes)).secret
    }

    /// The fields by which a Device proves itself.
    func device(_ app: AppSecrets, secret: String = TestServer.deviceSecret) -> [String: String] {
        ["Carillon-App-Key": app.appKey, "Carillon-Device-Secret": secret]
    }

    static let deviceSecret = String(repeating: "s", count: 43)
}

extension TestResponse {
    /// The body as a value.
    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body.readableBytesView))
    }

    /// The problem's code, when the answer is a well-formed problem.
    var problem: String? {
        guard headers[.contentType] == "application/problem+json", let problem = try? decoded(Problem.self),
            problem.status == status.code, problem.type == "urn:carillon:problem:" + problem.code
        else { return nil }
        return problem.code
    }

    /// The field that the problem names.
    var field: String? { (try? decoded(Problem.self))?.errors?.first?.field }
}

/// A clock that the test moves.
final class MovableClock: WallClock {
    private let time = NIOLockedValueBox<Int64>(1_795_250_640_000)

    func now() -> Timestamp { Timestamp(rawValue: time.withLockedValue { $0 }) }

    func advance(byMilliseconds milliseconds: Int64) { time.withLockedValue { $0 += milliseconds } }
}

/// Posts to nobody: it answers 204 unless the address says otherwise.
struct StubWebhookClient: WebhookClient {
    func objection(to url: String) -> String? { url.hasPrefix("https://") ? nil : "begin with https://" }

    func post(_ post: WebhookPost) async -> WebhookAnswer {
        post.url.hasSuffix("/down")
            ? .failed("There is no connection to the address.") : .answered(status: 204, retryAfter: nil)
    }
}

/// Fetches nothing.
struct UnusedFetcher: ContentFetcher {
    func objection(to url: String) -> String? {
        url.hasPrefix("https://") && !url.hasPrefix("https://127.") ? nil : "begin with https://"
    }

    func fetch(_ fetch: ContentFetch) async -> ContentFetchAnswer {
        Issue.record("Nothing is fetched here.")
        return .failed("Nothing is fetched here.")
    }
}

/// Renders a message as its bodies' text, so that a test can make one that is too large; it never sends.
struct PlainSender: Sender {
    static let limit = 4_096

    func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering {
        let content = draft.language.flatMap { draft.message.content[$0] }
        let bytes = Array(((content?.title ?? "") + (content?.body ?? "")).utf8) + [UInt8](repeating: 0x30, count: 24)
        let limit = min(Self.limit, draft.limit ?? .max)
        guard draft.isTemplate || bytes.count <= limit else {
            throw RenderingError(language: draft.language, byteCount: bytes.count, limit: limit)
        }
        return Rendering(bytes: bytes, receiptOffset: bytes.count - 24, limit: limit)
    }

    func blamesToken(_ reason: FailureReason) -> Bool { reason.rawValue == "Unregistered" }

    func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence] {
        Issue.record("Nothing is sent in these tests.")
        return batch.devices.map { _ in .retryLater(.notSent, after: nil) }
    }
}
