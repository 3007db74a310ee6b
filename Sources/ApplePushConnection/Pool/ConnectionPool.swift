public import ApplePush
public import Logging
import NIOConcurrencyHelpers
public import NIOCore
import NIOSSL

/// A pool of connections to one APNs host with one set of credentials.
///
/// They are made on demand, replaced when APNs closes them, and shared by all callers. A team needs a pool of its own,
/// and a key should have one: APNs binds a connection to the team of its first request, and a pool never sends the
/// tokens of two keys over one connection.
///
/// All methods are thread-safe. After use call ``shutDown(within:)``.
public final class ConnectionPool: Sendable {
    /// A snapshot of a pool.
    public struct Status: Hashable, Sendable {
        /// Connections that are open or being made.
        public var connections: Int
        /// Notifications that are assigned to connections.
        public var inFlight: Int
        /// Notifications that wait for a connection, or for room.
        public var waiting: Int
        /// Why the last connection ended.
        public var lastClosure: ConnectionClosure?
    }

    struct State {
        var machine: PoolStateMachine
        var tls: NIOSSLContext
        /// Whether it uses a client certificate.
        var hasIdentity: Bool
        var connections: [Connection.ID: Connection] = [:]
        /// The latency of closed connections.
        var pastLatency = LatencyHistogram()
        var callers: [PoolStateMachine.JobID: CheckedContinuation<[Outcome], Never>] = [:]
        var stopWaiters: [@Sendable () -> Void] = []
        var tick: (at: NIODeadline, task: Scheduled<Void>)?
        var hasStopped = false
    }

    let endpoint: Endpoint
    let configuration: Configuration
    let group: any EventLoopGroup
    let logger: Logger?
    let state: NIOLockedValueBox<State>

    /// Creates a pool, which connects on demand.
    ///
    /// - Parameters:
    ///   - endpoint: The APNs host.
    ///   - configuration: The options.
    ///   - eventLoopGroup: The event loops of the connections. Must outlive the pool.
    ///   - logger: Logs connections, never tokens or payloads.
    /// - Throws: NIOSSL's error when the trust roots cannot be read.
    public convenience init(
        endpoint: Endpoint,
        configuration: Configuration = Configuration(),
        eventLoopGroup: any EventLoopGroup,
        logger: Logger? = nil
    ) throws {
        let tls = try TLSContexts.context(trusting: configuration.trustRoots, as: configuration.identity)
        self.init(
            endpoint: endpoint,
            configuration: configuration,
            tls: tls,
            eventLoopGroup: eventLoopGroup,
            logger: logger
        )
    }

    /// Creates a pool with a shared TLS context.
    init(
        endpoint: Endpoint,
        configuration: Configuration,
        tls: NIOSSLContext,
        eventLoopGroup: any EventLoopGroup,
        logger: Logger?
    ) {
        self.endpoint = endpoint
        self.configuration = configuration
        self.logger = logger
        group = eventLoopGroup
        state = NIOLockedValueBox(
            State(
                machine: PoolStateMachine(PoolStateMachine.Configuration(configuration)),
                tls: tls,
                hasIdentity: configuration.identity != nil
            )
        )
    }

    deinit {
        state.withLockedValue { $0.tick }?.task.cancel()
    }
}

// MARK: - Sending

extension ConnectionPool {
    /// Sends a batch and waits for its outcomes.
    ///
    /// Cancelling the task ends the wait: unsent notifications stay unsent.
    ///
    /// - Parameters:
    ///   - batch: The notifications.
    ///   - token: The provider token for all of them; `nil` with a client certificate.
    ///   - deadline: When to stop waiting, for room, a connection or answers.
    ///   - whenFull: What to do when too many notifications are waiting.
    /// - Returns: One outcome for each notification, in order.
    public func send(
        _ batch: PushBatch,
        token: ProviderToken?,
        deadline: NIODeadline,
        whenFull: WhenFull = .giveBack
    ) async -> [Outcome] {
        let id = state.withLockedValue { $0.machine.makeJobID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                perform { state in
                    state.callers[id] = continuation
                    let actions = state.machine.send(
                        batch,
                        as: id,
                        token: state.hasIdentity ? nil : token,
                        deadline: deadline,
                        whenFull: whenFull,
                        at: .now()
                    )
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
    ///   - token: The provider token; `nil` with a client certificate.
    ///   - deadline: When to stop waiting.
    ///   - whenFull: What to do when too many notifications are waiting.
    /// - Returns: The outcome.
    /// - Throws: ``PushBatch/Problem`` when the payload has a slot.
    public func send(
        _ notification: PushNotification,
        token: ProviderToken?,
        deadline: NIODeadline,
        whenFull: WhenFull = .giveBack
    ) async throws(PushBatch.Problem) -> Outcome {
        let batch = try PushBatch(notification)
        let outcomes = await send(batch, token: token, deadline: deadline, whenFull: whenFull)
        return outcomes.first ?? .notSent(.noConnection)
    }

    /// A snapshot of the pool.
    public var status: Status {
        state.withLockedValue {
            Status(
                connections: $0.machine.connectionCount,
                inFlight: $0.machine.inFlight,
                waiting: $0.machine.waitingCount + $0.machine.heldCount,
                lastClosure: $0.machine.lastClosure
            )
        }
    }
}

// MARK: - Credentials

extension ConnectionPool {
    /// Replaces the key after the old one was revoked: gives up every connection and makes new ones.
    ///
    /// Notifications that wait, or are returned unsent, are sent with the new token; those in flight get their answers
    /// first. This is not necessary when a key is renewed in time: send with the new key's token, and the pool replaces
    /// its connections.
    ///
    /// - Parameter token: A token of the new key, of the same team.
    public func replaceCredentials(with token: ProviderToken) {
        perform { state in
            state.hasIdentity ? [] : state.machine.renew(token, at: .now())
        }
    }

    /// Replaces the certificate: gives up every connection and makes new ones.
    ///
    /// No notification is lost: those that wait, or are returned unsent, use the new connections.
    ///
    /// - Parameter identity: The certificate, for the same topics.
    /// - Throws: NIOSSL's error when the trust roots cannot be read; nothing has changed then.
    public func replaceCredentials(with identity: ClientIdentity) throws {
        let tls = try TLSContexts.context(trusting: configuration.trustRoots, as: identity)
        perform { state in
            state.tls = tls
            state.hasIdentity = true
            return state.machine.renew(nil, at: .now())
        }
    }
}

// MARK: - The end

extension ConnectionPool {
    /// Accepts nothing more, lets work in flight finish, sends GOAWAY and closes.
    ///
    /// - Parameter grace: How long to wait; remaining work is then cancelled.
    public func shutDown(within grace: Duration = .seconds(10)) async {
        let limit = group.next().scheduleTask(in: TimeAmount(grace)) { [weak self] in
            self?.perform { $0.machine.shutDown(cancelling: true) }
            self?.abortAll(after: .seconds(1))
        }
        await withCheckedContinuation { continuation in
            finish { continuation.resume() }
        }
        limit.cancel()
    }

    /// Accepts nothing more, and calls back when work in flight has finished and the connections are closed.
    func finish(_ whenStopped: @escaping @Sendable () -> Void) {
        let isOver = state.withLockedValue { state in
            if !state.hasStopped { state.stopWaiters.append(whenStopped) }
            return state.hasStopped
        }
        if isOver { whenStopped() }
        perform { $0.machine.shutDown(cancelling: false) }
    }
}
