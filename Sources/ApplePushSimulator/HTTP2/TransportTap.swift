import NIOCore

/// Next to the socket, below TLS: counts bytes, and can cut the connection without a close notification.
final class TransportTap: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    struct Traffic {
        var received = 0
        var sent = 0
    }

    private var traffic = Traffic()
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        traffic.received += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        traffic.sent += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    /// Returns and resets the byte counts.
    func collect() -> Traffic {
        defer { traffic = Traffic() }
        return traffic
    }

    /// Closes the socket below TLS, which then cannot send a close notification.
    func cut() {
        context?.close(promise: nil)
    }
}
