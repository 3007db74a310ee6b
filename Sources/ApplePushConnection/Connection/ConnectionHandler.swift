import NIOCore
import NIOTLS

/// The channel handler around ``HTTP2ClientStateMachine``.
///
/// It passes bytes and events, reads the clock, and makes no decisions.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Encrypting and writing more at once has no benefit.
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

    /// `onReady` is called once after ALPN selected HTTP/2; all closures are called on the event loop.
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

    /// Changes the state machine, then sends and reports the results.
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
        // TLS and network errors both end the connection; the first is the cause of the others.
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

    /// Publishes the metrics: with every finished slice and periodically, never per notification.
    private func publish() {
        streamLimit = machine.streamLimit
        onFigures(ConnectionMetrics(streams: machine.streamCount, streamLimit: streamLimit, latency: machine.latency))
    }
}
