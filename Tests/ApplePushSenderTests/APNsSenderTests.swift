import ApplePushConnection
import ApplePushSimulator
import CarillonBytes
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Crypto
import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

@testable import ApplePushSender

/// The engine's sender with a simulated APNs.
@Suite struct APNsSenderTests {
    @Test("P-34 an App's key changes between batches: none is lost, and no connection has two keys")
    func keyRotation() async throws {
        try await SenderWorld.run { world in
            world.use(try world.key("OLDKEY0001"), for: 1)
            let changed = try world.key("NEWKEY0001")
            let consequences = await withTaskGroup(of: [Consequence].self) { tasks in
                for turn in 0..<40 {
                    if turn == 20 { world.use(changed, for: 1) }
                    tasks.addTask { await world.send(50) }
                }
                return await tasks.reduce(into: []) { $0 += $1 }
            }
            #expect(consequences == Array(repeating: .accepted, count: 2000))
            // Notifications before the change may have either key; later ones have the new one.
            #expect(await world.send(10) == Array(repeating: .accepted, count: 10))
            #expect(world.keysByConnection.allSatisfy { $0.value.count == 1 })
            #expect(world.simulator.handle.requests(limit: 10).allSatisfy { $0.keyID == "NEWKEY0001" })
            #expect(world.figures.accepted == 2010 && world.figures.notSent.isEmpty)
        }
    }

    @Test("P-34 after a key was revoked and replaced, everything uses new connections with the new one")
    func revocation() async throws {
        try await SenderWorld.run { world in
            world.use(try world.key("OLDKEY0001"), for: 1)
            #expect(await world.send(5) == Array(repeating: .accepted, count: 5))
            world.simulator.handle.revokeKey("OLDKEY0001")
            #expect(
                await world.send(3)
                    == Array(repeating: .halt(FailureReason(rawValue: "InvalidProviderToken")), count: 3)
            )
            world.use(try world.key("NEWKEY0001"), for: 1)
            #expect(await world.send(5) == Array(repeating: .accepted, count: 5))
            #expect(world.keysByConnection.values.contains(["NEWKEY0001"]))
            #expect(world.keysByConnection.allSatisfy { !($0.value.contains("NEWKEY0001") && $0.value.count > 1) })
        }
    }

    @Test("O2-3 A push key that cannot be opened pauses the campaign, and is not retried for ever")
    func closedKey() async throws {
        try await SenderWorld.run { world in
            var account = try world.key("KEY0000001")
            account.privateKey = ""
            world.use(account, for: 1)

            #expect(await world.send(2) == Array(repeating: .halt(FailureReason(rawValue: "BadPushKey")), count: 2))
        }
    }

    @Test("P-34 P-45 teams share event loops but no connection")
    func teams() async throws {
        try await SenderWorld.run { world in
            for app in 1...8 {
                world.use(try world.key("KEY000000\(app)", team: "TEAM00000\(app % 4)"), for: Int64(app))
            }
            let consequences = await withTaskGroup(of: [Consequence].self) { tasks in
                for turn in 0..<80 { tasks.addTask { await world.send(20, app: Int64(turn % 8 + 1)) } }
                return await tasks.reduce(into: []) { $0 += $1 }
            }
            #expect(consequences == Array(repeating: .accepted, count: 1600))
            let teams = Dictionary(grouping: world.simulator.handle.requests(limit: 10_000), by: \.connection)
                .mapValues { Set($0.compactMap(\.teamID)) }
            #expect(teams.allSatisfy { $0.value.count == 1 })
            #expect(world.keysByConnection.allSatisfy { $0.value.count == 1 })
            #expect(Set(world.keysByConnection.values.joined()).count == 8)
        }
    }

    @Test("P-33 TooManyProviderTokenUpdates: the token stays, the connection is replaced, no token is created")
    func tooManyTokenUpdates() async throws {
        try await SenderWorld.run { world in
            world.use(try world.key("ABCDE12345"), for: 1)
            #expect(await world.send(1) == [.accepted])
            let reason = "TooManyProviderTokenUpdates"
            world.simulator.handle.inject(Fault(.answer, count: 5, status: 429, reason: reason))
            let refused = await world.send(5)
            #expect(refused.allSatisfy { $0 == .retryLater(FailureReason(rawValue: reason), after: .seconds(60)) })
            world.simulator.handle.removeFaults()
            #expect(await world.send(50) == Array(repeating: .accepted, count: 50))

            #expect(world.tokens.writes == 1 && world.simulator.handle.counters().distinctProviderTokens == 1)
            #expect(world.keysByConnection.count >= 2)
            #expect(world.figures.closures[.wornOut] ?? 0 >= 1)
        }
    }

    @Test(
        "P-39 a notification with a final refusal is sent to Apple once, and not retried",
        arguments: [
            ("BadCollapseId", 400), ("BadDeviceToken", 400), ("BadExpirationDate", 400), ("BadMessageId", 400),
            ("BadPriority", 400), ("DeviceTokenNotForTopic", 400), ("DuplicateHeaders", 400), ("InvalidPushType", 400),
            ("MissingDeviceToken", 400), ("PayloadEmpty", 400), ("BadPath", 404), ("MethodNotAllowed", 405),
            ("ExpiredToken", 410), ("Unregistered", 410), ("PayloadTooLarge", 413), ("TopicDisallowed", 400),
            ("InvalidProviderToken", 403),
        ]
    )
    func definite(reason: String, status: Int) async throws {
        try await SenderWorld.run { world in
            world.use(try world.key("ABCDE12345"), for: 1)
            world.simulator.handle.inject(Fault(.answer, count: 100, status: status, reason: reason))
            let consequences = await world.send(3)
            #expect(consequences.count == 3)
            for consequence in consequences {
                switch consequence {
                case .accepted, .retryLater: Issue.record("\(reason): \(consequence)")
                case .dropDeviceToken(let said, _), .quarantineDeviceToken(let said), .dropMessage(let said),
                    .halt(let said):
                    #expect(said.rawValue == reason)
                }
            }
            #expect(world.simulator.handle.requests(limit: 10).count == 3)
        }
    }

    @Test("P-42 the sender's metrics are separate by environment")
    func figures() async throws {
        try await SenderWorld.run { world in
            world.use(try world.key("ABCDE12345"), for: 1)
            _ = await world.send(30)
            let metrics = world.sender.metrics
            #expect(metrics.map(\.environment) == ["production", "sandbox"])
            #expect(metrics.map(\.metrics.accepted) == [30, 0])
            #expect(metrics[0].metrics.latency.total == 30)
            #expect(metrics[0].metrics.providerTokenIssuedAt == Date(timeIntervalSince1970: 1_800_000_000))
        }
    }

    @Test("P-43 neither key nor provider token nor device token is logged, and a credential key's text hides its key")
    func secrets() async throws {
        try await SenderWorld.run(level: .trace) { world in
            let account = try world.key("ABCDE12345")
            world.use(account, for: 1)
            #expect(await world.send(3) == Array(repeating: .accepted, count: 3))
            world.simulator.handle.cutConnections()
            _ = await world.send(3)
            await world.sender.shutDown()
            let text = world.log.withLockedValue { $0 }.joined(separator: "\n")
            let token = try #require(world.tokens.all.first)
            let body = account.privateKey.split(separator: "\n")[1]
            #expect(!text.isEmpty)
            for secret in [String(body), token.token, String(repeating: "01", count: 32)] {
                #expect(!text.contains(secret))
            }
            #expect(!"\(APNsSender.CredentialKey(account))".contains(body))
            #expect(!String(reflecting: APNsSender.CredentialKey(account)).contains(body))
        }
    }
}

