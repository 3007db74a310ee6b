import ApplePush
import ApplePushConnection
import ApplePushSimulator
import Crypto
import Foundation
import Logging

/// Our simulator of APNs with one key, for as long as a test takes, and a folder with the files that its clients need.
struct SimulatedAPNs {
    static let keyID = "ABC123DEFG"
    static let teamID = "DEF123GHIJ"
    static let topic = "com.example.app"

    let simulator: APNsSimulator
    let folder: URL
    let privateKey = P256.Signing.PrivateKey()

    init(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) throws {
        var configuration = SimulatorConfiguration()
        configuration.keys = [
            ApplePushSimulator.SigningKey(
                keyID: Self.keyID,
                teamID: Self.teamID,
                publicKey: privateKey.publicKey
            )
        ]
        change(&configuration)
        simulator = try APNsSimulator(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(simulator.certificateAuthorityPEM, to: "ca.pem")
        try write(privateKey.pemRepresentation, to: "AuthKey_\(Self.keyID).p8")
    }

    var keyFile: String { folder.appendingPathComponent("AuthKey_\(Self.keyID).p8").path }
    var caFile: String { folder.appendingPathComponent("ca.pem").path }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let path = folder.appendingPathComponent(name).path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Runs the simulator; the body is given where it can be reached.
    func runAll<Value: Sendable>(_ body: (APNsSimulator.Addresses) async throws -> Value) async throws -> Value {
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await simulator.whileRunning(body)
    }

    /// Writes a client certificate of the simulator's, and its passphrase; gives the two paths.
    func certificate(_ order: ClientCertificateOrder) throws -> (p12: String, passphrase: String) {
        let made = try simulator.handle.issueClientCertificate(order, passphrase: "correct horse")
        let name = UUID().uuidString
        let path = folder.appendingPathComponent(name + ".p12")
        try Data(made.pkcs12).write(to: path)
        return (path.path, try write("correct horse\n", to: name + ".txt"))
    }

    /// Runs the simulator; the body is given the port for senders.
    func run<Value: Sendable>(_ body: (Int) async throws -> Value) async throws -> Value {
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await simulator.whileRunning { addresses in try await body(addresses.port) }
    }
}
