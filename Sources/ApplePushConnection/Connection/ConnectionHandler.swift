import NIOCore
import NIOTLS

/// The thin shell around ``HTTP2ClientStateMachine`` in a channel's pipeline.
///
/// It moves bytes and events, reads the clock, and decides nothing.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// About as much as is worth encrypting and sending in one go.
    private static let flushSize = 64 * 1024
    private static let tickInterval = TimeAmount.milliseconds(250)

    private var machine: HTTP2ClientStateMachine
    private let onEvent: (HTTP2ClientStateMachine.Event) -> Void
    private let onReady: () -> Void
    private let onFigures: (ConnectionMetrics) -> Void
    private var streamLimit = 0
    private var context: ChannelHandlerContext?
    private var ticks: RepeatedTask?
    private var isReady = false
    private var detail = ""

    /// `onReady` is called once when the other side has agreed on HTTP/2; all are called on the event loop.
    init(
        _ configuration: HTTP2ClientStateMachine.Configuration,
        onReady: @escaping () -> Void,
        onFigures: @escaping (ConnectionMetrics) -> Void,
        onEvent: @escaping (HTTP2ClientStateMachine.Event) -> Void
    ) {
        machine = HTTP2ClientStateMachine(configuration)
        self.onReady = onReady
        self.onFigures = onFigures
        self.onEvent = onEvent
    }

    /// Changes the state machine, then sends and reports what follows.
    func update(_ change: (inout HTTP2ClientStateMachine) -> Void) {
        change(&machine)
        pump()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ticks?.cancel()
        self.context = nil
        finish()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            if negotiated == "h2" {
                begin(context)
            } else {
                machine.drain(ConnectionClosure(.notHTTP2))
                pump()
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        machine.receive(unwrapInboundIn(data), at: .now())
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        pump()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { pump() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // TLS and network errors alike end the connection; the first is the cause of the others.
        if detail.isEmpty { detail = String(String(describing: error).prefix(200)) }
        context.close(promise: nil)
    }

    // MARK: - Private

    private func begin(_ context: ChannelHandlerContext) {
        guard !isReady else { return }
        isReady = true
        machine.connected(at: .now())
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        ticks = context.eventLoop.scheduleRepeatedTask(
            initialDelay: Self.tickInterval,
            delay: Self.tickInterval
        ) { _ in bound.value.tick() }
        onReady()
        pump()
    }

    private func tick() {
        update { $0.tick(.now()) }
        publish()
    }

    private func finish() {
        machine.disconnected(detail: detail)
        report()
    }

    private func pump() {
        guard let context else { return report() }
        machine.look(at: .now())
        var hasMore = true
        var hasWritten = false
        while hasMore, context.channel.isWritable {
            var out = context.channel.allocator.buffer(capacity: 0)
            hasMore = machine.write(into: &out, limit: Self.flushSize)
            guard out.readableBytes > 0 else { break }
            context.write(wrapOutboundOut(out), promise: nil)
            hasWritten = true
        }
        if hasWritten { context.flush() }
        report()
    }

    private func report() {
        let events = machine.takeEvents()
        if !events.isEmpty || machine.streamLimit != streamLimit { publish() }
        for event in events {
            onEvent(event)
            if case .closed = event { context?.close(promise: nil) }
        }
    }

    /// Shows the figures: with every finished slice and now and then, never for a single notification.
    private func publish() {
        streamLimit = machine.streamLimit
        onFigures(ConnectionMetrics(streams: machine.streamCount, streamLimit: streamLimit, latency: machine.latency))
    }
}
