import ApplePushSimulator
import Foundation
import Logging
import NIOCore
import TestSupport
import Testing

/// Other people's HTTP/2 clients, run as a user would.
enum Tool: String {
    case curl
    case h2load
    case nghttp
    case openssl
    case python3
    case chromium = "chromium-headless-shell"

    struct Result {
        var status: Int32
        var output: String
    }

    struct Missing: Error {
        var name: String
    }

    /// Runs the tool and waits for its end.
    ///
    /// Both its outputs come together.
    func run(_ arguments: [String]) async throws -> Result {
        try await Self.run(try path(), arguments)
    }

    /// Runs a program that need not be on the path.
    static func run(_ program: URL, _ arguments: [String]) async throws -> Result {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        return try await withCheckedThrowingContinuation { continuation in
            // A thread of its own: reading blocks, and the tool talks to a server in this process.
            Thread.detachNewThread {
                do {
                    try process.start()
                } catch {
                    continuation.resume(throwing: error)
                    return
                }
                let output = contents(of: pipe.fileHandleForReading.fileDescriptor)
                process.waitUntilExit()
                continuation.resume(
                    returning: Result(
                        status: process.terminationStatus,
                        output: String(decoding: output, as: UTF8.self)
                    )
                )
            }
        }
    }

    /// Reads to the end; Foundation's own reading ends the process when a signal interrupts it.
    private static func contents(of descriptor: Int32) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return data }
            data.append(contentsOf: buffer[..<count])
        }
    }

    func path() throws -> URL {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        let candidates = folders.map { URL(fileURLWithPath: String($0)).appendingPathComponent(rawValue) }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw Missing(name: rawValue)
        }
        return found
    }
}

/// A running simulator with a key, and the files that its clients need.
struct SimulatorFixture: Sendable {
    let simulator: APNsSimulator
    var addresses: APNsSimulator.Addresses
    let signer: TestSigner
    /// A provider token in order, the same for all requests.
    let providerToken: String
    let clock: ManualWallClock
    let folder: URL

    /// Runs a simulator on ports of its own for as long as the body takes.
    static func run(
        _ change: (inout SimulatorConfiguration) -> Void = { _ in },
        at start: SimulatedTime = SimulatedTime(seconds: 1_800_000_000),
        signer: TestSigner = TestSigner(),
        body: (SimulatorFixture) async throws -> Void
    ) async throws {
        let clock = ManualWallClock(start)
        var configuration = SimulatorConfiguration()
        configuration.keys = [signer.key]
        change(&configuration)
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("apns-simulator-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let simulator = try APNsSimulator(configuration: configuration, clock: clock, logger: logger)
        try simulator.certificateAuthorityPEM
            .write(to: folder.appendingPathComponent("ca.pem"), atomically: true, encoding: .utf8)
        try await simulator.whileRunning { addresses in
            try await body(
                SimulatorFixture(
                    simulator: simulator,
                    addresses: addresses,
                    signer: signer,
                    providerToken: signer.token(issuedAt: 1_800_000_000),
                    clock: clock,
                    folder: folder
                )
            )
        }
    }

    var caFile: String { folder.appendingPathComponent("ca.pem").path }
    var handle: SimulatorHandle { simulator.handle }

    func url(token: String = GatewayFixture.token) -> String {
        "https://localhost:\(addresses.port)/3/device/\(token)"
    }

    func control(_ path: String) -> String {
        "http://localhost:\(addresses.controlPort)\(path)"
    }

    /// A file with these bytes, for tools that want one.
    func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let file = folder.appendingPathComponent(name)
        try Data(bytes).write(to: file)
        return file.path
    }

    /// The fields of a request in order, as curl and h2load take them.
    var fields: [String] {
        [
            "-H", "authorization: bearer \(providerToken)", "-H", "apns-topic: com.example.app",
            "-H", "apns-push-type: alert",
        ]
    }

    /// Sends one notification with curl.
    ///
    /// Returns status, fields and body as curl prints them.
    func curl(_ arguments: [String] = [], token: String = GatewayFixture.token) async throws -> Tool.Result {
        try await Tool.curl.run(
            ["-sS", "-i", "--max-time", "120", "--http2", "--cacert", caFile, "-d", GatewayFixture.alert] + fields
                + arguments + [url(token: token)]
        )
    }

    /// Uses the control API with curl; the last line is the status.
    func post(_ path: String, _ body: String, method: String = "POST") async throws -> [String] {
        let result = try await Tool.curl.run(
            ["-sS", "-X", method, "-d", body, "-w", "\n%{http_code}", control(path)]
        )
        return result.output.components(separatedBy: "\n")
    }
}
