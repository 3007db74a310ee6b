import Carillon
import CarillonModel
import Foundation

/// A folder that is gone when the test is over.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-tests-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// Random numbers that count up.
final class CountingRandom: RandomSource, @unchecked Sendable {
    private let lock = NSLock()
    private var last: UInt64 = 0

    func next() -> UInt64 {
        lock.withLock {
            last &+= 0x0101_0101_0101_0101
            return last
        }
    }
}

/// A client in a folder of its own, with everything around it in the test's hands.
struct TestClient {
    let folder: TemporaryFolder
    let server: FakeServer
    let time: ManualTime
    let client: CarillonClient
    let log = LogBook()

    init(
        folder: TemporaryFolder? = nil,
        server: FakeServer = FakeServer(),
        time: ManualTime = ManualTime(),
        process: String = "app",
        facts: DeviceFacts = .sample
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.server = server
        self.time = time
        var configuration = CarillonConfiguration(
            server: URL(string: "https://push.example.com")!,
            appKey: FakeServer.appKey
        )
        configuration.storage = self.folder.url
        configuration.log = { [log] in log.write($0) }
        var dependencies = Dependencies(transport: server)
        dependencies.time = time
        dependencies.random = CountingRandom()
        dependencies.facts = { facts }
        dependencies.process = process
        client = try CarillonClient(configuration, dependencies)
    }

    /// The same phone after the app was started anew.
    func restarted(facts: DeviceFacts = .sample) throws -> TestClient {
        try TestClient(folder: folder, server: server, time: time, facts: facts)
    }
}

/// What the SDK wrote to the app's log.
final class LogBook: @unchecked Sendable {
    private let lock = NSLock()
    private var written: [CarillonLogEntry] = []

    var entries: [CarillonLogEntry] { lock.withLock { written } }

    func write(_ entry: CarillonLogEntry) { lock.withLock { written.append(entry) } }
}

extension DeviceFacts {
    static var sample: DeviceFacts {
        var facts = DeviceFacts(pushType: .apnsSandbox)
        facts.language = "ja-JP"
        facts.country = "JP"
        facts.timeZone = "Asia/Tokyo"
        facts.appVersion = "1.2"
        facts.osVersion = "iOS 17.4"
        facts.model = "iPhone15,3"
        return facts
    }
}

enum Sample {
    static let consent = Consent(notifications: true, ads: true)
    static let receipt = "AAAAAAAAAAAAAAAAAAAAAAAA"

    static func token(_ byte: UInt8 = 1) -> DeviceToken { DeviceToken(bytes: Array(repeating: byte, count: 32))! }

    static func occurrence(_ number: UInt32 = 1) -> OccurrenceID {
        OccurrenceID(milliseconds: 1_800_000_000_000, sequence: number)
    }

    static func push(_ number: UInt32 = 1) -> ReceivedPush {
        ReceivedPush(userInfo: ["carillon": ["o": occurrence(number).description, "r": receipt]])!
    }

    static func event(_ number: UInt32 = 1, _ kind: Event.Kind = .received) -> Event {
        Event(
            kind,
            occurrence: occurrence(number),
            receipt: Receipt(rawValue: receipt)!,
            at: Timestamp(rawValue: 1_800_000_000_000)
        )
    }

    /// A payload as the server writes it.
    static func payload(
        _ number: UInt32 = 1,
        alert: [String: String]? = ["title": "Hello", "body": "World"],
        aps extra: [String: any Sendable] = [:],
        carillon fields: [String: any Sendable] = [:]
    ) -> Data {
        var aps: [String: Any] = ["mutable-content": 1]
        aps["alert"] = alert
        aps.merge(extra) { $1 }
        var carillon: [String: Any] = ["o": occurrence(number).description, "r": receipt]
        carillon.merge(fields) { $1 }
        return (try? JSONSerialization.data(withJSONObject: ["aps": aps, "carillon": carillon, "article": 17]))
            ?? Data()
    }
}
