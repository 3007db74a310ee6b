import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

/// The port that senders connect to, and the connections on it.
final class PushListener: Sendable {
    private let core: SimulatorCore
    private let group: MultiThreadedEventLoopGroup
    private let sslContext: NIOSSLContext
    private let connections = NIOLockedValueBox<[Int: any Channel]>([:])
    private let server = NIOLockedValueBox<(any Channel)?>(nil)

    init(core: SimulatorCore, authority: CertificateAuthority) throws {
        self.core = core
        sslContext = try NIOSSLContext(configuration: authority.serverConfiguration())
        group = MultiThreadedEventLoopGroup(numberOfThreads: min(max(core.configuration.threads, 1), 64))
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
        let channel = try await bootstrap.bind(host: core.configuration.host, port: core.configuration.port).get()
        server.withLockedValue { $0 = channel }
        return channel.localAddress?.port ?? 0
    }

    /// Cuts all connections without a goodbye.
    func cutAll() {
        for channel in connections.withLockedValue({ Array($0.values) }) {
            channel.eventLoop.execute {
                try? channel.pipeline.syncOperations.handler(type: TransportTap.self).cut()
            }
        }
    }

    /// Tells all clients that nothing further will be processed; what is in flight is answered.
    func sayGoodbye() {
        for channel in connections.withLockedValue({ Array($0.values) }) {
            channel.pipeline.fireUserInboundEventTriggered(PushConnection.Farewell(reason: "Shutdown"))
        }
    }

    /// Closes the port, says goodbye, and returns when all clients have left; those that stay are cut.
    func stop() async throws {
        try await server.withLockedValue { $0 }?.close().get()
        sayGoodbye()
        let cut = group.next().scheduleTask(in: TimeAmount(core.configuration.shutdownGrace)) { [self] in cutAll() }
        for channel in connections.withLockedValue({ Array($0.values) }) {
            try? await channel.closeFuture.get()
        }
        cut.cancel()
        try await group.shutdownGracefully()
    }

    /// The open connections that came last, newest first, and how many there are in all.
    ///
    /// Each is asked on its own thread, so that connections keep no books for those who may look.
    func newestConnections(_ count: Int) async -> (reports: [ConnectionReport], open: Int) {
        let open = connections.withLockedValue { $0 }
        var reports: [ConnectionReport] = []
        for id in open.keys.sorted(by: >).prefix(count) {
            guard let channel = open[id] else { continue }
            let report = channel.eventLoop.submit { () -> ConnectionReport? in
                try? channel.pipeline.syncOperations.handler(type: PushConnection.self).report
            }
            if let report = try? await report.get() {
                reports.append(report)
            }
        }
        return (reports, open.count)
    }

    // MARK: - Private

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
            let tap = TransportTap()
            try channel.pipeline.syncOperations.addHandlers([
                tap, NIOSSLServerHandler(context: sslContext), PushConnection(core: core, id: id, traffic: tap),
            ])
        }
    }
}
