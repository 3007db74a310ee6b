import NIOCore

/// Delays everything that a client sends, below TLS and in order.
final class DelayLine: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let delay: TimeAmount
    private var waiting: [ByteBuffer] = []

    init(delay: TimeAmount) {
        self.delay = delay
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        waiting.append(unwrapInboundIn(data))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        let arrived = waiting
        waiting.removeAll(keepingCapacity: true)
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: delay) {
            let context = context.value
            for buffer in arrived {
                context.fireChannelRead(NIOAny(buffer))
            }
            context.fireChannelReadComplete()
        }
    }
}
