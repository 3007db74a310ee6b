public import ApplePush
public import Logging
public import NIOCore
public import NIOPosix

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Sends notifications to the devices of one app.
///
/// It has a ``ConnectionPool``, which connects with the first notification, and mints and renews the provider token by
/// itself. A process needs one for each app and environment; all callers share it. After use call
/// ``shutDown(within:)``.
///
/// ```swift
/// let key = try SigningKey(file: "AuthKey_ABC123DEFG.p8", keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
/// let client = try APNsClient(.key(key), bundleID: "com.example.app", endpoint: .sandbox)
/// let outcome = try await client.send(AlertMessage(title: "Tonight at eight"), to: deviceToken)
/// ```
public final class APNsClient: Sendable {
    /// What cannot be sent, and why.
    public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// The bundle id is not 1 through 200 letters, digits, hyphens and periods.
        case badBundleID
        /// The device token is not 2 through 512 hexadecimal digits, an even number of them.
        case badDeviceToken
        /// No connection to APNs could be made, and nothing was sent.
        case unreachable(ConnectionClosure)

        /// The cause.
        public var description: String {
            switch self {
            case .badBundleID: "bundleID must have 1 through 200 letters, digits, hyphens and periods."
            case .badDeviceToken: "A device token must have 2 through 512 hexadecimal digits, an even number of them."
            case .unreachable(let closure): "There is no connection to APNs. \(closure)"
            }
        }
    }

    /// What proves to APNs that notifications come from the app's team.
    public enum Credentials: Sendable {
        /// A team's key, for this client alone.
        case key(SigningKey)
        /// The provider tokens of a team's key, which several clients share: Apple counts new tokens for each key.
        case tokens(ProviderTokenSource)
        /// A certificate, which names the app.
        case certificate(ClientIdentity)
    }

    /// The connections, for metrics.
    public let pool: ConnectionPool
    /// `nil` with a certificate.
    private let tokens: ProviderTokenSource?
    private let bundleID: BundleID

    /// Creates a client, which connects on demand.
    ///
    /// - Parameters:
    ///   - credentials: A key or a certificate of the app's team.
    ///   - bundleID: The app's bundle id, such as `com.example.app`; push types add their suffix to the topic.
    ///   - endpoint: ``Endpoint/sandbox`` for apps that are installed from Xcode, ``Endpoint/production`` otherwise.
    ///   - configuration: The options of the connections; its `identity` and `failsWhenUnreachable` are set here.
    ///   - eventLoopGroup: The event loops; must outlive the client. By default those that the process shares.
    ///   - logger: Logs connections, never tokens or payloads.
    /// - Throws: ``Problem/badBundleID``, or NIOSSL's error when certificates cannot be read.
    public init(
        _ credentials: Credentials,
        bundleID: String,
        endpoint: Endpoint = .production,
        configuration: ConnectionPool.Configuration = ConnectionPool.Configuration(),
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: Logger? = nil
    ) throws {
        guard let bundleID = BundleID(rawValue: bundleID) else { throw Problem.badBundleID }
        self.bundleID = bundleID
        var configuration = configuration
        configuration.failsWhenUnreachable = true
        switch credentials {
        case .key(let key): (tokens, configuration.identity) = (ProviderTokenSource(key: key), nil)
        case .tokens(let source): (tokens, configuration.identity) = (source, nil)
        case .certificate(let identity): (tokens, configuration.identity) = (nil, identity)
        }
        pool = try ConnectionPool(
            endpoint: endpoint,
            configuration: configuration,
            eventLoopGroup: eventLoopGroup,
            logger: logger
        )
    }

    /// Sends a message to one device.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - deviceToken: The device token in hexadecimal.
    ///   - id: The id; keep it when the notification is sent again.
    ///   - timeout: How long to wait for a connection and the answer.
    /// - Returns: The outcome.
    /// - Throws: ``Problem``; `EncodedPayload.Problem` when the payload exceeds Apple's limit;
    ///   ``ProviderTokenSource/ClockProblem``.
    public func send(
        _ message: some AppMessage,
        to deviceToken: String,
        id: UUID = UUID(),
        timeout: Duration = .seconds(30)
    ) async throws -> Outcome {
        guard let device = APNsDeviceToken(hex: deviceToken) else { throw Problem.badDeviceToken }
        return try await send(message, to: [device], ids: [id], timeout: timeout)[0]
    }

    /// Sends a message to many devices; it is encoded once.
    ///
    /// A few thousand devices a call bound memory. While too many notifications wait, it waits for room.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - devices: The device tokens.
    ///   - ids: The ids, unique and one for each device; `nil` for random ones.
    ///   - timeout: How long to wait for room, a connection and the answers.
    /// - Returns: One outcome for each device, in order.
    /// - Throws: ``Problem/unreachable(_:)`` when there is no connection and nothing was sent;
    ///   `EncodedPayload.Problem` when the payload exceeds Apple's limit; ``PushBatch/Problem`` when ids repeat or are
    ///   too few; ``ProviderTokenSource/ClockProblem``.
    public func send(
        _ message: some AppMessage,
        to devices: [APNsDeviceToken],
        ids: [UUID]? = nil,
        timeout: Duration = .seconds(30)
    ) async throws -> [Outcome] {
        guard !devices.isEmpty else { return [] }
        let request = try message.request(for: bundleID)
        let deadline = NIODeadline.now() + TimeAmount(timeout)
        let targets = Targets(devices: devices, ids: ids ?? devices.map { _ in UUID() })
        var outcomes = try await deliver(request, to: targets, deadline)
        // What was refused has not been accepted, so this sends nothing twice; a second refusal is the outcome.
        let expired = outcomes.indices.filter { outcomes[$0].isExpiredToken }
        if !expired.isEmpty, let again = try? await deliver(request, to: targets.picked(expired), deadline) {
            for (index, outcome) in zip(expired, again) { outcomes[index] = outcome }
        }
        if let closure = pool.status.lastClosure, outcomes.allSatisfy({ $0 == .notSent(.noConnection) }) {
            throw Problem.unreachable(closure)
        }
        return outcomes
    }

    /// Accepts nothing more, lets work in flight finish, and closes the connections.
    ///
    /// - Parameter grace: How long to wait; remaining work is then cancelled.
    public func shutDown(within grace: Duration = .seconds(10)) async {
        await pool.shutDown(within: grace)
    }

    private struct Targets {
        var devices: [APNsDeviceToken]
        var ids: [UUID]

        func picked(_ indices: [Int]) -> Targets {
            Targets(devices: indices.map { devices[$0] }, ids: indices.map { ids[$0] })
        }
    }

    /// Sends once, and records when the provider token was found expired.
    private func deliver(
        _ request: PushRequest,
        to targets: Targets,
        _ deadline: NIODeadline
    ) async throws -> [Outcome] {
        let token = try tokens?.token()
        let batch = try PushBatch(request, to: targets.devices, ids: targets.ids)
        let outcomes = await pool.send(batch, token: token, deadline: deadline, whenFull: .wait)
        if let token, outcomes.contains(where: \.isExpiredToken) { tokens?.refusedAsExpired(token) }
        return outcomes
    }
}

extension Outcome {
    fileprivate var isExpiredToken: Bool {
        if case .rejected(let rejection) = self { rejection.reason == .expiredProviderToken } else { false }
    }
}
