import ApplePush
import ApplePushConnection
import ArgumentParser
import Foundation

/// The channels' app, credentials and server.
struct ChannelOptions: ParsableArguments {
    @OptionGroup var credentials: CredentialOptions

    @Option(help: "The app's bundle id.")
    var topic: String

    @Option(help: "Which of Apple's environments: sandbox or production.")
    var environment = APNsEnvironment.production

    @Option(help: "Another server than Apple's for managing channels: https://host:port.")
    var managementServer: String?

    @Option(help: "Another server than Apple's for broadcasts: https://host:port.")
    var broadcastServer: String?

    @Option(help: "A PEM file with the certificates to trust instead of the system's.")
    var ca: String?

    // A string that is parsed later: the parser's error would show a malformed value, with its password.
    @Option(help: "An HTTP proxy: http://host:port, with user:password@ where it requires them.")
    var proxy: String?

    @Option(help: "How many seconds to wait for the answer, 1 through 300.")
    var timeout = 30

    func validate() throws {
        _ = try proxy.map(HTTPProxy.argument)
        guard BundleID(rawValue: topic) != nil else {
            throw ValidationError("--topic is a bundle id such as com.example.app.")
        }
        for server in [managementServer, broadcastServer] {
            if let server, SendTarget.server(server) == nil {
                throw ValidationError("A server is an address such as https://127.0.0.1:2197.")
            }
        }
        guard (1...300).contains(timeout) else { throw ValidationError("The timeout must be 1 through 300 seconds.") }
    }

    typealias Work<Value: Sendable> = (
        _ client: BroadcastClient, _ app: BundleID, _ token: ProviderToken?, _ timeout: Duration
    ) async -> BroadcastOutcome<Value>

    /// Runs one operation with a client, and returns its result.
    ///
    /// - Throws: ``ChannelFailure`` when APNs refused or did not answer.
    @discardableResult
    func perform<Value: Sendable>(_ work: Work<Value>) async throws -> Value {
        guard let app = BundleID(rawValue: topic) else { throw ValidationError("--topic is a bundle id.") }
        let credential = try credentials.credential()
        let token = try credential.token(at: Date())
        var endpoints = environment.broadcastEndpoints
        if let server = managementServer.flatMap(SendTarget.server) { endpoints.management = server }
        if let server = broadcastServer.flatMap(SendTarget.server) { endpoints.sending = server }
        var configuration = BroadcastClient.Configuration()
        configuration.proxy = try proxy.map(HTTPProxy.argument)
        configuration.identity = credential.identity
        if let ca { configuration.trustRoots = .file(ca) }
        let client = try BroadcastClient(
            endpoints: endpoints,
            configuration: configuration
        )
        defer { client.shutDown() }
        switch await work(client, app, token, .seconds(timeout)) {
        case .accepted(let value): return value
        case .rejected(let rejection): throw ChannelFailure.refused(rejection)
        case .notSent(let failure): throw ChannelFailure.notSent(failure)
        case .unknown(let failure): throw ChannelFailure.unknown(failure)
        }
    }
}

/// Why an operation on channels failed.
enum ChannelFailure: Error, Hashable, CustomStringConvertible {
    case refused(Rejection)
    case notSent(Failure)
    case unknown(Failure)

    var description: String {
        switch self {
        case .refused(let rejection):
            "APNs refuses: \(rejection.status) \(printable(rejection.reason.rawValue)). \(Self.advice(rejection.reason))"
        case .notSent(let failure): "Nothing was sent (\(failure.rawValue)). `carillon doctor apns` may find out why."
        case .unknown(let failure): "It was sent, and there is no answer (\(failure.rawValue)); APNs may have done it."
        }
    }

    /// The kind of failure, by which the command exits.
    var kind: CommandFailure.Kind {
        switch self {
        case .refused: .data
        case .notSent, .unknown: .unavailable
        }
    }

    /// Advice for the reasons that are specific to channels; `carillon doctor apns` explains the others.
    private static func advice(_ reason: RejectionReason) -> String {
        switch reason {
        case .featureNotEnabled: "Switch the app's broadcast capability on in Apple's developer account."
        case .missingChannelID, .badChannelID, .channelNotRegistered:
            "Is it a channel of this app, in this environment? `carillon channels list` shows them."
        case .cannotCreateChannelConfiguration: "An app may have 10,000 channels: delete some."
        case .badExpirationDate: "A channel that stores nothing accepts only --expiration 0."
        case .topicDisallowed: "Give the bundle id without a suffix, and a key that may push to it."
        case .badRequestPayload, .badRequestParameters:
            "Look at the message: update or end, with timestamp and content."
        default: "`carillon doctor apns` explains key and topic."
        }
    }
}

/// Removes characters of the server's text that a terminal would interpret.
func printable(_ text: String) -> String {
    String(text.filter { $0.isASCII && !$0.isNewline && ($0.asciiValue ?? 0) >= 0x20 && $0 != "\u{7F}" }.prefix(64))
}
