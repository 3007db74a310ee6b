import ApplePush
import ApplePushConnection
import ArgumentParser
import CarillonModel
import Foundation
import NIOCore

/// `carillon doctor`: diagnoses problems.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Diagnose a setup.",
        subcommands: [DoctorAPNsCommand.self, DoctorStoreCommand.self, DoctorServerCommand.self]
    )
}

/// `carillon doctor apns`: checks a key, a topic and a device token with APNs or a simulator.
struct DoctorAPNsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns",
        abstract: "Try a key, a topic and a device token with APNs, step by step.",
        discussion: """
            Checks the key file, the ids, the topic, the server's name, network, TLS, HTTP/2 and clock, then sends one \
            request. Without --token it uses a device token that does not exist: APNs checks key and topic first, so \
            BadDeviceToken proves that both are valid. With --token it sends a background notification that shows \
            nothing; with --send as well, one that appears on the device.

            The exit code is 0 without problems, and 1 otherwise.
            """
    )

    @OptionGroup var credentials: CredentialOptions

    @Option(help: "The app's bundle id.")
    var topic: String

    @Option(help: "A device token of the app, in hexadecimal.")
    var token: String?

    @Option(help: "Which of Apple's environments: sandbox or production.")
    var environment = APNsEnvironment.production

    @Option(help: "Another server than Apple's, such as a simulator: https://host:port.")
    var server: String?

    @Option(help: "A PEM file with the certificates to trust instead of the system's.")
    var ca: String?

    // A string that is parsed later: the parser's error would show a malformed value, with its password.
    @Option(help: "An HTTP proxy: http://host:port, with user:password@ where it requires them.")
    var proxy: String?

    @Option(help: "The timeout of each step in seconds, 1 through 300.")
    var timeout = 10

    @Flag(help: "Send a notification that appears on the device; needs --token.")
    var send = false

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func validate() throws {
        _ = try proxy.map(HTTPProxy.argument)
        guard (1...300).contains(timeout) else { throw ValidationError("The timeout must be 1 through 300 seconds.") }
        guard !send || token != nil else { throw ValidationError("--send needs --token: a device to appear on.") }
        if let token, APNsDeviceToken(hex: token) == nil {
            throw ValidationError("--token is hexadecimal, an even number of digits and nothing else.")
        }
        if let server, SendTarget.server(server) == nil {
            throw ValidationError("--server is an address such as https://127.0.0.1:2197.")
        }
    }

    func run() async throws {
        let report = try await examine()
        print(json ? try report.json : report.text)
        if !report.isHealthy { throw ExitCode(1) }
    }

    /// Runs the examination of the options.
    func examine() async throws -> DoctorReport {
        var doctor = APNsDoctor(endpoint: server.flatMap(SendTarget.server) ?? environment.endpoint)
        if let ca { doctor.trustRoots = .file(ca) }
        doctor.proxy = try proxy.map(HTTPProxy.argument)
        doctor.timeout = .seconds(Int64(timeout))
        doctor.deviceToken = token.flatMap { APNsDeviceToken(hex: $0) }
        doctor.isVisible = send
        let check = CredentialFileCheck(credentials.source, topic: topic)
        return await doctor.examine(check)
    }
}

/// One of Apple's two environments.
enum APNsEnvironment: String, ExpressibleByArgument, CaseIterable {
    case sandbox
    case production

    /// The endpoint for devices.
    var endpoint: Endpoint {
        switch self {
        case .sandbox: .sandbox
        case .production: .production
        }
    }

    /// The endpoints for broadcasts and channel management.
    var broadcastEndpoints: BroadcastEndpoints {
        switch self {
        case .sandbox: .sandbox
        case .production: .production
        }
    }
}

extension SendTarget {
    /// Parses `https://host:port` and everything that ``endpoint(_:)`` parses.
    static func server(_ text: String) -> Endpoint? {
        var rest = Substring(text)
        if rest.hasPrefix("https://") { rest = rest.dropFirst("https://".count) }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        return endpoint(String(rest))
    }
}

extension DoctorReport {
    /// The report as an indented JSON object.
    var json: String {
        get throws {
            return String(decoding: try JSONEncoder.sorted(.prettyPrinted).encode(self), as: UTF8.self)
        }
    }
}
