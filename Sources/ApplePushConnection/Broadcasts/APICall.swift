import NIOCore
import NIOHPACK
import NIOHTTP2

/// One request on its way: waits for a stream, is sent, is answered or given up.
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

    /// Whether it is this call's outcome that somebody waits for.
    func answers(_ future: EventLoopFuture<APIOutcome>) -> Bool { promise.futureResult === future }

    /// Gives up at an instant, unless it is over by then.
    func giveUp(at time: NIODeadline, on eventLoop: any EventLoop) {
        guard time > .now() else { return giveUp(.deadlinePassed) }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        deadline = eventLoop.scheduleTask(deadline: time) { bound.value.giveUp(.deadlinePassed) }
    }

    /// Notes that the request is on the wire, or as good as.
    func sent(on stream: any Channel) {
        if case .waiting = phase { phase = .sent(stream) }
    }

    /// Ends the call for a reason of ours; the other side hears it too where it has the request.
    func giveUp(_ failure: Failure) {
        switch phase {
        case .waiting: finish(.notSent(failure))
        case .sent(let stream):
            finish(.unknown(failure))
            // Closing a stream that is not at its end sends RST_STREAM with CANCEL.
            stream.close(promise: nil)
        case .over: break
        }
    }

    /// Only the first outcome counts.
    func finish(_ outcome: APIOutcome) {
        guard !isOver else { return }
        phase = .over
        deadline?.cancel()
        promise.succeed(outcome)
    }
}

/// Sends a call on a stream of its own and gathers the answer.
final class APIStreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let call: APICall
    private let endpoint: Endpoint
    /// Says how a stream ended that the connection took down with it; asked after the connection knows.
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
            // A second block is a trailer: APNs sends none, and nothing in one is of interest.
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
        // A GOAWAY takes streams down before it comes up the pipeline itself.
        let bound = NIOLoopBound((call, fate), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (call, fate) = bound.value
            call.finish(fate(stream))
        }
    }
}
