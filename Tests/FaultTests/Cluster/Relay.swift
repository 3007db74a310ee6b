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

    /// Says how late answers arrive from now on; 0 carries them at once.
    func delayAnswers(by delay: Duration) { wire.set(delay: TimeAmount(delay)) }

    func close() async throws { try await listener.close() }
}

/// Which bytes do not get through, and who lost some.
private final class Wire: Sendable {
    private struct State {
        var loss: Loss?
        var losers: [ObjectIdentifier: any Channel] = [:]
        var delay = TimeAmount.zero
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

    func set(delay: TimeAmount) { state.withLockedValue { $0.delay = delay } }

    /// How late what is carried arrives.
    func delay(of kind: Loss) -> TimeAmount { kind == .answers ? state.withLockedValue { $0.delay } : .zero }

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
    /// When the last of what was carried arrives; nothing overtakes it.
    private var lastArrival = NIODeadline.uptimeNanoseconds(0)

    init(_ kind: Loss, to other: any Channel, _ wire: Wire) {
        self.kind = kind
        self.other = other
        self.wire = wire
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard wire.carries(kind, for: context.channel) else { return }
        let (bytes, other) = (unwrapInboundIn(data), other)
        arrive(context) { other.writeAndFlush(bytes, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // The end of a connection is lost as bytes are.
        guard wire.carries(kind, for: other) else { return }
        let other = other
        arrive(context) { other.close(promise: nil) }
    }

    /// Does something when the relay's delay is over, in the order in which it was asked for.
    private func arrive(_ context: ChannelHandlerContext, _ action: @escaping @Sendable () -> Void) {
        let now = NIODeadline.now()
        lastArrival = max(lastArrival, now + wire.delay(of: kind))
        if lastArrival <= now { action() } else { context.eventLoop.scheduleTask(deadline: lastArrival, action) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
