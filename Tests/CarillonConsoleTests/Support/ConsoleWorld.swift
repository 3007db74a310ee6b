import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
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

@testable import CarillonConsole

/// A server with its console on an empty database of its own, asked without a socket.
struct ConsoleWorld: Sendable {
    /// What a test sets.
    struct Options: Sendable {
        var console = Console.Configuration()
        /// From which role on a second factor is needed; `nil` signs in with the password alone.
        var secondFactorFrom: OperatorRole?
        /// What accounts of providers and proxies may do.
        var outside = OutsideRules()
        /// Routes of the test's own.
        var declare: @Sendable (inout ConsoleRoutes) -> Void = { _ in }
    }

    let client: any TestClientProtocol
    let stores: Stores
    let engine: Engine
    let console: Console
    let clock: TestClock
    /// The server's first API key, which may do everything.
    let serverKey: String
    /// A console of another node on the same store.
    let otherNode: Console

    static let password = "three long words here"

    /// Runs a test against a new server.
    static func run(
        _ options: Options = Options(),
        _ test: @Sendable (ConsoleWorld) async throws -> Void
    ) async throws {
        let clock = TestClock()
        let stores = try await Stores(migrating: try await TestDatabase(.forTests), now: clock.now())
        let (engine, other) = (try makeEngine(stores, clock, options), try makeEngine(stores, clock, options))
        let content = ContentServices(stores, engine, NoFetcher())
        var configuration = options.console
        configuration.content = content
        let (served, declare) = (configuration, options.declare)
        let console = try Console(served, engine: engine, logger: logger, declare: declare)
        let key = try #require(try await engine.access.firstKey())
        let server = APIServer(
            configuration: APIServer.Configuration(),
            engine: engine,
            content: content,
            pages: pages(console),
            logger: logger
        )
        try await server.application().test(.router) { client in
            try await test(
                ConsoleWorld(
                    client: client,
                    stores: stores,
                    engine: engine,
                    console: console,
                    clock: clock,
                    serverKey: key.secret,
                    otherNode: try Console(served, engine: other, logger: logger, declare: declare)
                )
            )
        }
    }

    /// A browser without cookies.
    func browser() -> Browser { Browser(client: client, console: nil, address: "local") }

    /// A browser at an address of its own, which asks a console without the server in front.
    func browser(
        at address: String,
        encrypted: Bool = false,
        node: Console? = nil,
        host: String = "localhost"
    ) -> Browser {
        var browser = Browser(client: client, console: node ?? console, address: address)
        (browser.isEncrypted, browser.host) = (encrypted, host)
        return browser
    }

    /// Creates an App.
    func makeApp(_ name: String = "Bus") async throws -> App {
        try await engine.apps.create(AppRequest(name: name, bundleID: "org.example.bus", identity: .open)).app
    }

    // MARK: Operators

    /// Makes the first Operator, an admin.
    @discardableResult
    func makeAdmin(_ address: String = "ana@example.org") async throws -> Person {
        let link = try #require(try await engine.operators.newSetupLink())
        let secret = String(link.path.split(separator: "/").last ?? "")
        let opened = try await engine.operators.setUp(
            secret,
            address: address,
            displayName: "Ana",
            password: Self.password,
            by: Self.caller
        )
        return try await person(opened)
    }

    /// Makes an Operator with roles, after the admin.
    func makeOperator(_ address: String, _ roles: OperatorRoles) async throws -> Person {
        let made = try await engine.operators.invite(OperatorInvitation(address: address, roles: roles), by: .server)
        let secret = String(made.value.link.path.split(separator: "/").last ?? "")
        let opened = try await engine.operators.acceptInvitation(
            secret,
            displayName: nil,
            password: Self.password,
            by: Self.caller
        )
        return try await person(opened)
    }

