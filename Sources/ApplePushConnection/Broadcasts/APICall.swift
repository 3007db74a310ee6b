import NIOCore
import NIOHPACK
import NIOHTTP2

/// One request: waits for a stream, is sent, and gets an answer or a failure.
///
/// It lives on its connection's event loop.
final class APICall {
    private enum Phase {
        case waiting
        case sent(any Channel)
        case over
    }

    let request: APIRequest
    private let promise: EventLoopPromise<APIOutcome>
    private var phase = Phase.waiting
    private var deadline: Scheduled<Void>?

    init(_ request: APIRequest, promise: EventLoopPromise<APIOutcome>) {
        self.request = request
        self.promise = promise
    }

    var isOver: Bool {
        if case .over = phase { true } else { false }
    }

    /// Whether the future is this call's outcome.
    func answers(_ future: EventLoopFuture<APIOutcome>) -> Bool { promise.futureResult === future }

    /// Schedules the failure at a deadline.
    func giveUp(at time: NIODeadline, on eventLoop: any EventLoop) {
        guard time > .now() else { return giveUp(.deadlinePassed) }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        deadline = eventLoop.scheduleTask(deadline: time) { bound.value.giveUp(.deadlinePassed) }
    }

    /// Records that the request was sent.
    func sent(on stream: any Channel) {
        if case .waiting = phase { phase = .sent(stream) }
    }

    /// Ends the call with a failure; resets its stream if it was sent.
    func giveUp(_ failure: Failure) {
        switch phase {
        case .waiting: finish(.notSent(failure))
        case .sent(let stream):
            finish(.unknown(failure))
            // Closing an incomplete stream sends RST_STREAM with CANCEL.
            stream.close(promise: nil)
        case .over: break
        }
    }

    /// Sets the outcome; only the first one counts.
    func finish(_ outcome: APIOutcome) {
        guard !isOver else { return }
        phase = .over
        deadline?.cancel()
        promise.succeed(outcome)
    }
}

/// Sends a call on a stream and collects the answer.
final class APIStreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let call: APICall
    private let endpoint: Endpoint
    /// The outcome of a stream that its connection closed; called after the connection has recorded why.
    private let fate: (HTTP2StreamID?) -> APIOutcome
    private var head: HPACKHeaders?
    private var body: [UInt8] = []

    init(_ call: APICall, to endpoint: Endpoint, fate: @escaping (HTTP2StreamID?) -> APIOutcome) {
        self.call = call
        self.endpoint = endpoint
        self.fate = fate
    }

    func channelActive(context: ChannelHandlerContext) {
        guard !call.isOver else { return context.close(promise: nil) }
        call.sent(on: context.channel)
        var fields: HPACKHeaders = [
            ":method": call.request.method, ":scheme": "https", ":path": call.request.path,
            ":authority": endpoint.authority,
        ]
        fields.add(contentsOf: call.request.fields)
        let body = call.request.body
        context.write(wrapOutboundOut(.headers(.init(headers: fields, endStream: body.isEmpty))), promise: nil)
        if !body.isEmpty {
            let buffer = context.channel.allocator.buffer(bytes: body)
            context.write(wrapOutboundOut(.data(.init(data: .byteBuffer(buffer), endStream: true))), promise: nil)
        }
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let content):
            let isInterim = content.headers.first(name: ":status")?.hasPrefix("1") == true
            // A second block is a trailer: APNs sends none, and its fields would not matter.
            if head == nil, !isInterim { head = content.headers }
            if content.endStream { complete() }
        case .data(let content):
            guard case .byteBuffer(let bytes) = content.data else { return }
            guard body.count + bytes.readableBytes <= call.request.answerLimit else {
                return call.giveUp(.malformedAnswer)
            }
            body += bytes.readableBytesView
            if content.endStream { complete() }
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let refused = (error as? NIOHTTP2Errors.StreamClosed)?.errorCode == .refusedStream
        end(context, refused ? .notSent(.refused) : nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(context, nil)
        context.fireChannelInactive()
    }

    // MARK: - Private

    private func complete() {
        guard let head, let status = head.first(name: ":status").flatMap({ Int($0) }), (200...999).contains(status)
        else {
            return call.finish(.unknown(.malformedAnswer))
        }
        call.finish(.answered(APIAnswer(status: status, fields: head, body: body)))
    }

    private func end(_ context: ChannelHandlerContext, _ outcome: APIOutcome?) {
        guard !call.isOver else { return }
        if let outcome { return call.finish(outcome) }
        let stream = try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
        // A GOAWAY closes streams before it reaches the connection's handler.
        let bound = NIOLoopBound((call, fate), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (call, fate) = bound.value
            call.finish(fate(stream))
        }
    }
}
