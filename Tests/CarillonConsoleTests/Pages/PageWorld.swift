import CarillonContentJobs
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOConcurrencyHelpers
import NIOCore
import TestStores
import Testing

@testable import CarillonConsole

/// A console on an empty database of its own, with a first admin, asked without a socket.
struct PageWorld: Sendable {
    let client: any TestClientProtocol
    let engine: Engine
    let content: ContentServices
    let stores: Stores
    let database: TestDatabase
    let clock: PageClock
    /// The session of an admin of everything.
    let admin: String

    private static let caller = OperatorCaller(address: "127.0.0.1", network: "127.0.0.1")
    private static let password = "a long password of tests"

    /// Runs a test against a new console.
    static func run(_ test: @Sendable (PageWorld) async throws -> Void) async throws {
        let clock = PageClock()
        let database = try await TestDatabase()
        let stores = try await Stores(migrating: database, now: clock.now())
        let vault = try #require(Vault(masterKey: [UInt8](repeating: 7, count: 32)))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let context = EngineContext(vault: vault, clock: clock, logger: logger)
        var options = Operators.Options()
        options.passwords.parameters = .init(logRounds: 10, blockSize: 8, parallelism: 1)
        options.secondFactorFrom = nil
        let engine = Engine(
            stores: stores,
            context: context,
            apps: context.apps(stores),
            sender: PageSender(),
            webhookClient: PageWebhookClient(),
            operatorOptions: options
        )
        let content = ContentServices(stores, engine, NoFetcher())
        var configuration = Console.Configuration()
        configuration.content = content
        let console = try Console(configuration, engine: engine, logger: logger)
        let responder = CallbackResponder<BasicRequestContext> { request, _ in
            let caller = ConsoleCaller(
                address: "127.0.0.1",
                network: "127.0.0.1",
                isEncrypted: false,
                requestID: "test"
            )
            return await console.answer(request, caller).response
        }
        let setup = try #require(try await engine.operators.newSetupLink())
        let opened = try await engine.operators.setUp(
            secret(of: setup),
            address: "admin@example.org",
            displayName: "Admin",
            password: password,
            by: caller
        )
        try await Application(responder: responder).test(.router) { client in
            try await test(
                PageWorld(
                    client: client,
                    engine: engine,
                    content: content,
                    stores: stores,
                    database: database,
                    clock: clock,
                    admin: opened.value
                )
            )
        }
    }

    /// The session of a new Operator.
    func session(_ role: OperatorRole, of apps: AppID...) async throws -> String {
        let number = try await engine.operators.list(after: nil, limit: 100).items.count
        let roles = OperatorRoles(
            everywhere: apps.isEmpty ? role : nil,
            apps: apps.map { OperatorAppRole(app: $0, role: role) }
        )
        let invitation = OperatorInvitation(address: "p\(number)@example.org", roles: roles)
        let invited = try await engine.operators.invite(invitation, by: .server).value
        return try await engine.operators.acceptInvitation(
            Self.secret(of: invited.link),
            displayName: "Person \(number)",
            password: Self.password,
            by: Self.caller
        ).value
    }

    private static func secret(of link: OperatorLink) -> String {
        String(link.path.split(separator: "/").last ?? "")
    }

    // MARK: Requests

    /// Reads a page below `/console`.
    func get(_ path: String, as session: String? = nil, language: Language = .english) async throws -> TestResponse {
        var headers: HTTPFields = [.acceptLanguage: language.rawValue]
        headers[.cookie] = "carillon-dev=" + (session ?? admin)
        return try await client.executeRequest(uri: "/console" + path, method: .get, headers: headers, body: nil)
    }