    /// The sealed secret of a second factor is set up when the session needs one.
    private func person(_ opened: OpenedSession) async throws -> Person {
        var person = Person(id: opened.session.owner.id, address: opened.session.owner.address, session: opened.value)
        guard opened.session.stage == .enrolment else { return person }
        let enrolment = try engine.operators.beginSecondFactor(opened.session)
        let code = OneTimeCode(secret: try #require(Base32.bytes(enrolment.secret)))
        let made = try await engine.operators.confirmSecondFactor(
            opened.value,
            sealed: enrolment.sealed,
            code: code.code(OneTimeCode.step(at: clock.now().rawValue)),
            by: Self.caller
        )
        (person.session, person.code, person.recoveryCodes) = (made.opened.value, code, made.codes)
        return person
    }

    /// A browser that is signed in.
    func browser(of person: Person) -> Browser {
        var browser = browser()
        browser.cookies["carillon-dev"] = person.session
        return browser
    }

    /// Signs in anew with the password alone.
    func signIn(_ person: Person) async throws -> Browser {
        let opened = try await engine.operators.signIn(
            address: person.address,
            password: Self.password,
            by: Self.caller
        )
        var browser = browser()
        browser.cookies["carillon-dev"] = opened.value
        return browser
    }

    static let caller = OperatorCaller(address: "local", network: "local")

    // MARK: - Private

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static func pages(_ console: Console) -> MountedPages {
        MountedPages(isOne: { Console.isOne($0) }) { request, caller in
            let answer = await console.answer(
                request,
                ConsoleCaller(
                    address: caller.address,
                    network: caller.network,
                    peer: caller.peer,
                    isEncrypted: caller.isEncrypted,
                    requestID: caller.requestID
                )
            )
            return (answer.response, answer.route)
        }
    }

    private static func makeEngine(_ stores: Stores, _ clock: TestClock, _ options: Options) throws -> Engine {
        let vault = try #require(Vault(masterKey: [UInt8](repeating: 7, count: 32)))
        let context = EngineContext(vault: vault, clock: clock, logger: logger)
        var operators = Operators.Options()
        operators.passwords.parameters = .init(logRounds: 10, blockSize: 8, parallelism: 1)
        operators.secondFactorFrom = options.secondFactorFrom
        operators.outside = options.outside
        return Engine(
            stores: stores,
            context: context,
            apps: context.apps(stores),
            sender: NoSender(),
            webhookClient: NoWebhooks(),
            operatorOptions: operators
        )
    }
}

/// An Operator of a test.
struct Person: Sendable {
    let id: OperatorID
    let address: String
    /// The value of the session's cookie.
    var session: String
    /// The authenticator; `nil` without a second factor.
    var code: OneTimeCode?
    var recoveryCodes: [String] = []
}

/// A clock that the test moves.
final class TestClock: WallClock {
    private let time = NIOLockedValueBox<Int64>(1_795_250_640_000)

    func now() -> Timestamp { Timestamp(rawValue: time.withLockedValue { $0 }) }

    func advance(seconds: Int64) { time.withLockedValue { $0 += seconds * 1_000 } }
}

private struct NoWebhooks: WebhookClient {
    func objection(to url: String) -> String? { nil }

    func post(_ post: WebhookPost) async -> WebhookAnswer { .failed("Nothing is posted here.") }
}

struct NoFetcher: ContentFetcher {
    func objection(to url: String) -> String? { nil }

    func fetch(_ fetch: ContentFetch) async -> ContentFetchAnswer { .failed("Nothing is fetched here.") }
}

private struct NoSender: Sender {
    func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering {
        let content = draft.language.flatMap { draft.message.content[$0] }
        let bytes = Array(((content?.title ?? "") + (content?.body ?? "")).utf8) + [UInt8](repeating: 0x30, count: 24)
        return Rendering(bytes: bytes, receiptOffset: bytes.count - 24, limit: 4_096)
    }

    func blamesToken(_ reason: FailureReason) -> Bool { false }

    func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence] {
        Issue.record("Nothing is sent in these tests.")
        return batch.devices.map { _ in .retryLater(.notSent, after: nil) }
    }
}

/// Base 32 of RFC 4648, as an authenticator reads it.
enum Base32 {
    static func bytes(_ text: String) -> [UInt8]? {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var (bits, count, bytes): (UInt32, Int, [UInt8]) = (0, 0, [])
        for character in text where character != " " {
            guard let value = letters.firstIndex(of: character) else { return nil }
            bits = (bits << 5 | UInt32(value)) & 0xFFFF
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }
}

extension ConsoleWorld {
    /// The code that an Operator's authenticator shows now.
    func code(of person: Person) -> String {
        person.code?.code(OneTimeCode.step(at: clock.now().rawValue)) ?? ""
    }
}
