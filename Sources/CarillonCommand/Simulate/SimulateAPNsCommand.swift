import ApplePushSimulator
import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// `carillon simulate apns`: Apple's push service on this computer, until Ctrl-C.
struct SimulateAPNsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns",
        abstract: "Run a simulator of Apple's push service on this computer.",
        discussion: """
            It speaks HTTP/2 over TLS and accepts and refuses as Apple does. A control API over plain HTTP issues \
            device tokens, makes it misbehave, tells what arrived, and feeds simulated phones. \
            docs/apns-simulator.md describes it.
            """
    )

    /// Which device tokens are taken.
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

    @Option(help: "The address to listen on, for both ports.")
    var host = "127.0.0.1"

    @Option(help: "The port for senders; 0 for any that is free.")
    var port = 2197

    @Option(help: "The port of the control API; 0 for any that is free.")
    var controlPort = 2198

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

    @Option(help: "How many of the last requests are kept for the control API.")
    var record = 1000

    @Flag(help: "Accept provider tokens of keys that are not known, whatever their signature.")
    var anyKey = false

    @Option(help: "Where the sample key and the CA certificate go. Made if missing; a key that is there is used again.")
    var folder: String?

    @Option(help: "Where to write the CA certificate instead.")
    var caOut: String?

    @Flag(help: "Print one line of JSON instead of text.")
    var json = false

    func validate() throws {
        guard (0...65_535).contains(port), (0...65_535).contains(controlPort) else {
            throw ValidationError("A port is a number from 0 through 65535.")
        }
        guard (1...1_000_000).contains(streams), (1...1_000_000).contains(initialStreams) else {
            throw ValidationError("A connection may have 1 through 1000000 streams.")
        }
        guard (1...64).contains(threads) else { throw ValidationError("There may be 1 through 64 threads.") }
        guard (0...100_000).contains(record) else { throw ValidationError("Up to 100000 requests can be kept.") }
    }

    func run() async throws {
        let sample = try SampleKey(
            folder: folder.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? SampleKey.usualFolder
        )
        let simulator = try APNsSimulator(
            configuration: simulatorConfiguration(with: sample),
            logger: Logger(label: "carillon.simulator")
        )
        let caFile = caOut.map { URL(fileURLWithPath: $0) } ?? sample.folder.appendingPathComponent("ca.pem")
        try simulator.certificateAuthorityPEM.write(to: caFile, atomically: true, encoding: .utf8)
        let announcement = SimulatorAnnouncement(simulator: simulator, sample: sample, caFile: caFile, isJSON: json)
        let services = ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: announcement, successTerminationBehavior: .ignore),
                    .init(service: simulator),
                ],
                gracefulShutdownSignals: [.sigint, .sigterm],
                logger: Logger(label: "carillon.simulator")
            )
        )
        try await services.run()
    }

    private func simulatorConfiguration(with sample: SampleKey) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.host = host
        configuration.port = port
        configuration.controlPort = controlPort
        configuration.threads = threads
        configuration.streamLimit = streams
        configuration.initialStreamLimit = initialStreams
        configuration.recordedRequests = record
        configuration.rules.environment = environment
        configuration.rules.deviceTokens = mode == .strict ? .strict : .open
        configuration.rules.providerTokens = anyKey ? .anyKey : .knownKeys
        configuration.rules.topics = Set(topic)
        configuration.keys = [sample.signingKey]
        return configuration
    }
}

extension PushEnvironment: ExpressibleByArgument {}
