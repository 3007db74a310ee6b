import ApplePushSimulator
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Crypto
import Foundation
import Logging
import Testing

@testable import CarillonCommand

/// A simulated Apple in this process, and a server in a process of its own that can be killed.
///
/// The store has one App and many Devices; each campaign of a test goes to all of them.
struct FaultWorld: Sendable {
    static let topic = "com.example.faults"
    /// Notifications that a server may have sent without having committed an answer: what is sent again when it dies.
    static let unanswered = 2_000
    static let unansweredTransactional = 200
    private static let keyID = "FAULTKEY01"
    private static let teamID = "FAULTTEAM1"

    let apple: SimulatorHandle
    let app: AppID
    let appKey: String
    let deviceCount: Int
    /// Where the store lies, and whatever else a test keeps.
    let folder: URL
    private let key: String
    private let arguments: [String]

    /// Makes a world, runs a body in it, and takes it away.
    ///
    /// The simulated Apple records as many requests as `recorded` says.
    static func run(
        devices: Int,
        recorded: Int = 0,
        _ body: @escaping @Sendable (FaultWorld) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("carillon-faults-" + UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let signing = P256.Signing.PrivateKey()
        var configuration = SimulatorConfiguration()
        configuration.rules.topics = [topic]
        configuration.keys = [SigningKey(keyID: keyID, teamID: teamID, publicKey: signing.publicKey)]
        configuration.recordedRequests = recorded
        let simulator = try APNsSimulator(configuration: configuration, logger: quietLogger)
        let caFile = folder.appendingPathComponent("ca.pem")
        try simulator.certificateAuthorityPEM.write(to: caFile, atomically: true, encoding: .utf8)
        let (app, appKey, key) = try await fill(folder, devices: devices, pushKey: signing.pemRepresentation)
        try await simulator.whileRunning { addresses in
            try await body(
                FaultWorld(
                    apple: simulator.handle,
                    app: app,
                    appKey: appKey,
                    deviceCount: devices,
                    folder: folder,
                    key: key,
                    arguments: [
                        "serve", "--data", folder.path, "--port", "0", "--json",
                        "--apns-host", "\(addresses.host):\(addresses.port)", "--apns-ca-file", caFile.path,
                        "--chunk-size", "1000", "--batch-size", "250", "--unanswered", "\(unanswered)",
                        "--unanswered-transactional", "\(unansweredTransactional)",
                    ]
                )
            )
        }
    }

    /// Starts the server on the store as it is.
    func startServer(_ more: [String] = []) async throws -> (process: ChildProcess, api: OperatorAPI) {
        let process = try ChildProcess(arguments + more)
        let line = try await process.line(containing: "\"port\"")
        let port = try JSONDecoder().decode([String: PortOrText].self, from: Data(line.utf8))["port"]?.port
        let server = try #require(URL(string: "http://127.0.0.1:\(port ?? 0)"))
        return (process, OperatorAPI(server: server, key: key))
    }

    /// What became of a campaign so far.
    func funnel(_ api: OperatorAPI, _ campaign: CampaignID) async throws -> Funnel {
        try await api.get("v1/campaigns/\(campaign)/funnel")
    }

    /// Sends a campaign to all Devices.
    func send(_ api: OperatorAPI, isTransactional: Bool = false) async throws -> CampaignID {
        let message = Message(content: ["default": LocalizedContent(title: "Bells", body: "At eight")])
        var request = CampaignRequest(audience: .all, message: message)
        request.isTransactional = isTransactional
        let campaign: Campaign = try await api.post("v1/campaigns", ["app": app.description], request)
        return campaign.id
    }

    /// Waits until the simulated Apple has accepted so many, asking the server meanwhile so as not to spin.
    func untilAccepted(_ count: Int, _ api: OperatorAPI, _ campaign: CampaignID) async throws {
        try await until("\(count) notifications are accepted") {
            let _: Campaign = try await api.get("v1/campaigns/\(campaign)")
            return apple.counters().accepted >= count
        }
    }

    /// Waits until a campaign is over.
    func untilSent(_ api: OperatorAPI, _ campaign: CampaignID) async throws -> Funnel {
        try await until("the campaign is sent") {
            let now: Campaign = try await api.get("v1/campaigns/\(campaign)")
            try #require(now.state != .paused, "paused: \(now.alarm ?? "")")
            return now.state == .sent
        }
        return try await funnel(api, campaign)
    }

    /// Waits for a condition, which is to ask somebody so as not to spin.
    func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while try await !condition() {
            try #require(ContinuousClock.now < deadline, "It took too long until \(what): \(apple.counters())")
        }
    }

    // MARK: - Private

    private static var quietLogger: Logger {
        Logger(label: "carillon.faults") { _ in SwiftLogNoOpLogHandler() }
    }

    /// Makes the store with an App, its key and its Devices.
    private static func fill(
        _ folder: URL,
        devices: Int,
        pushKey: String
    ) async throws -> (AppID, appKey: String, key: String) {
        let configuration = ServerConfiguration(folder: folder)
        let composition = try await ServerComposition(configuration, logger: quietLogger)
        let engine = composition.engine
        let secrets = try await engine.apps.create(AppRequest(name: "Faults", bundleID: topic, identity: .open))
        let request = PushKeyRequest(keyID: keyID, teamID: teamID, privateKey: pushKey)
        _ = try await engine.apps.setPushKey(secrets.app.id, request)
        try await recordCheck(of: secrets.app.id, in: composition.stores)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<devices {
                if number >= 256 { try await group.next() }
                group.addTask { try await register(number, secrets.app.id, engine.devices) }
            }
            try await group.waitForAll()
        }
        let key = try #require(composition.firstKey).secret
        composition.close()
        return (secrets.app.id, secrets.appKey, key)
    }

    /// The daily check of a key sends a notification of its own, a minute after the server's start.
    private static func recordCheck(of app: AppID, in stores: any EngineStores) async throws {
        let key = try #require(try await stores.pushKeys.keys(of: app)?.inUse)
        let check = PushKeyCheck(checkedAt: Timestamp(Date()), environments: [])
        try await stores.pushKeys.save(check, of: key, isInUse: true, app: app)
    }

    private static func register(_ number: Int, _ app: AppID, _ devices: Devices) async throws {
        let digest = SHA256.hash(data: Data("device \(number)".utf8))
        let token = try #require(DeviceToken(bytes: Array(digest)))
        _ = try await devices.register(
            app: app,
            device: DeviceID(rawValue: UUID()),
            secret: String(repeating: "s", count: 43),
            Registration(token: token, consent: Consent(notifications: true))
        )
    }
}

/// A value of the server's announcement.
private enum PortOrText: Decodable {
    case number(Int)
    case text

    init(from decoder: any Decoder) throws {
        let number = try? decoder.singleValueContainer().decode(Int.self)
        self = number.map(Self.number) ?? .text
    }

    var port: Int? {
        if case .number(let port) = self { port } else { nil }
    }
}
