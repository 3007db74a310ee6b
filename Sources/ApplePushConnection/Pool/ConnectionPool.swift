public import ApplePush
public import Logging
import NIOConcurrencyHelpers
public import NIOCore
import NIOSSL

/// Connections to one APNs host with one set of credentials.
///
/// They are made when there is something to send, replaced when APNs closes them, and shared by all callers. A team needs
/// a pool of its own, and a key should have one: APNs binds a connection to the team of its first request, and a pool
/// never sends the tokens of two keys over one connection.
///
/// Every method may be called from anywhere. After use call ``shutDown(within:)``.
public final class ConnectionPool: Sendable {
    /// A look at a pool.
    public struct Status: Hashable, Sendable {
        /// Connections that stand or are being made.
        public var connections: Int
        /// Notifications that connections have in hand.
        public var inFlight: Int
        /// Notifications that wait for a connection, or for room among those.
        public var waiting: Int
        /// Why the last connection ended.
        public var lastClosure: ConnectionClosure?
    }

    struct State {
        var machine: PoolStateMachine
        var tls: NIOSSLContext
        /// Whether a client certificate speaks for the sender.
        var hasIdentity: Bool
        var connections: [Connection.ID: Connection] = [:]
        /// The latency of connections that are gone.
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

    /// Makes a pool; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - endpoint: Where APNs is reached.
    ///   - configuration: What may be different.
    ///   - eventLoopGroup: Where the connections live. It must outlive the pool.
    ///   - logger: Told about connections, never about tokens or payloads.
    /// - Throws: What NIOSSL throws when the trust roots cannot be read.
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

    /// Makes a pool with a TLS context that others may share.
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
    /// Cancelling the task ends the wait: what was not sent stays unsent.
    ///
    /// - Parameters:
    ///   - batch: The notifications.
    ///   - token: The provider token for all of them; `nil` where a client certificate speaks for the sender.
    ///   - deadline: When to stop waiting, for room and a connection as well as for answers.
    ///   - whenFull: What to do when too many notifications are waiting already.
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
    ///   - token: The provider token; `nil` where a client certificate speaks for the sender.
    ///   - deadline: When to stop waiting.
    ///   - whenFull: What to do when too many notifications are waiting already.
    /// - Returns: What became of it.
    /// - Throws: ``PushBatch/Problem`` when the payload has a slot that nothing fills.
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

    /// How the pool is doing.
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
    /// Goes on with a new key after the old one was revoked: gives up every connection and makes new ones.
    ///
    /// What waits, or comes back unsent, is sent with the new token; what is on its way gets its answers first. A key that
    /// is renewed in good time needs none of this: send with the new key's token, and the pool changes its connections.
    ///
    /// - Parameter token: A token of the new key, of the same team.
    public func replaceCredentials(with token: ProviderToken) {
        perform { state in
            state.hasIdentity ? [] : state.machine.renew(token, at: .now())
        }
    }

    /// Goes on with a new certificate: gives up every connection and makes new ones.
    ///
    /// No notification is lost: what waits, or comes back unsent, goes over the new connections.
    ///
    /// - Parameter identity: The certificate, for the same topics.
    /// - Throws: What NIOSSL throws when the trust roots can no longer be read; nothing has changed then.
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
    /// Takes nothing more, lets what is under way finish, says goodbye to APNs and closes.
    ///
    /// - Parameter grace: How long to let it finish; what is left then is cancelled.
    public func shutDown(within grace: TimeAmount = .seconds(10)) async {
        let limit = group.next().scheduleTask(in: grace) { [weak self] in
            self?.perform { $0.machine.shutDown(cancelling: true) }
            self?.abortAll(after: .seconds(1))
        }
        await withCheckedContinuation { continuation in
            finish { continuation.resume() }
        }
        limit.cancel()
    }

    /// Takes nothing more, and calls back when what is under way has finished and the connections are closed.
    func finish(_ whenStopped: @escaping @Sendable () -> Void) {
        let isOver = state.withLockedValue { state in
            if !state.hasStopped { state.stopWaiters.append(whenStopped) }
            return state.hasStopped
        }
        if isOver { whenStopped() }
        perform { $0.machine.shutDown(cancelling: false) }
    }
}
