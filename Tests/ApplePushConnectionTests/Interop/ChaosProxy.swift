import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Stands between client and server and does to their connections what a bad network does, by a seed.
///
/// It passes bytes on, TLS and all, until a connection's time has come.
final class ChaosProxy: Sendable {
    /// How a connection ends.
    enum Fate: CaseIterable {
        /// Both sides are told.
        case close
        /// The client gets a reset instead of an end.
        case reset
        /// Nothing is passed on any more, and nobody is told.
        case freeze
        /// Closed before a byte was passed on.
        case refuse
    }

    private struct State {
        var random: SplitMix
        var connections = 0
    }

    private let channel: any Channel
    private let state: NIOLockedValueBox<State>

    var port: Int { channel.localAddress?.port ?? 0 }
    var connections: Int { state.withLockedValue { $0.connections } }

    /// Starts one; after `spared` connections the network is good.
    static func start(
        on group: any EventLoopGroup,
        to port: Int,
        seed: UInt64,
        spared: Int
    ) async throws -> ChaosProxy {
        let state = NIOLockedValueBox(State(random: SplitMix(state: seed)))
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                let (fate, budget) = state.withLockedValue { state -> (Fate?, Int) in
                    state.connections += 1
                    let fate = Fate.allCases.randomElement(using: &state.random)
                    return (
                        state.connections > spared ? nil : fate, Int.random(in: 0...60_000, using: &state.random)
                    )
                }
                if fate == .refuse { return channel.close() }
                return join(channel, port, fate, budget)
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ChaosProxy(channel, state)
    }

    private init(_ channel: any Channel, _ state: NIOLockedValueBox<State>) {
        self.channel = channel
        self.state = state
    }

    func stop() async { try? await channel.close() }

    /// Connects a client's channel with the server; both live on the same event loop.
    private static func join(
        _ client: any Channel,
        _ port: Int,
        _ fate: Fate?,
        _ budget: Int
    ) -> EventLoopFuture<Void> {
        client.eventLoop.makeCompletedFuture {
            try client.pipeline.syncOperations.addHandler(Pipe(fate, budget))
        }.flatMap {
            ClientBootstrap(group: client.eventLoop)
                .channelInitializer { server in
                    server.eventLoop.makeCompletedFuture {
                        try server.pipeline.syncOperations.addHandler(Pipe(fate, budget))
                    }
                }
                .connect(host: "127.0.0.1", port: port)
        }.flatMapThrowing { server in
            let first = try client.pipeline.syncOperations.handler(type: Pipe.self)
            let second = try server.pipeline.syncOperations.handler(type: Pipe.self)
            first.open(to: server)
            second.open(to: client)
        }
    }

    /// Passes on what comes in on its channel.
    private final class Pipe: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let fate: Fate?
        private var budget: Int
        private var other: (any Channel)?
        private var early: [ByteBuffer] = []
        private var isFrozen = false

        init(_ fate: Fate?, _ budget: Int) {
            self.fate = fate
            self.budget = budget
        }

        func open(to channel: any Channel) {
            other = channel
            for bytes in early { channel.writeAndFlush(bytes, promise: nil) }
            early = []
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            guard let other else { return early.append(bytes) }
            guard !isFrozen else { return }
            guard let fate, bytes.readableBytes > budget else {
                budget -= bytes.readableBytes
                other.writeAndFlush(bytes, promise: nil)
                return
            }
            // The part that still gets through ends anywhere, in the middle of a record mostly.
            if let part = bytes.getSlice(at: bytes.readerIndex, length: budget) {
                other.writeAndFlush(part, promise: nil)
            }
            isFrozen = true
            guard fate != .freeze else { return }
            if fate == .reset {
                for channel in [context.channel, other] {
                    _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                }
            }
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            other?.close(promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