/// A sender, its doubles, and a simulated APNs.
struct SenderWorld: Sendable {
    let simulator: APNsSimulator
    let sender: APNsSender
    let accounts = SaidAccounts()
    let tokens = KeptTokens()
    let log = NIOLockedValueBox<[String]>([])

    static func run(
        level: Logger.Level = .info,
        _ body: @escaping @Sendable (SenderWorld) async throws -> Void
    ) async throws {
        var rules = SimulatorConfiguration()
        rules.recordedRequests = 10_000
        let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let simulator = try APNsSimulator(
            configuration: rules,
            clock: ManualWallClock(SimulatedTime(seconds: 1_800_000_000)),
            logger: silent
        )
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID().uuidString).pem")
            .path
        try simulator.certificateAuthorityPEM.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await simulator.whileRunning { addresses in
            let endpoint = Endpoint(host: "localhost", port: addresses.port)
            let world = SenderWorld(simulator, endpoint, trusting: path, level)
            try await body(world)
            await world.sender.shutDown()
        }
    }

    private init(_ simulator: APNsSimulator, _ endpoint: Endpoint, trusting path: String, _ level: Logger.Level) {
        var configuration = APNsSender.Configuration()
        configuration.production = endpoint
        configuration.sandbox = endpoint
        configuration.pool.trustRoots = .file(path)
        configuration.pool.firstBackoff = .milliseconds(10)
        let log = log
        var logger = Logger(label: "test") { _ in KeptLog(lines: log) }
        logger.logLevel = level
        self.simulator = simulator
        sender = APNsSender(
            configuration: configuration,
            accounts: accounts,
            tokens: tokens,
            clock: MovedClock(),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
    }

    /// Creates a key that the simulator accepts.
    func key(_ keyID: String, team: String = "TEAM567890") throws -> PushAccount {
        let key = P256.Signing.PrivateKey()
        simulator.handle.addKey(SigningKey(keyID: keyID, teamID: team, publicKey: key.publicKey))
        return PushAccount(
            app: AppID(rawValue: 1),
            topic: "com.example.app",
            keyID: keyID,
            teamID: team,
            privateKey: key.pemRepresentation
        )
    }

    func use(_ account: PushAccount, for app: Int64) {
        var account = account
        account.app = AppID(rawValue: app)
        accounts.set(account)
    }

    func send(_ count: Int, app: Int64 = 1) async -> [Consequence] {
        var batch = NotificationBatch(
            app: AppID(rawValue: app),
            occurrence: OccurrenceID(rawValue: 2),
            pushType: .apns,
            options: DeliveryOptions(purpose: .alert, priority: .high, expiration: .unset, collapseID: nil),
            rendering: Rendering(
                bytes: Array(#"{"aps":{},"r":"\#(String(repeating: "0", count: 24))"}"#.utf8),
                receiptOffset: 15
            )
        )
        for number in 1...count {
            batch.devices.append(DeviceNumber(rawValue: Int64(number)))
            batch.tokens.append([UInt8](repeating: 1, count: 32))
            batch.receipts += [UInt8](repeating: 0x41, count: 24)
        }
        return await sender.send(batch, until: .now + .seconds(120))
    }

    var figures: ConnectionPool.Metrics { sender.metrics[0].metrics }

    /// The keys that each connection has used.
    var keysByConnection: [Int: Set<String>] {
        Dictionary(grouping: simulator.handle.requests(limit: 10_000), by: \.connection)
            .mapValues { Set($0.compactMap(\.keyID)) }
    }
}

private struct KeptLog: LogHandler {
    let lines: NIOLockedValueBox<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.withLockedValue { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
    }
}