    /// Sends a form with its token.
    func post(_ path: String, as session: String? = nil) async throws -> TestResponse {
        let value = session ?? admin
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .origin: "http://localhost"]
        headers[.cookie] = "carillon-dev=" + value
        let body = ByteBuffer(string: "_csrf=" + FormFields.escaped(SessionValue.csrfToken(of: value)))
        return try await client.executeRequest(uri: "/console" + path, method: .post, headers: headers, body: body)
    }

    // MARK: What there is to see

    /// Creates an App with a push key.
    func makeApp(_ name: String = "Bus") async throws -> AppID {
        var request = AppRequest(name: name, bundleID: "org.example.bus", identity: .open)
        request.personalMessages = true
        let app = try await engine.apps.create(request).app.id
        let now = clock.now()
        _ = try await stores.apps.setPushKey(app, keyID: "K", teamID: "T", sealedPrivateKey: [1], at: now)
        return app
    }

    /// Registers a Device with a token of its number.
    @discardableResult
    func addDevice(_ number: UInt8, user: String? = nil, of app: AppID) async throws -> DeviceID {
        let id = try #require(DeviceID("00000000-0000-4000-8000-0000000000" + (number < 16 ? "0" : "") + hex(number)))
        var registration = Registration(token: Self.token(number), consent: Consent(notifications: true))
        registration.user = user.flatMap { UserID(rawValue: $0) }
        registration.language = "en"
        let secret = String(repeating: "s", count: 43)
        _ = try await engine.devices.register(app: app, device: id, secret: secret, registration)
        return id
    }

    static func token(_ number: UInt8) -> DeviceToken? {
        DeviceToken(bytes: [UInt8](repeating: number, count: 31) + [0xAB])
    }

    private func hex(_ number: UInt8) -> String { String(number, radix: 16) }

    /// Creates a Campaign.
    func makeCampaign(
        _ name: String,
        of app: AppID,
        title: String = "Title",
        _ change: (inout CampaignRequest) -> Void = { _ in }
    ) async throws -> Campaign {
        var message = Message(content: ["default": LocalizedContent(title: title, body: "Body")])
        // Braces are no placeholders here.
        message.isLiteral = true
        var request = CampaignRequest(audience: .all, message: message)
        request.name = name
        change(&request)
        return try await engine.campaigns.create(app: app, request)
    }

    /// Gives a paused Campaign an alarm, as a dispatcher does that Apple refuses.
    func setAlarm(_ alarm: String, of campaign: Campaign) async throws {
        _ = try await database.write { connection in
            try connection.run(
                "UPDATE campaigns SET alarm = $1 WHERE app_id = $2 AND id = $3",
                alarm,
                campaign.app,
                campaign.id
            )
        }
    }

    /// Gives all Devices of an Occurrence an outcome, as a dispatcher does.
    func deliver(
        _ campaign: Campaign,
        _ outcome: Delivery.Outcome = .accepted,
        reason: String = "BadDeviceToken"
    ) async throws {
        let (store, now) = (stores.deliveries, clock.now())
        let occurrence = try #require(campaign.occurrence)
        let waves = try await store.overview(at: now, from: WorkCursor()).waves
        let wave = try #require(waves.first { $0.occurrence == occurrence })
        let facts = try #require(try await store.facts(of: occurrence, app: campaign.app))
        let reading = try await store.read(wave, of: facts, limit: 100)
        let lease = try await store.lease(reading, of: wave, readAt: now, at: now, for: .random())
        var commit = ChunkCommit(lease: try #require(lease), at: now)
        commit.reasons = [FailureReason(rawValue: reason)]
        commit.rows = reading.recipients.numbers.map { .init(device: $0, pushType: .apns, outcome: outcome) }
        commit.waves = reading.later
        commit.ending = .isOver
        _ = try await store.commit(commit)
    }
}

extension TestResponse {
    /// The body as text.
    var text: String { String(buffer: body) }
}

/// A clock that the test moves.
final class PageClock: WallClock {
    private let time = NIOLockedValueBox<Int64>(1_795_250_640_000)

    func now() -> Timestamp { Timestamp(rawValue: time.withLockedValue { $0 }) }

    func advance(bySeconds seconds: Int64) { time.withLockedValue { $0 += 1_000 * seconds } }
}

/// Posts to nobody.
struct PageWebhookClient: WebhookClient {
    func objection(to url: String) -> String? { nil }

    func post(_ post: WebhookPost) async -> WebhookAnswer { .failed("There is no connection to the address.") }
}

/// Renders a message as a few bytes, and never sends.
struct PageSender: Sender {
    func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering {
        Rendering(bytes: [UInt8](repeating: 0x30, count: 24), receiptOffset: 0, limit: 4_096)
    }

    func blamesToken(_ reason: FailureReason) -> Bool { reason.rawValue == "Unregistered" }

    func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence] {
        Issue.record("Nothing is sent in these tests.")
        return batch.devices.map { _ in .retryLater(.notSent, after: nil) }
    }
}
