import Crypto
import Foundation
import Logging

/// Apple's push service, simulated in a test's own process.
///
/// It listens on loopback at a free port with HTTP/2 over TLS, and accepts and refuses with Apple's rules and reasons.
/// Tests may run side by side: each has its own.
///
/// ```swift
/// try await SimulatedAPNs.run { apns in
///     let token = try apns.makeDeviceToken()
///     … // send to apns.host and apns.port with apns.key, trusting apns.certificateAuthorityFile
///     #expect(apns.requests(to: token).map(\.status) == [200])
/// }
/// ```
public struct SimulatedAPNs: Sendable {
    /// What a test asks for that the simulator cannot do.
    public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// A device token is not hexadecimal text of 64 through 512 digits.
        case badDeviceToken
        /// The simulator does not know the device token, and accepts no unknown ones.
        case unknownDeviceToken
        /// A bundle id has other characters than letters, digits, hyphens and periods.
        case badBundleID
        /// A fault's status is not 400 through 599.
        case badStatus
        /// A fault's count is below 1, or its share is not above 0 through 100.
        case badAmount
        /// The requests did not arrive in time; so many did.
        case tooFewRequests(Int)

        /// The cause.
        public var description: String {
            switch self {
            case .badDeviceToken: "A device token has 64 through 512 hexadecimal digits."
            case .unknownDeviceToken: "The simulator did not issue this device token."
            case .badBundleID: "A bundle id has letters, digits, hyphens and periods."
            case .badStatus: "A fault's status is 400 through 599."
            case .badAmount: "A fault hits at least 1 request, or a share above 0 through 100."
            case .tooFewRequests(let count): "Only \(count) requests arrived in time."
            }
        }
    }

    /// A push key as Apple issues one, known to the simulator.
    public struct Key: Sendable {
        /// The text of the `.p8` file.
        public let pem: String
        /// The key's id, ten characters.
        public let keyID: String
        /// The id of the team that owns it, ten characters.
        public let teamID: String
    }

    /// The address for senders, which the certificate names.
    public let host: String
    /// The port for senders.
    public let port: Int
    /// The port of the control API, plain HTTP; `http://host:port/` is a page with the last requests.
    public let controlPort: Int
    /// The certificate to trust, in PEM.
    public let certificateAuthorityPEM: String
    /// The path of a file with the certificate to trust; it is removed at the end.
    public let certificateAuthorityFile: String
    /// A key whose provider tokens are accepted.
    public let key: Key
    let handle: SimulatorHandle
    let simulator: APNsSimulator

    /// Runs a simulator while a body runs, and stops it then, whether or not the body throws.
    ///
    /// - Parameters:
    ///   - rules: How strict it is.
    ///   - isolation: The caller's.
    ///   - body: Gets the running simulator.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body, or the system's when no port can be opened or no file be written.
    public static func run<Value: Sendable>(
        _ rules: Rules = Rules(),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (SimulatedAPNs) async throws -> Value
    ) async throws -> Value {
        let privateKey = P256.Signing.PrivateKey()
        let key = Key(pem: privateKey.pemRepresentation, keyID: "SIMKEY0001", teamID: "SIMTEAM001")
        var configuration = SimulatorConfiguration()
        configuration.keys = [SigningKey(keyID: key.keyID, teamID: key.teamID, publicKey: privateKey.publicKey)]
        rules.apply(to: &configuration.listener.rules, &configuration.listener.connections)
        let simulator = try APNsSimulator(
            configuration: configuration,
            logger: Logger(label: "carillon.apns-simulator") { _ in SwiftLogNoOpLogHandler() }
        )
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "carillon-apns-\(UUID().uuidString)",
            isDirectory: true
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let authority = folder.appendingPathComponent("ca.pem")
        try Data(simulator.certificateAuthorityPEM.utf8).write(to: authority)
        return try await simulator.whileRunning(isolation: isolation) { addresses in
            try await body(
                SimulatedAPNs(
                    host: addresses.host,
                    port: addresses.port,
                    controlPort: addresses.controlPort,
                    certificateAuthorityPEM: simulator.certificateAuthorityPEM,
                    certificateAuthorityFile: authority.path,
                    key: key,
                    handle: simulator.handle,
                    simulator: simulator
                )
            )
        }
    }
}
