import NIOCore
import NIOPosix
import NIOSSL

/// All ports for senders, which share threads and certificates.
final class PushListeners: Sendable {
    let all: [PushListener]
    private let core: SimulatorCore
    private let group: MultiThreadedEventLoopGroup

    init(core: SimulatorCore, authority: CertificateAuthority) throws {
        self.core = core
        let authorities = core.configuration.clientAuthoritiesPEM
        let configuration = try authority.serverConfiguration(clientAuthorities: authorities)
        let sslContext = try NIOSSLContext(configuration: configuration)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: min(max(core.configuration.threads, 1), 64))
        let pools = StreamPools(group: group)
        self.group = group
        all = core.configuration.listeners.enumerated().map { position, listener in
            PushListener(listener, at: position, core: core, group: group, sslContext: sslContext, pools: pools)
        }
    }

    /// One of the threads.
    var eventLoop: any EventLoop { group.next() }

    /// Opens the ports.
    ///
    /// - Returns: The ports' numbers, in the listeners' order.
    func start() async throws -> [Int] {
        var ports: [Int] = []
        for listener in all {
            do {
                ports.append(try await listener.start())
            } catch {
                let asked = core.configuration.listeners[listener.position]
                throw ListenFailure(port: asked.port, purpose: asked.name, cause: error)
            }
        }
        return ports
    }

    /// Cuts all connections without GOAWAY.
    func cutAll() {
        all.forEach { $0.cutAll() }
    }

    /// Sends GOAWAY to all clients; requests in flight are answered.
    func sendGoAway() {
        for listener in all {
            _ = listener.perform(.goAway(Goodbye()), on: nil)
        }
    }

    /// Closes the ports, sends GOAWAY, and returns when all clients have disconnected; those that stay are cut.
    func stop() async throws {
        for listener in all {
            try await listener.closePort()
        }
        sendGoAway()
        let cut = group.next().scheduleTask(in: TimeAmount(core.configuration.shutdownGrace)) { [self] in cutAll() }
        for listener in all {
            await listener.waitForClients()
        }
        cut.cancel()
        try await group.shutdownGracefully()
    }

    /// The newest open connections, newest first, and the number of all.
    ///
    /// Each is queried on its own thread, so that connections need not keep reports.
    func newestConnections(_ count: Int) async -> (reports: [ConnectionReport], open: Int) {
        let open = all.reduce(into: [Int: any Channel]()) { open, listener in
            open.merge(listener.open) { first, _ in first }
        }
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
}
