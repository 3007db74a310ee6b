import ApplePushSimulator
import CarillonOperatorModel
import Crypto
import Foundation
import Testing

@testable import CarillonCommand

/// A server as a process that can be killed, frozen and started again.
final class ClusterNode {
    private let launcher: [String]
    private let arguments: [String]
    private var process: ChildProcess?
    private(set) var api = OperatorAPI(server: URL(fileURLWithPath: "/"), key: "")
    /// The server's API key, which only the first node on an empty store is told.
    private(set) var key = ""
    private(set) var isFrozen = false

    init(launcher: [String], arguments: [String]) {
        self.launcher = launcher
        self.arguments = arguments
    }

    var isRunning: Bool { process != nil }

    func start(key known: String? = nil) async throws {
        let process = try ChildProcess(arguments, launcher: launcher)
        let line = try await process.line(containing: "\"port\"")
        let announcement = try JSONDecoder().decode(Announcement.self, from: Data(line.utf8))
        if key.isEmpty { key = try #require(known ?? announcement.adminKey) }
        let host = try #require(arguments.firstIndex(of: "--host").map { arguments[$0 + 1] })
        api = OperatorAPI(server: try #require(URL(string: "http://\(host):\(announcement.port)")), key: key)
        self.process = process
    }

    func killNow() {
        process?.killNow()
        process = nil
        isFrozen = false
    }

    func freeze() {
        process?.send(SIGSTOP)
        isFrozen = true
    }

    func thaw() {
        process?.send(SIGCONT)
        isFrozen = false
    }

    private struct Announcement: Decodable {
        var port: Int
        var adminKey: String?
    }
}

/// A key for Apple: the half that the server has, and the half that the simulated Apple knows.
struct PushKeyPair {
    private static let keyID = "CLUSTERK01"
    private static let teamID = "CLUSTERT01"
    private let key = P256.Signing.PrivateKey()

    var simulated: SigningKey { SigningKey(keyID: Self.keyID, teamID: Self.teamID, publicKey: key.publicKey) }

    var request: PushKeyRequest {
        PushKeyRequest(keyID: Self.keyID, teamID: Self.teamID, privateKey: key.pemRepresentation)
    }
}

/// Wall clocks that are off; what measures spans of time is left alone.
enum Clock {
    private static let library: String? = {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        return folders.map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }
            .first { FileManager.default.fileExists(atPath: $0) }
    }()

    /// What starts a program with a clock that is off by some seconds; nothing where libfaketime is missing.
    static func launcher(offset seconds: Int) -> [String] {
        guard seconds != 0, let library else { return [] }
        return [
            "/usr/bin/env", "LD_PRELOAD=" + library, "FAKETIME=\(seconds > 0 ? "+" : "")\(seconds)s",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
        ]
    }
}
