import ApplePushSimulator
import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// `carillon simulate apns`: simulates APNs on this computer, until Ctrl-C.
struct SimulateAPNsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns",
        abstract: "Run a simulator of Apple's push service on this computer.",
        discussion: """
            It speaks HTTP/2 over TLS and accepts and refuses as Apple does. Its control port has a status page, and \
            an API over plain HTTP that issues device tokens, injects faults, reports requests, and feeds simulated \
            phones. docs/apns-simulator.md describes it.

            It ends with 0 after Ctrl-C or SIGTERM, with 64 when an option is wrong, with 65 when the scenario \
            is, with 66 when it cannot be read, and with 69 when a port cannot be opened.
            """
    )

    /// Which device tokens are accepted.
    enum Mode: String, EnumerableFlag {
        case open
        case strict

        static func help(for value: Mode) -> ArgumentHelp? {
            switch value {
            case .open: "Accept any device token that is well formed."
            case .strict: "Accept only device tokens that this simulator issued."
            }
        }
    }

    @Option(help: "The address to listen on, for all ports.")
    var host = "127.0.0.1"

    @Option(help: "The port for senders; 0 for any that is free.")
    var port = 2197

    @Option(help: "The port of the control API and its page; 0 for any that is free.")
    var controlPort = 2198

    @Option(help: "A further port for senders, which plays the other environment; 0 for any that is free.")
    var otherPort: Int?

    @Option(
        help: "An allowed host name of the control API, beside localhost and addresses; may be repeated."
    )
    var controlName: [String] = []

    @Option(help: "A scenario to begin with; docs/apns-simulator.md describes the file.", completion: .file())
    var scenario: String?

    @Flag var mode = Mode.open

    @Option(help: "Which environment to play: sandbox or production.")
    var environment = PushEnvironment.production

    @Option(help: "A bundle identifier that exists; may be repeated. Without any, all do.")
    var topic: [String] = []

    @Option(help: "How many streams a connection may have open once it is authenticated.")
    var streams: UInt32 = 1000

    @Option(help: "How many streams a connection may have open before that.")
    var initialStreams: UInt32 = 1

    @Option(help: "How many threads serve connections.")
    var threads = 1

    @Option(help: "How many of the last requests are recorded for the control API.")
    var record = 1000

    @Flag(help: "Accept provider tokens of keys that are not known, whatever their signature.")
    var anyKey = false

    @Option(help: "The folder of the sample key and the CA certificate. Created if missing; an existing key is reused.")
    var folder: String?

    @Option(
        help: """
            The topic of a client certificate to create; may be repeated. TOPIC.pem and TOPIC.p12, whose passphrase is \
            "carillon", are written beside the sample key.
            """
    )
    var certificateFor: [String] = []

    @Option(help: "Where to write the CA certificate instead.")
    var caOut: String?

    @Flag(help: "Print one line of JSON instead of text.")
    var json = false

    func validate() throws {
        guard [port, controlPort, otherPort ?? 0].allSatisfy((0...65_535).contains) else {
            throw ValidationError("A port is a number from 0 through 65535.")
        }
        guard (1...1_000_000).contains(streams), (1...1_000_000).contains(initialStreams) else {
            throw ValidationError("A connection may have 1 through 1000000 streams.")
        }
        guard (1...64).contains(threads) else { throw ValidationError("There may be 1 through 64 threads.") }
        guard (0...100_000).contains(record) else { throw ValidationError("At most 100000 requests can be recorded.") }
    }

    func run() async throws {
        if let warning { complain(warning) }
        let sample =
            if let folder {
                try SampleKey(folder: URL(fileURLWithPath: folder, isDirectory: true))
            } else {
                try SampleKey(usualFolder: SampleKey.usualFolder)
            }
        let simulator = try APNsSimulator(
            configuration: try simulatorConfiguration(with: sample),
            logger: logger
        )
        let caFile = caOut.map { URL(fileURLWithPath: $0) } ?? sample.folder.appendingPathComponent("ca.pem")
        let certificates = try makeCertificates(from: simulator.handle)
        let announcement = SimulatorAnnouncement(simulator: simulator, sample: sample, caFile: caFile, isJSON: json) {
            try simulator.certificateAuthorityPEM.write(to: caFile, atomically: true, encoding: .utf8)
            try ClientCertificateFiles.write(certificates, to: sample.folder)
        }
        let services = ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: announcement, successTerminationBehavior: .ignore),
                    .init(service: simulator),
                ],
                gracefulShutdownSignals: [.sigint, .sigterm],
                logger: logger
            )
        )
        do {
            try await services.run()
        } catch let error as ListenFailure {
            complain(error.description + " An option sets another port; 0 selects any free one.")
            throw ScenarioFile.unavailable
        }
    }

    /// A warning about a dangerous address to listen on.
    var warning: String? {
        let isLoopback = host == "localhost" || host == "::1" || host.hasPrefix("127.")
        guard !isLoopback else { return nil }
        return """
            THE CONTROL API IS OPEN TO THE NETWORK: it has no authentication, and anybody who reaches \(host) can read \
            requests, issue device tokens and certificates, and inject faults. Use it in closed networks only.
            """
    }

    private func makeCertificates(from handle: SimulatorHandle) throws -> [String: Data] {
        do {
            return try certificateFor.reduce(into: [:]) { files, topic in
                files.merge(try ClientCertificateFiles.make(topic, from: handle)) { _, new in new }
            }
        } catch SimulatorHandle.Failure.badCertificateOrder {
            throw ValidationError("A topic to make a certificate for is a bundle identifier.")
        }
    }

    /// Logs little: errors of clients are in the responses, and the addresses are announced.
    private var logger: Logger {
        var logger = Logger(label: "carillon.simulator")
        logger.logLevel = .warning
        return logger
    }

    private func simulatorConfiguration(with sample: SampleKey) throws -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.host = host
        configuration.listener.name = environment.rawValue
        configuration.port = port
        configuration.controlPort = controlPort
        configuration.controlNames = Set(controlName.map { $0.lowercased() })
        configuration.threads = threads
        configuration.streamLimit = streams
        configuration.initialStreamLimit = initialStreams
        configuration.recordedRequests = record
        configuration.rules.environment = environment
        configuration.rules.deviceTokens = mode == .strict ? .strict : .open
        configuration.rules.providerTokens = anyKey ? .anyKey : .knownKeys
        configuration.rules.topics = Set(topic)
        configuration.keys = [sample.signingKey]
        if let otherPort {
            configuration.otherListeners = [other(than: configuration.listener, port: otherPort)]
        }
        if let scenario {
            configuration.add(try ScenarioFile(path: scenario).read(over: configuration.listeners))
        }
        return configuration
    }

    /// A copy of a listener for the other environment.
    private func other(than listener: ListenerConfiguration, port: Int) -> ListenerConfiguration {
        var other = listener
        other.rules.environment = listener.rules.environment == .sandbox ? .production : .sandbox
        other.name = other.rules.environment.rawValue
        other.port = port
        return other
    }
}

extension PushEnvironment: ExpressibleByArgument {}
