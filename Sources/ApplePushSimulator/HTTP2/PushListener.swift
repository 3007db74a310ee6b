import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

/// A port for senders, with its connections.
final class PushListener: Sendable {
    /// The listener's position among the simulator's.
    let position: Int
    private let core: SimulatorCore
    private let group: MultiThreadedEventLoopGroup
    private let sslContext: NIOSSLContext
    private let pools: StreamPools
    private let rules: NIOLockedValueBox<ConnectionRules>
    private let connections = NIOLockedValueBox<[Int: any Channel]>([:])
    private let server = NIOLockedValueBox<(any Channel)?>(nil)

    init(
        _ configuration: ListenerConfiguration,
        at position: Int,
        core: SimulatorCore,
        group: MultiThreadedEventLoopGroup,
        sslContext: NIOSSLContext,
        pools: StreamPools
    ) {
        self.position = position
        self.core = core
        self.group = group
        self.sslContext = sslContext
        self.pools = pools
        rules = NIOLockedValueBox(configuration.connections)
    }

    /// Opens the port.
    ///
    /// - Returns: The port's number.
    func start() async throws -> Int {
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 16_384, maximum: 65_536)
            )
            .childChannelInitializer { [self] in setUp($0) }
        let port = core.configuration.listeners[position].port
        let channel = try await bootstrap.bind(host: core.configuration.host, port: port).get()
        server.withLockedValue { $0 = channel }
        return channel.localAddress?.port ?? 0
    }

    /// Closes the port; connections stay.
    func closePort() async throws {
        try await server.withLockedValue { $0 }?.close().get()
    }

    /// Returns when all clients have disconnected.
    func waitForClients() async {
        for channel in channels() {
            try? await channel.closeFuture.get()
        }
    }

    var currentRules: ConnectionRules {
        rules.withLockedValue { $0 }
    }

    /// Changes the rules of all connections, including open ones.
    func setRules(_ newRules: ConnectionRules) {
        rules.withLockedValue { $0 = newRules }
        send(.rules(newRules), to: channels())
    }

    /// Cuts all connections without GOAWAY.
    func cutAll() {
        for channel in channels() {
            channel.eventLoop.execute {
                try? channel.pipeline.syncOperations.handler(type: TransportTap.self).cut()
            }
        }
    }

    /// - Returns: Whether the connection exists; always true for nil, which means all of them.
    func perform(_ action: ConnectionAction, on connection: Int?) -> Bool {
        guard let connection else {
            send(.action(action), to: channels())
            return true
        }
        guard let channel = connections.withLockedValue({ $0[connection] }) else { return false }
        send(.action(action), to: [channel])
        return true
    }

    /// Notifies connections that the clock was moved.
    func notifyMovedClock() {
        send(.clockMoved, to: channels())
    }

    /// The open connections by their ids.
    var open: [Int: any Channel] {
        connections.withLockedValue { $0 }
    }

    // MARK: - Private

    private func channels() -> [any Channel] {
        connections.withLockedValue { Array($0.values) }
    }

    private func send(_ order: PushConnection.Order, to channels: [any Channel]) {
        for channel in channels {
            channel.pipeline.fireUserInboundEventTriggered(order)
        }
    }

    private func setUp(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let id = core.nextConnection()
            guard core.isAvailable else {
                channel.close(promise: nil)
                return
            }
            connections.withLockedValue { $0[id] = channel }
            channel.closeFuture.whenComplete { [weak self] _ in
                _ = self?.connections.withLockedValue { $0.removeValue(forKey: id) }
            }
            let rules = currentRules
            let pool = pools.pool(of: channel.eventLoop)
            let connection = PushConnection(core: core, id: id, listener: position, rules: rules, pool: pool)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(connection.traffic)
            if let distance = rules.distance {
                try pipeline.addHandler(DelayLine(delay: TimeAmount(distance)))
            }
            try pipeline.addHandlers([NIOSSLServerHandler(context: sslContext), connection])
            if let delay = rules.handshakeDelay {
                holdBack(channel, for: TimeAmount(delay))
            }
        }
    }

    /// Delays reading from the socket, so that the handshake stalls.
    private func holdBack(_ channel: any Channel, for delay: TimeAmount) {
        channel.setOption(.autoRead, value: false).whenComplete { _ in }
        channel.eventLoop.scheduleTask(in: delay) {
            channel.setOption(.autoRead, value: true).whenComplete { _ in }
        }
    }
}

/// The unused streams of each event loop.
final class StreamPools: Sendable {
    private let pools: [ObjectIdentifier: NIOLoopBoundBox<HTTP2StreamPool?>]

    init(group: MultiThreadedEventLoopGroup) {
        let pools = group.makeIterator().map { loop in
            (ObjectIdentifier(loop), NIOLoopBoundBox<HTTP2StreamPool?>.makeEmptyBox(eventLoop: loop))
        }
        self.pools = Dictionary(pools) { first, _ in first }
    }

    /// The pool of an event loop of the group; must be called on it.
    func pool(of loop: any EventLoop) -> HTTP2StreamPool {
        guard let box = pools[ObjectIdentifier(loop)] else { return HTTP2StreamPool() }
        if let pool = box.value {
            return pool
        }
        let pool = HTTP2StreamPool()
        box.value = pool
        return pool
    }
}
