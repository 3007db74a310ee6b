import ApplePushConnection
import ApplePushSimulator
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Crypto
import Foundation
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import ApplePushSender

/// "Check the key" with a simulated APNs.
struct KeyCheckTests {
    /// A key that the simulator knows.
    private func key(_ simulator: APNsSimulator, _ change: (inout SigningKey) -> Void = { _ in }) -> PushAccount {
        let key = P256.Signing.PrivateKey()
        var known = SigningKey(keyID: "ABC123DEFG", teamID: "TEAM567890", publicKey: key.publicKey)
        change(&known)
        simulator.handle.addKey(known)
        return PushAccount(
            app: AppID(rawValue: 1),
            topic: "com.example.app",
            keyID: "ABC123DEFG",
            teamID: "TEAM567890",
            privateKey: key.pemRepresentation
        )
    }

    /// What the check finds, with what is known of the key beside APNs' answer.
    private func state(
        _ account: PushAccount,
        _ sender: APNsSender,
        file: String? = nil,
        beside other: KeptPushKey? = nil
    ) async -> PushKeyCheck.State {
        let kept = KeptPushKey(
            keyID: account.keyID,
            teamID: account.teamID,
            sealedPrivateKey: [],
            addedAt: Timestamp(rawValue: 0),
            fileKeyID: file
        )
        let found = await sender.checkKey(account, isInUse: false)
        return PushKeyCheck(checkedAt: Timestamp(rawValue: 0), environments: found).judged(for: kept, beside: other)
            .state
    }

    @Test("K-77 A healthy key is told with latency, address and TLS, and APNs gets one request that shows nothing")
    func healthy() async throws {
        try await KeyCheckWorld.run(.strict) { world in
            let account = key(world.simulator)
            let found = await world.sender.checkKey(account, isInUse: false)
            let only = try #require(found.first)
            #expect(found.count == 1 && only.name == "all")
            #expect(only.state == .healthy && only.reason == "BadDeviceToken")
            #expect(only.tlsVersion == "1.3" && only.latencyMilliseconds != nil && only.address != nil)
            let requests = world.simulator.handle.requests(limit: 10)
            #expect(requests.count == 1)
            #expect(String(decoding: requests[0].request.body, as: UTF8.self) == #"{"aps":{}}"#)
        }
    }

    @Test("K-77 A wrong team and a wrong key id, which APNs answers alike, are told apart by what else is known")
    func wrongIDs() async throws {
        try await KeyCheckWorld.run(.strict) { world in
            let account = key(world.simulator)
            var otherTeam = account
            otherTeam.teamID = "TEAM000000"
            var otherKey = account
            otherKey.keyID = "ZZZ123DEFG"
            #expect(await state(otherTeam, world.sender) == .wrongTeamOrKeyID)
            // The name of Apple's file has the key's id.
            #expect(await state(otherTeam, world.sender, file: "ABC123DEFG") == .wrongTeam)
            #expect(await state(otherKey, world.sender, file: "ABC123DEFG") == .wrongKeyID)
            // Of the key in use it is known that APNs accepts its team.
            let healthy = PushKeyCheck.Environment(name: "all", state: .healthy)
            let inUse = KeptPushKey(
                keyID: "OLD123DEFG",
                teamID: "TEAM567890",
                sealedPrivateKey: [],
                addedAt: Timestamp(rawValue: 0),
                check: PushKeyCheck(checkedAt: Timestamp(rawValue: 0), environments: [healthy])
            )
            #expect(await state(otherTeam, world.sender, beside: inUse) == .wrongTeam)
            #expect(await state(otherKey, world.sender, beside: inUse) == .wrongKeyID)
        }
    }

    @Test("K-77 A key of the other environment, and one that may not push to the topic, are told apart")
    func environmentAndTopic() async throws {
        try await KeyCheckWorld.run(.strict) { world in
            let sandbox = key(world.simulator) { $0.environment = .sandbox }
            #expect(await state(sandbox, world.sender) == .wrongEnvironment)
            let restricted = key(world.simulator) { $0.topics = ["com.example.other"] }
            #expect(await state(restricted, world.sender) == .wrongTopic)
        }
    }

    @Test("K-77 A clock that is off is told, behind or ahead", arguments: [-7_200, 1_200] as [Int64])
    func clock(_ offset: Int64) async throws {
        try await KeyCheckWorld.run(.strict, clockOffset: offset) { world in
            #expect(await state(key(world.simulator), world.sender) == .clockOff)
        }
    }

    @Test("K-77 An address where nobody listens is unreachable, and text that is no key cannot be used")
    func unreachable() async throws {
        try await KeyCheckWorld.run(.strict, isReachable: false) { world in
            let found = await world.sender.checkKey(key(world.simulator), isInUse: false)
            #expect(found.map(\.state) == [.unreachable] && found[0].reason == "NoConnection")
            var broken = key(world.simulator)
            broken.privateKey = "hello"
            #expect(await state(broken, world.sender) == .unusable)
        }
    }

    @Test("K-77 A busy APNs is not the key's fault")
    func busy() async throws {
        try await KeyCheckWorld.run(.open) { world in
            let account = key(world.simulator)
            world.simulator.handle.inject(Fault(.answer, count: 5, status: 503, reason: "ServiceUnavailable"))
            #expect(await state(account, world.sender) == .busy)
        }
    }
}

/// A sender whose clock may be off, and a simulated APNs.
private struct KeyCheckWorld: Sendable {
    let simulator: APNsSimulator
    let sender: APNsSender

    static func run(
        _ tokens: DeviceTokenMode,
        clockOffset: Int64 = 0,
        isReachable: Bool = true,
        _ body: @escaping @Sendable (KeyCheckWorld) async throws -> Void
    ) async throws {
        var configuration = SimulatorConfiguration()
        configuration.listener.rules.deviceTokens = tokens
        let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let simulator = try APNsSimulator(
            configuration: configuration,
            clock: ManualWallClock(SimulatedTime(seconds: 1_800_000_000)),
            logger: silent
        )
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID().uuidString).pem")
            .path
        try simulator.certificateAuthorityPEM.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await simulator.whileRunning { addresses in
            let clock = MovedClock()
            clock.advance(seconds: clockOffset)
            var options = APNsSender.Configuration()
            // Port 1 of this machine: nobody listens.
            options.production = Endpoint(host: "localhost", port: isReachable ? addresses.port : 1)
            options.sandbox = options.production
            options.pool.trustRoots = .file(path)
            let sender = APNsSender(
                configuration: options,
                accounts: SaidAccounts(),
                tokens: KeptTokens(),
                clock: clock,
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                logger: silent
            )
            try await body(KeyCheckWorld(simulator: simulator, sender: sender))
            await sender.shutDown()
        }
    }
}
