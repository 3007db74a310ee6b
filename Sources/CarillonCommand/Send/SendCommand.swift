import ApplePush
import ApplePushConnection
import ArgumentParser
import Foundation
import NIOCore
import NIOPosix
import UnixSignals

/// `carillon send`: sends one message to many device tokens, without a Carillon server.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send one message to a list of device tokens, without a server.",
        discussion: """
            The message is a payload for APNs, a JSON object such as {"aps":{"alert":"Hello"}}, and is sent verbatim. \
            Tokens are read one per line, in hexadecimal; empty lines and lines that begin with # are skipped.

            Each outcome becomes a line of the outcome file: line number, token, outcome, status, reason, time, Apple's \
            time for a token that is no longer valid (in milliseconds), and apns-id. The same command continues a \
            stopped run: tokens with a final outcome are skipped. An unanswered notification is sent again, with the \
            same apns-id; use --collapse-id so that it replaces its first copy.
            """
    )

    /// The APNs environment.
    enum Environment: String, EnumerableFlag {
        case production
        case sandbox

        static func help(for value: Environment) -> ArgumentHelp? {
            switch value {
            case .production: "Apps from the App Store and TestFlight."
            case .sandbox: "Apps installed from Xcode."
            }
        }
    }

    @Option(help: "A file with one device token a line; - for the standard input.")
    var tokens = "-"

    @Option(help: "A file with the payload, JSON; - for the standard input.")
    var message: String

    @OptionGroup(title: "Credentials") var credentials: CredentialOptions

    @Option(help: "The app's bundle id. The push type adds its suffix to it.")
    var topic: String

    @Option(help: "The outcome file, CSV; created if missing, continued if present.")
    var outcomes: String

    @Flag var environment = Environment.production

    @Option(help: "Another host:port than Apple's, such as a simulator's.")
    var host: String?

    @Option(help: "A PEM file with the certificates to trust instead of the system's.")
    var caFile: String?

    @Option(help: "An HTTP proxy with CONNECT: http://HOST:PORT, or http://USER:PASSWORD@HOST:PORT.")
    var proxy: String?

    @Option(help: "The push type: alert, background, voip, liveactivity, …")
    var pushType = "alert"

    @Option(help: "The priority: 10, 5 or 1. Without one it is 5 for background, and Apple's default, 10, for others.")
    var priority: Int?

    @Option(help: "Until when APNs may deliver, in seconds since 1970; 0 for now or never.")
    var expiration: Int64?

    @Option(help: "A later notification with the same id replaces an earlier one; up to 64 bytes.")
    var collapseId: String?

    @Option(help: "How many connections at most, 1 through 64.")
    var connections = 4

    func validate() throws {
        guard (1...64).contains(connections) else { throw ValidationError("There may be 1 through 64 connections.") }
        guard tokens != "-" || message != "-" else {
            throw ValidationError("Only one of --tokens and --message can be the standard input.")
        }
        if let host, SendTarget.endpoint(host) == nil {
            throw ValidationError("--host is a name or an address, with a port such as :2197 or without one.")
        }
        _ = try proxy.map(HTTPProxy.argument)
        _ = try headers()
    }

    func run() async throws {
        let credential = try credentials.credential()
        let plan = SendPlan(
            headers: try headers(),
            payload: try payload(),
            key: credential.signingKey,
            tokensPath: tokens == "-" ? nil : tokens
        )
        let file = try OutcomeFile(path: outcomes)
        let group = MultiThreadedEventLoopGroup.singleton
        var configuration = ConnectionPool.Configuration()
        configuration.maximumConnections = connections
        configuration.identity = credential.identity
        configuration.proxy = try proxy.map(HTTPProxy.argument)
        if let caFile { configuration.trustRoots = .file(caFile) }
        let endpoint = host.flatMap(SendTarget.endpoint) ?? (environment == .sandbox ? .sandbox : .production)
        let pool = try ConnectionPool(endpoint: endpoint, configuration: configuration, eventLoopGroup: group)
        let sender = SendRun(
            plan: plan,
            file: file,
            deliver: { await pool.send($0, token: $1, deadline: $2) },
            sleep: { try await Task.sleep(for: $0) }
        )
        let end = try await Self.untilSignal { stop in try await sender.run(until: stop) }
        await pool.shutDown()
        try file.close()
        Self.say(end.text)
        if end.code != 0 { throw ExitCode(end.code) }
    }

    /// Runs `body`; the first Ctrl-C requests a stop, and it ends when work in flight has ended.
    private static func untilSignal(
        _ body: @escaping @Sendable (StopFlag) async throws -> SendRun.End
    ) async throws -> SendRun.End {
        let stop = StopFlag()
        return try await withThrowingTaskGroup(of: SendRun.End?.self) { tasks in
            tasks.addTask { try await body(stop) }
            tasks.addTask {
                for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
                    // The second Ctrl-C exits at once; the next run treats work in flight as missing.
                    if stop.isSet { Foundation.exit(130) }
                    stop.set()
                    Self.say("Stopping; waiting for the answers that are due. Once more to leave at once.")
                }
                return nil
            }
            while let end = try await tasks.next() {
                if let end {
                    tasks.cancelAll()
                    return end
                }
            }
            preconditionFailure("the run ends with an end or an error")
        }
    }

    private static func say(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    // MARK: - Input

    private func headers() throws -> RequestHeaders {
        let type = APNsPushType(rawValue: pushType)
        guard let topic = Topic(bundleID: topic, for: type) else {
            throw ValidationError("--topic is a bundle id such as com.example.app.")
        }
        var headers = RequestHeaders(topic: topic, pushType: type)
        if let priority {
            guard let known = Priority(rawValue: priority) else {
                throw ValidationError("--priority is 10, 5 or 1.")
            }
            headers.priority = known
        } else if type == .background {
            headers.priority = .considerate
        }
        if let expiration {
            guard expiration >= 0 else {
                throw ValidationError("--expiration is a number of seconds since 1970, or 0.")
            }
            headers.expiration = Expiration(seconds: expiration)
        }
        if let collapseId {
            guard let id = CollapseID(rawValue: collapseId) else {
                throw ValidationError("--collapse-id has 1 through 64 bytes, and no blank at its ends.")
            }
            headers.collapseID = id
        }
        return headers
    }

    private func payload() throws -> EncodedPayload {
        let data = try InputFile.contents(of: message)
        let limit = APNsPushType(rawValue: pushType).payloadLimit
        guard (try? JSONSerialization.jsonObject(with: data)) is [String: Any] else {
            throw ValidationError("The message is not a JSON object.")
        }
        do {
            return try EncodedPayload(bytes: Array(data), limit: limit)
        } catch {
            throw ValidationError("The message has \(data.count) bytes; APNs accepts \(limit) for this push type.")
        }
    }
}
