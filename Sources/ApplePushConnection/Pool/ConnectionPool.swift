public import ApplePush
public import Logging
import NIOConcurrencyHelpers
public import NIOCore
import NIOSSL

/// Connections to one APNs host with one set of credentials.
///
/// They are made when there is something to send, replaced when APNs closes them, and shared by all callers. Teams must
/// not share a pool: APNs binds a connection to the team of its first request.
///
/// Every method may be called from anywhere. After use call ``shutDown(within:)``.
public final class ConnectionPool: Sendable {
    /// What may be different from pool to pool.
    public struct Configuration: Sendable {
        /// Whom to trust.
        public var trustRoots = TrustRoots.system
        /// How many connections at most, from 1.
        public var maximumConnections = 4
        /// How many streams a connection uses at most, from 1; APNs allows 1,000 today.
        public var maximumStreams = 1000
        /// How long making a connection may take, TLS included.
        public var connectTimeout = TimeAmount.seconds(10)
        /// After how long without a byte an awaited answer makes us ask whether APNs is still there.
        public var silence = TimeAmount.seconds(5)
        /// How long the answer to that may take.
        public var pingTimeout = TimeAmount.seconds(5)
        /// After how long an idle connection is asked.
        public var idlePing = TimeAmount.hours(1)
        /// After how many requests a connection is replaced; `nil` for never.
        public var maximumRequestsPerConnection: Int?
        /// How many notifications may wait for a connection; more come back as ``Failure/queueFull``.
        public var maximumWaiting = 500_000
        /// The shortest wait after a connection that could not be made or answered nothing.
        ///
        /// It doubles each time.
        public var firstBackoff = TimeAmount.milliseconds(250)
        /// The longest wait.
        public var longestBackoff = TimeAmount.seconds(30)
        /// Where the jitter of the waits comes from: a number from 0 through 1.
        public var dice: @Sendable () -> Double = { Double.random(in: 0...1) }

        /// The defaults.
        public init() {}
    }

    /// A look at a pool.
    public struct Status: Hashable, Sendable {
        /// Connections that stand or are being made.
        public var connections: Int
        /// Notifications that connections have in hand.
        public var inFlight: Int
        /// Notifications that wait for a connection.
        public var waiting: Int
        /// Why the last connection ended.
        public var lastClosure: ConnectionClosure?
    }

    struct State {
        var machine: PoolStateMachine
        var connections: [Connection.ID: Connection] = [:]
        var callers: [PoolStateMachine.JobID: CheckedContinuation<[Outcome], Never>] = [:]
        var stopWaiters: [CheckedContinuation<Void, Never>] = []
        var ticks: RepeatedTask?
        var hasStopped = false
    }

    static let tickInterval = TimeAmount.milliseconds(100)

    let endpoint: Endpoint
    let configuration: Configuration
    let tls: NIOSSLContext
    let group: any EventLoopGroup
    let logger: Logger?
    let state: NIOLockedValueBox<State>

    /// Makes a pool; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - endpoint: Where APNs is reached.
    ///   - configuration: What may be different.
    ///   - eventLoopGroup: Where the connections live. It must outlive the pool.
    ///   - logger: Told about connections, never about tokens or payloads.
    /// - Throws: What NIOSSL throws when the trust roots cannot be read.
    public init(
        endpoint: Endpoint,
        configuration: Configuration = Configuration(),
        eventLoopGroup: any EventLoopGroup,
        logger: Logger? = nil
    ) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.applicationProtocols = ["h2"]
        tls.minimumTLSVersion = .tlsv12
        if case .file(let path) = configuration.trustRoots { tls.trustRoots = .file(path) }
        self.tls = try NIOSSLContext(configuration: tls)
        self.endpoint = endpoint
        self.configuration = configuration
        self.logger = logger
        group = eventLoopGroup
        var pool = PoolStateMachine.Configuration()
        pool.maximumConnections = max(1, configuration.maximumConnections)
        pool.maximumWaiting = configuration.maximumWaiting
        pool.firstBackoff = configuration.firstBackoff
        pool.longestBackoff = configuration.longestBackoff
        state = NIOLockedValueBox(State(machine: PoolStateMachine(pool)))
        startTicking()
    }

    deinit {
        state.withLockedValue { $0.ticks }?.cancel()
    }
}

// MARK: - Sending

extension ConnectionPool {
    /// Sends a batch and waits for its outcomes.
    ///
    /// Cancelling the task ends the wait: what was not sent stays unsent.
    ///
    /// - Parameters:
    ///   - batch: The notifications.
    ///   - token: The provider token for all of them; `nil` where a client certificate speaks for the sender.
    ///   - deadline: When to stop waiting, for a connection as well as for answers.
    /// - Returns: One outcome for each notification, in order.
    public func send(_ batch: PushBatch, token: ProviderToken?, deadline: NIODeadline) async -> [Outcome] {
        let id = state.withLockedValue { $0.machine.makeJobID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                perform { state in
                    state.callers[id] = continuation
                    let actions = state.machine.send(batch, as: id, token: token, deadline: deadline, at: .now())
                    return Task.isCancelled ? actions + state.machine.cancel(id) : actions
                }
            }
        } onCancel: {
            perform { $0.machine.cancel(id) }
        }
    }

    /// Sends one notification and waits for its outcome.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - token: The provider token; `nil` where a client certificate speaks for the sender.
    ///   - deadline: When to stop waiting.
    /// - Returns: What became of it.
    /// - Throws: ``PushBatch/Problem`` when the payload has a slot that nothing fills.
    public func send(
        _ notification: PushNotification,
        token: ProviderToken?,
        deadline: NIODeadline
    ) async throws(PushBatch.Problem) -> Outcome {
        let batch = try PushBatch(notification)
        return await send(batch, token: token, deadline: deadline).first ?? .notSent(.noConnection)
    }

    /// How the pool is doing.
    public var status: Status {
        state.withLockedValue {
            Status(
                connections: $0.machine.connectionCount,
                inFlight: $0.machine.inFlight,
                waiting: $0.machine.waitingCount,
                lastClosure: $0.machine.lastClosure
            )
        }
    }

    /// Takes nothing more, lets what is under way finish, says goodbye to APNs and closes.
    ///
    /// - Parameter grace: How long to let it finish; what is left then is cancelled.
    public func shutDown(within grace: TimeAmount = .seconds(10)) async {
        let limit = group.next().scheduleTask(in: grace) { [weak self] in
            self?.perform { $0.machine.shutDown(cancelling: true) }
            self?.abortAll(after: .seconds(1))
        }
        await withCheckedContinuation { continuation in
            let isOver = state.withLockedValue { state in
                if !state.hasStopped { state.stopWaiters.append(continuation) }
                return state.hasStopped
            }
            if isOver { continuation.resume() }
            perform { $0.machine.shutDown(cancelling: false) }
        }
        limit.cancel()
        state.withLockedValue { $0.ticks }?.cancel()
    }
}
