import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

/// One connection to APNs, for callers outside its event loop.
///
/// Orders from any thread are collected, and one hop to the event loop carries all that were added meanwhile.
final class Connection: Sendable {
    /// Identifies a connection of a pool.
    struct ID: Hashable, Sendable {
        let rawValue: Int
    }

    /// An event for the owner, on the connection's event loop.
    enum Event: Sendable {
        case ready
        /// APNs' current limit of concurrent streams.
        case streamLimit(Int)
        case finished(BatchSlice.ID, [Outcome])
        case draining(ConnectionClosure)
        /// The last event of every connection, ready or not.
        case closed(ConnectionClosure)
    }

    private enum Order: Sendable {
        case offer(BatchSlice)
        case cancel(BatchSlice.ID)
        case drain
        case abort

        var endsConnection: Bool {
            switch self {
            case .drain, .abort: true
            case .offer, .cancel: false
            }
        }
    }

    private struct State {
        var channel: (any Channel, NIOLoopBound<ConnectionHandler>)?
        var orders: [Order] = []
        var isScheduled = false
        var isOver = false
    }

    private let state = NIOLockedValueBox(State())
    private let shown = NIOLockedValueBox(ConnectionMetrics())
    private let onEvent: @Sendable (Event) -> Void

    init(onEvent: @escaping @Sendable (Event) -> Void) {
        self.onEvent = onEvent
    }

    /// Begins to connect.
    ///
    /// Ends in ``Event/ready`` or ``Event/closed(_:)``.
    func connect(_ route: ConnectionRoute, on eventLoop: any EventLoop) {
        let hop = route.firstHop
        let attempt = ClientBootstrap(group: eventLoop)
            .connectTimeout(route.timeout)
            .resolver(AddressLookup(on: eventLoop, turn: route.turn, find: route.lookUp))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 65_536, maximum: 262_144)
            )
            .connect(host: hop.host, port: hop.port)
        // Each address has a channel of its own, so nothing is added before one of them is connected.
        attempt.whenSuccess { self.enter($0, route) }
        attempt.whenFailure { error in
            let cause = route.proxy == nil ? ConnectionClosure.Cause.connectFailed : .proxyFailed
            self.end(ConnectionClosure(cause, detail: ConnectFailureText.text(of: error)))
        }
    }

    /// The latest metrics from its event loop.
    var figures: ConnectionMetrics { shown.withLockedValue { $0 } }

    func offer(_ slice: BatchSlice) { order(.offer(slice)) }

    func cancel(_ slice: BatchSlice.ID) { order(.cancel(slice)) }

    /// Closes when the requests in flight have ended.
    func drain() { order(.drain) }

    /// Closes at once.
    func abort() { order(.abort) }

    // MARK: - Private

    /// Asks the proxy, if there is one, for a tunnel, and adds TLS and HTTP/2.
    private func enter(_ channel: any Channel, _ route: ConnectionRoute) {
        let tunnel = route.proxy.map {
            ProxyTunnel.open(in: channel, to: route.endpoint, through: $0, timeout: route.timeout)
        }
        (tunnel ?? channel.eventLoop.makeSucceededVoidFuture())
            .flatMapThrowing { try self.assemble(channel, route) }
            .whenFailure { error in
                let closure =
                    (error as? ProxyTunnel.Problem).map { ConnectionClosure(.proxyFailed, detail: $0.detail) }
                    ?? ConnectionClosure(.connectFailed, detail: ConnectFailureText.text(of: error))
                self.end(closure)
                channel.close(promise: nil)
            }
    }

    private func assemble(_ channel: any Channel, _ route: ConnectionRoute) throws {
        // SNI allows a host name, not an address (RFC 6066 §3); an address is verified against the peer's.
        let endpoint = route.endpoint
        let isAddress = (try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port)) != nil
        let tlsHandler = try NIOSSLClientHandler(context: route.tls, serverHostname: isAddress ? nil : endpoint.host)
        let limit = channel.eventLoop.scheduleTask(in: route.timeout) { channel.close(promise: nil) }
        let handler = ConnectionHandler(
            route.http2,
            onReady: {
                limit.cancel()
                self.onEvent(.ready)
            },
            onFigures: { self.show($0) },
            onEvent: { event in
                if case .closed = event { limit.cancel() }
                self.pass(event)
            }
        )
        try channel.pipeline.syncOperations.addHandlers([tlsHandler, handler])
        let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        let isOver = state.withLockedValue { state in
            if !state.isOver { state.channel = (channel, bound) }
            return state.isOver
        }
        if isOver { channel.close(promise: nil) } else { runOrders() }
    }

    private func show(_ figures: ConnectionMetrics) {
        let isNew = shown.withLockedValue { shown in
            defer { shown = figures }
            return shown.streamLimit != figures.streamLimit
        }
        if isNew { onEvent(.streamLimit(figures.streamLimit)) }
    }

    private func pass(_ event: HTTP2ClientStateMachine.Event) {
        switch event {
        case .finished(let slice, let outcomes): onEvent(.finished(slice, outcomes))
        case .draining(let closure): onEvent(.draining(closure))
        case .closed(let closure): end(closure)
        }
    }

    /// Reports the end once, and returns the slices that never reached the state machine.
    ///
    /// - Parameters:
    ///   - closure: The cause.
    ///   - ifConnecting: Whether to do so only while there is no channel.
    /// - Returns: Whether this call ended it.
    @discardableResult
    private func end(_ closure: ConnectionClosure, ifConnecting: Bool = false) -> Bool {
        let orders = state.withLockedValue { state -> [Order]? in
            guard !state.isOver, !(ifConnecting && state.channel != nil) else { return nil }
            state.isOver = true
            state.channel = nil
            defer { state.orders = [] }
            return state.orders
        }
        guard let orders else { return false }
        for order in orders { giveBack(order) }
        onEvent(.closed(closure))
        return true
    }

    private func giveBack(_ order: Order) {
        guard case .offer(let slice) = order else { return }
        onEvent(.finished(slice.id, Array(repeating: .notSent(.connectionLost), count: slice.count)))
    }

    private func order(_ order: Order) {
        // An attempt to connect cannot be cancelled; its channel is closed when it succeeds.
        if order.endsConnection, end(ConnectionClosure(.drained), ifConnecting: true) { return }
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
                case .offer(let slice): machine.offer(slice)
                case .cancel(let slice): machine.cancel(slice)
                case .drain: machine.drain(ConnectionClosure(.drained))
                case .abort: channel.close(promise: nil)
                }
            }
        }
    }
}
