import ApplePushSimulator
import CarillonOperatorModel
import CarillonServer
import Crypto
import Foundation
import Testing

@testable import CarillonCommand

/// A server as a process that can be killed, frozen and started again.
final class ClusterNode {
    private let name: String
    private let launcher: [String]
    private let arguments: [String]
    private var process: ChildProcess?
    private(set) var api = OperatorAPI(server: URL(fileURLWithPath: "/"), key: "")
    /// The server's API key, which only the first node on an empty store is told.
    private(set) var key = ""
    private(set) var isFrozen = false

    init(_ name: String, launcher: [String], arguments: [String]) {
        self.name = name
        self.launcher = launcher
        self.arguments = arguments
    }

    var isRunning: Bool { process != nil }

    func start(key known: String? = nil) async throws {
        let process = try ChildProcess(arguments, launcher: launcher, log: name)
        let line = try await process.line(containing: "\"port\"")
        let announcement = try JSONDecoder().decode(Announcement.self, from: Data(line.utf8))
        if key.isEmpty { key = try known ?? announcement.adminKey() }
        let host = try #require(arguments.firstIndex(of: "--host").map { arguments[$0 + 1] })
        api = OperatorAPI(server: try #require(URL(string: "http://\(host):\(announcement.port)")), key: key)
        self.process = process
    }

    func killNow() {
        process?.killNow()
        process = nil
        isFrozen = false
    }

    /// One of the node's metrics, without labels; `nil` when it does not answer.
    func metric(_ name: MetricName) async -> Int? {
        guard let page = try? await api.call("GET", "metrics") else { return nil }
        let line = String(decoding: page, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix(name.rawValue + " ") }
        return line.flatMap { Double($0.dropFirst(name.rawValue.count + 1)) }.map { Int($0) }
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
        var adminKeyFile: String?

        func adminKey() throws -> String {
            let text = try String(contentsOfFile: try #require(adminKeyFile), encoding: .utf8)
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
}

/// A key for Apple: the half that the server has, and the half that the simulated Apple knows.
struct PushKeyPair {
    private static let teamID = "CLUSTERT01"
    private let key = P256.Signing.PrivateKey()
    let keyID: String

    var simulated: SigningKey { SigningKey(keyID: keyID, teamID: Self.teamID, publicKey: key.publicKey) }

    var request: PushKeyRequest {
        PushKeyRequest(keyID: keyID, teamID: Self.teamID, privateKey: key.pemRepresentation)
    }
}
