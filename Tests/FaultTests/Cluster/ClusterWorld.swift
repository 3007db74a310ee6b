import ApplePushSimulator
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Crypto
import Foundation
import Logging
import Testing

@testable import CarillonCommand

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A simulated Apple in this process, a PostgreSQL server and several nodes as processes of their own.
///
/// The nodes' clocks are minutes apart. The store has one App and many Devices.
final class ClusterWorld {
    static let topic = "com.example.cluster"
    static let otherTopic = "com.example.other"
    static let nodeCount = 3
    static let chunkSize = 200
    static let batchSize = 50
    /// Notifications that a node may have sent without having committed an answer.
    static let unanswered = 400
    /// How many a node has in hand at most.
    static let chunksAtOnce = 4
    /// How late Apple answers, so that a campaign lasts long enough to be disturbed.
    static var slowness: Fault {
        var fault = Fault(.answer)
        fault.latency = .uniform(.milliseconds(20), .milliseconds(400))
        return fault
    }
    /// How far each node's clock is off, in seconds.
    static let clockOffsets = [0, 180, -240]

    let apple: SimulatorHandle
    let database: PostgreSQLServer
    let disk: FullDisk
    let network: any NodeNetwork
    let deviceCount: Int
    /// Devices of the other App; there is none when there are none.
    let otherDeviceCount: Int
    private let roles: [ServerRole]
    /// Environment variables of the nodes.
    private let settings: [String]
    private(set) var nodes: [ClusterNode] = []
    private(set) var app = AppID(rawValue: 0)
    private(set) var otherApp: AppID?

