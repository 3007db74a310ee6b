import CarillonSQL
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// Relays bytes between its port and another one on loopback, and breaks a connection on request.
final class CuttingRelay: Sendable {
    /// What is lost with the connection.
    enum Loss: Sendable, CaseIterable {
        /// The client's next request.
        case question
        /// The server's next answer; it has executed the request.
        case answer
    }

    let port: Int
    let target: Int
    private let listener: any Channel
    private let scissors: Scissors

    /// Opens a port.
    ///
    /// - Parameters:
    ///   - target: The port to relay to.
    ///   - delay: The delay of bytes in each direction.
    /// - Throws: When no port is available.
    init(to target: Int, delay: TimeAmount? = nil) async throws {
        let scissors = Scissors()
        self.scissors = scissors
        self.target = target
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { near in
                near.setOption(.autoRead, value: false).flatMap {
                    ClientBootstrap(group: near.eventLoop).connect(host: "127.0.0.1", port: target)
                }.flatMap { far in
                    near.eventLoop.makeCompletedFuture {
                        let client = far.localAddress?.port ?? 0
                        let cut = Cut(loss: .question, client: client)
                        let question = CuttingRelayEnd(to: far, cut, scissors, delay)
                        try near.pipeline.syncOperations.addHandler(question)
                        let loss = Cut(loss: .answer, client: client)
                        let answer = CuttingRelayEnd(to: near, loss, scissors, delay)
                        try far.pipeline.syncOperations.addHandler(answer)
                        scissors.add(near)
                        if scissors.isRefusing { near.close(promise: nil) }
                    }
                }.flatMap { near.setOption(.autoRead, value: true) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = listener.localAddress?.port ?? 0
    }

    /// Breaks a connection with the next bytes in a direction.
    ///
    /// - Parameters:
    ///   - loss: The direction.
    ///   - client: The connection, by its client's port as the server sees it.
    func lose(_ loss: Loss, of client: Int) { scissors.open(for: Cut(loss: loss, client: client)) }

    /// Relays nothing any more without breaking connections, so that requests wait for ever.
    func fallSilent() { scissors.fallSilent() }

    /// Breaks a connection as ``lose(_:of:)`` does, and from then on all others and each new one at once.
    func loseAll(from loss: Loss, of client: Int) {
        scissors.open(for: Cut(loss: loss, client: client), refusing: true)
    }

    /// Relays new connections again.
    func carry() { scissors.carry() }

    /// Refuses new connections from now on, and breaks existing ones.
    func close() async throws {
        try await listener.close()
        for channel in scissors.all() { channel.close(promise: nil) }
    }
}

/// What is lost on which connection.
private struct Cut: Equatable {
    var loss: CuttingRelay.Loss
    var client: Int
}

/// The cuts to make, and the connections.
private final class Scissors: Sendable {
    private struct State {
        var cut: Cut?
        var channels: [any Channel] = []
        var isSilent = false
        /// Whether the next cut refuses all later connections.
        var refusesAfterCut = false
        var isRefusing = false
    }

    private let state = NIOLockedValueBox(State())

    var isSilent: Bool { state.withLockedValue { $0.isSilent } }

    func fallSilent() { state.withLockedValue { $0.isSilent = true } }

    var isRefusing: Bool { state.withLockedValue { $0.isRefusing } }

    func open(for cut: Cut, refusing: Bool = false) {
        state.withLockedValue { state in
            state.cut = cut
            state.refusesAfterCut = refusing
        }
    }

    func carry() { state.withLockedValue { $0.isRefusing = false } }

    /// Whether bytes are those to lose; true once.
    func close(at cut: Cut) -> Bool {
        state.withLockedValue { state in
            guard state.cut == cut else { return false }
            state.cut = nil
            state.isRefusing = state.refusesAfterCut
            return true
        }
    }

    func add(_ channel: any Channel) { state.withLockedValue { $0.channels.append(channel) } }

    func all() -> [any Channel] { state.withLockedValue { $0.channels } }
}

/// One end of a connection.
private final class CuttingRelayEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let cut: Cut
    private let scissors: Scissors
    private let delay: TimeAmount?

    init(to other: any Channel, _ cut: Cut, _ scissors: Scissors, _ delay: TimeAmount?) {
        self.delay = delay
        self.other = other
        self.cut = cut
        self.scissors = scissors
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if scissors.close(at: cut) {
            if scissors.isRefusing { for channel in scissors.all() { channel.close(promise: nil) } }
            return context.close(promise: nil)
        }
        if scissors.isSilent { return }
        let bytes = unwrapInboundIn(data)
        guard let delay else { return other.writeAndFlush(bytes, promise: nil) }
        // In order: tasks of one queue run in the order in which they were added.
        context.eventLoop.scheduleTask(in: delay) { [other] in other.writeAndFlush(bytes, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
