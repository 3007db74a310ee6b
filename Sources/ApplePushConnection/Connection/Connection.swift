import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

/// One connection to APNs, from outside its event loop.
///
/// Orders from any thread are collected, and one hop to the event loop carries all that have come meanwhile.
final class Connection: Sendable {
    /// Names a connection of a pool.
    struct ID: Hashable, Sendable {
        let rawValue: Int
    }

    /// What its owner hears, on the connection's event loop.
    enum Event: Sendable {
        case ready
        case finished(Lot.ID, [Outcome])
        case draining(ConnectionClosure)
        /// The last event of every connection, whether it was ever ready or not.
        case closed(ConnectionClosure)
    }

    private enum Order: Sendable {
        case offer(Lot)
        case cancel(Lot.ID)
        case drain
        case abort
    }

    private struct State {
        var channel: (any Channel, NIOLoopBound<ConnectionHandler>)?
        var orders: [Order] = []
        var isScheduled = false
        var isOver = false
    }

    private let state = NIOLockedValueBox(State())
    private let onEvent: @Sendable (Event) -> Void

    init(onEvent: @escaping @Sendable (Event) -> Void) {
        self.onEvent = onEvent
    }

    /// Begins to connect.
    ///
    /// Ends in ``Event/ready`` or ``Event/closed(_:)``.
    func connect(
        to endpoint: Endpoint,
        _ configuration: HTTP2ClientStateMachine.Configuration,
        tls: NIOSSLContext,
        timeout: TimeAmount,
        on eventLoop: any EventLoop
    ) {
        let attempt = ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 65_536, maximum: 262_144)
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try self.assemble(channel, endpoint, configuration, tls, timeout)
                }
            }
            .connect(host: endpoint.host, port: endpoint.port)
        attempt.whenFailure { error in
            self.end(ConnectionClosure(.connectFailed, detail: String(String(describing: error).prefix(200))))
        }
    }

    func offer(_ lot: Lot) { order(.offer(lot)) }

    func cancel(_ lot: Lot.ID) { order(.cancel(lot)) }

    /// Lets what is under way finish, then closes.
    func drain() { order(.drain) }

    /// Closes at once.
    func abort() { order(.abort) }

    // MARK: - Private

    private func assemble(
        _ channel: any Channel,
        _ endpoint: Endpoint,
        _ configuration: HTTP2ClientStateMachine.Configuration,
        _ tls: NIOSSLContext,
        _ timeout: TimeAmount
    ) throws {
        // TLS names a host, never an address (RFC 6066 §3); an address is verified against the peer's.
        let isAddress = (try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port)) != nil
        let tlsHandler = try NIOSSLClientHandler(context: tls, serverHostname: isAddress ? nil : endpoint.host)
        let limit = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        let handler = ConnectionHandler(
            configuration,
            onReady: {
                limit.cancel()
                self.onEvent(.ready)
            },
            onEvent: { event in
                if case .closed = event { limit.cancel() }
                self.pass(event)
            }
        )
        try channel.pipeline.syncOperations.addHandlers([tlsHandler, handler])
        let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        state.withLockedValue { $0.channel = (channel, bound) }
        runOrders()
    }

    private func pass(_ event: HTTP2ClientStateMachine.Event) {
        switch event {
        case .finished(let lot, let outcomes): onEvent(.finished(lot, outcomes))
        case .draining(let closure): onEvent(.draining(closure))
        case .closed(let closure): end(closure)
        }
    }

    /// Reports the end, once, and gives back the lots that never reached the state machine.
    private func end(_ closure: ConnectionClosure) {
        let orders = state.withLockedValue { state -> [Order]? in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.channel = nil
            defer { state.orders = [] }
            return state.orders
        }
        guard let orders else { return }
        for order in orders { giveBack(order) }
        onEvent(.closed(closure))
    }

    private func giveBack(_ order: Order) {
        guard case .offer(let lot) = order else { return }
        onEvent(.finished(lot.id, Array(repeating: .notSent(.connectionLost), count: lot.count)))
    }

    private func order(_ order: Order) {
        let (eventLoop, isOver) = state.withLockedValue { state -> ((any EventLoop)?, Bool) in
            if state.isOver { return (nil, true) }
            state.orders.append(order)
            guard let (channel, _) = state.channel, !state.isScheduled else { return (nil, false) }
            state.isScheduled = true
            return (channel.eventLoop, false)
        }
        if isOver { giveBack(order) }
        eventLoop?.execute { self.runOrders() }
    }

    private func runOrders() {
        let (orders, channel) = state.withLockedValue { state in
            state.isScheduled = false
            defer { state.orders = [] }
            return (state.orders, state.channel)
        }
        guard let (channel, handler) = channel, !orders.isEmpty else { return }
        handler.value.update { machine in
            for order in orders {
                switch order {
                case .offer(let lot): machine.offer(lot)
                case .cancel(let lot): machine.cancel(lot)
                case .drain: machine.drain(ConnectionClosure(.drained))
                case .abort: channel.close(promise: nil)
                }
            }
        }
    }
}