    /// Makes a world, runs a body in it, and takes it away.
    ///
    /// Nodes have namespaces of their own, or relays where the machine does not allow them, where there is no `network`.
    static func run(
        devices: Int,
        others: Int = 0,
        network: (any NodeNetwork)? = nil,
        roles: [ServerRole] = [.all, .all, .all],
        settings: [String] = [],
        _ body: @escaping (ClusterWorld) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("carillon-cluster-" + UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let network = network ?? makeNetwork()
        do {
            try await run(in: folder, network, (devices, others), (roles, settings), body)
        } catch {
            try? await network.remove()
            throw error
        }
        try await network.remove()
    }

    private static func run(
        in folder: URL,
        _ network: any NodeNetwork,
        _ counts: (devices: Int, others: Int),
        _ kind: (roles: [ServerRole], settings: [String]),
        _ body: @escaping (ClusterWorld) async throws -> Void
    ) async throws {
        let disk = try FullDisk(in: folder)
        let database = try PostgreSQLServer(
            folder: folder.appendingPathComponent("postgresql", isDirectory: true),
            addresses: network.databaseAddresses,
            launcher: disk.launcher
        )
        let keys = [PushKeyPair(keyID: "CLUSTERK01"), PushKeyPair(keyID: "CLUSTERK02")]
        var configuration = SimulatorConfiguration()
        configuration.host = network.appleHost
        configuration.rules.topics = [topic, otherTopic]
        configuration.keys = keys.map(\.simulated)
        let logger = Logger(label: "carillon.faults") { _ in SwiftLogNoOpLogHandler() }
        let simulator = try APNsSimulator(configuration: configuration, logger: logger)
        let caFile = folder.appendingPathComponent("ca.pem")
        try simulator.certificateAuthorityPEM.write(to: caFile, atomically: true, encoding: .utf8)
        // The world lives in one task: what is sent to the simulator's is only read there.
        nonisolated(unsafe) let (network, body) = (network, body)
        nonisolated(unsafe) let lentDatabase = database
        try await simulator.whileRunning { addresses in
            let world = ClusterWorld(simulator.handle, (lentDatabase, disk), network, counts, kind)
            try await world.startNodes(folder, apns: "\(addresses.host):\(addresses.port)", caFile: caFile)
            try await world.fill(keys)
            try await body(world)
            for node in world.nodes { node.killNow() }
        }
        database.killNow()
    }

    private init(
        _ apple: SimulatorHandle,
        _ database: (PostgreSQLServer, FullDisk),
        _ network: any NodeNetwork,
        _ counts: (devices: Int, others: Int),
        _ kind: (roles: [ServerRole], settings: [String])
    ) {
        self.apple = apple
        (self.database, disk) = database
        self.network = network
        (deviceCount, otherDeviceCount) = counts
        (roles, settings) = kind
    }

    private static func makeNetwork() -> any NodeNetwork {
        // Some other run may have the first one's addresses.
        for _ in 0..<2 {
            if let network = try? NamespaceNetwork(nodes: nodeCount) { return network }
        }
        return RelayNetwork()
    }

    // MARK: - Private

    private func startNodes(_ folder: URL, apns: String, caFile: URL) async throws {
        let clock = try SkewedClock(in: folder)
        for number in 0..<Self.nodeCount {
            let address = try await network.databaseAddress(of: number, port: database.port)
            let data = folder.appendingPathComponent("node\(number)", isDirectory: true)
            try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
            let node = ClusterNode(
                "node\(number)",
                launcher: network.launcher(of: number) + clock.launcher(offset: Self.clockOffsets[number])
                    + ["/usr/bin/env"] + settings,
                arguments: [
                    "serve", "--database", "postgres://carillon@\(address.host):\(address.port)/carillon",
                    "--data", data.path, "--master-key-file", folder.appendingPathComponent("master.key").path,
                    "--host", network.host(of: number), "--port", "0", "--json",
                    "--apns-host", apns, "--apns-ca-file", caFile.path, "--registration-rate", "0",
                    "--metrics-open",
                    "--chunk-size", "\(Self.chunkSize)", "--batch-size", "\(Self.batchSize)",
                    "--unanswered", "\(Self.unanswered)", "--role", roles[number].rawValue,
                ]
            )
            try await node.start(key: nodes.first?.key)
            nodes.append(node)
        }
    }

    private func fill(_ keys: [PushKeyPair]) async throws {
        app = try await add(Self.topic, keys[0], devices: 0..<deviceCount)
        if otherDeviceCount > 0 {
            otherApp = try await add(Self.otherTopic, keys[1], devices: deviceCount..<deviceCount + otherDeviceCount)
        }
        // The daily check of a key sends a notification of its own, a minute after a node's start.
        let now = Int64(Date.now.timeIntervalSince1970 * 1_000)
        _ = try database.ask("UPDATE push_keys SET checked_at = \(now)")
    }

    private func add(_ topic: String, _ key: PushKeyPair, devices: Range<Int>) async throws -> AppID {
        let request = AppRequest(name: "Cluster", bundleID: topic, identity: .open)
        let secrets: AppSecrets = try await nodes[0].api.post("v1/apps", request)
        let _: App = try await nodes[0].api.put("v1/apps/\(secrets.app.id)/push-key", key.request)
        let apis = zip(nodes, roles).filter { $0.1 != .dispatch }.map(\.0.api)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in devices {
                if number >= devices.lowerBound + 64 { try await group.next() }
                let api = apis[number % apis.count]
                group.addTask { try await Self.register(number, secrets.appKey, api) }
            }
            try await group.waitForAll()
        }
        return secrets.app.id
    }

    private static func register(_ number: Int, _ appKey: String, _ api: OperatorAPI) async throws {
        let digest = SHA256.hash(data: Data("device \(number)".utf8))
        let token = try #require(DeviceToken(bytes: Array(digest)))
        let registration = Registration(token: token, consent: Consent(notifications: true))
        var request = URLRequest(url: api.server.appendingPathComponent("v1/devices/\(UUID().uuidString.lowercased())"))
        request.httpMethod = "PUT"
        request.httpBody = try JSONEncoder().encode(registration)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(appKey, forHTTPHeaderField: "Carillon-App-Key")
        request.setValue(String(repeating: "s", count: 43), forHTTPHeaderField: "Carillon-Device-Secret")
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        try #require((200..<300).contains(status), "\(status) \(String(decoding: data, as: UTF8.self))")
    }
}
