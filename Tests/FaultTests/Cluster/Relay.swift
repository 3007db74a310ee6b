import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// Carries bytes between a port of its own and another one on loopback, and swallows them when it is told to.
final class Relay: Sendable {
    let port: Int
    private let listener: any Channel
    private let wire: Wire

    init(to target: Int) async throws {
        let wire = Wire()
        self.wire = wire
        let group = MultiThreadedEventLoopGroup.singleton
        listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { near in
                near.setOption(.autoRead, value: false).flatMap {
                    ClientBootstrap(group: near.eventLoop).connect(host: "127.0.0.1", port: target)
                }.flatMap { far in
                    near.eventLoop.makeCompletedFuture {
                        try near.pipeline.syncOperations.addHandler(RelayEnd(.requests, to: far, wire))
                        try far.pipeline.syncOperations.addHandler(RelayEnd(.answers, to: near, wire))
                    }
                }.flatMap { near.setOption(.autoRead, value: true) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = listener.localAddress?.port ?? 0
    }

    /// Says which bytes are lost from now on, if any.
    ///
    /// What was swallowed never comes, so connections that lost some are closed when
    /// the relay carries again.
    func swallow(_ loss: Loss?) {
        for channel in wire.set(loss) { channel.close(promise: nil) }
    }

    func close() async throws { try await listener.close() }
}

/// Which bytes do not get through, and who lost some.
private final class Wire: Sendable {
    private struct State {
        var loss: Loss?
        var losers: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = NIOLockedValueBox(State())

    func set(_ loss: Loss?) -> [any Channel] {
        state.withLockedValue { state in
            state.loss = loss
            guard loss == nil else { return [] }
            defer { state.losers = [:] }
            return Array(state.losers.values)
        }
    }

    /// Whether what a channel has to carry gets through.
    func carries(_ kind: Loss, for channel: any Channel) -> Bool {
        state.withLockedValue { state in
            guard state.loss == kind else { return true }
            state.losers[ObjectIdentifier(channel)] = channel
            return false
        }
    }
}

/// One end of a relayed connection.
private final class RelayEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let kind: Loss
    private let other: any Channel
    private let wire: Wire

    init(_ kind: Loss, to other: any Channel, _ wire: Wire) {
        self.kind = kind
        self.other = other
        self.wire = wire
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard wire.carries(kind, for: context.channel) else { return }
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // The end of a connection is lost as bytes are.
        if wire.carries(kind, for: other) { other.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
