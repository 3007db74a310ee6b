import CNghttp2
import Logging
import NIOCore
import NIOTLS

/// One client's connection: between the decrypted bytes and the gateway.
///
/// All answers to what came in one read leave in one write.
final class PushConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Sent through the pipeline to say goodbye.
    struct Farewell: Sendable {
        var reason: String
    }

    let id: Int
    private let core: SimulatorCore
    private let traffic: TransportTap
    private(set) var session: HTTP2Session?
    private(set) var state = ConnectionState()
    private var hasRaisedLimit = false
    private(set) var isStalled = false
    private var mustCut = false
    private(set) var isClosing = false
    private var context: ChannelHandlerContext?
    private var now: WallTime

    init(core: SimulatorCore, id: Int, traffic: TransportTap) {
        self.core = core
        self.id = id
        self.traffic = traffic
        now = core.clock.now
    }

    /// The client's address and port.
    var peer: String? {
        guard let address = context?.channel.remoteAddress, let ip = address.ipAddress else { return nil }
        return "\(ip):\(address.port ?? 0)"
    }

    // MARK: - Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        session = nil
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let session {
            core.note(session.collectCounts(), traffic: traffic.collect(), closing: true)
            self.session = nil
        }
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted(let negotiated):
            guard negotiated == "h2" else {
                // A client without HTTP/2 gets no answer at all.
                traffic.cut()
                return
            }
            start()
        case let farewell as Farewell:
            sayGoodbye(farewell, context)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let session, !isStalled, !mustCut else { return }
        now = core.clock.now
        let buffer = unwrapInboundIn(data)
        do throws(HTTP2Session.Failure) {
            // The closure of `withUnsafeReadableBytes` cannot throw a type of its own.
            let result = buffer.withUnsafeReadableBytes { bytes in
                Result { () throws(HTTP2Session.Failure) in try session.receive(bytes) }
            }
            try result.get()
        } catch {
            core.logger.debug("client broke HTTP/2", metadata: ["simulator.connection": "\(id)"])
            flush(context)
            context.close(promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush(context)
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Handshakes that fail and connections that break are the client's business.
        context.close(promise: nil)
    }

    // MARK: - Private

    private func sayGoodbye(_ farewell: Farewell, _ context: ChannelHandlerContext) {
        guard let session else {
            context.close(promise: nil)
            return
        }
        guard !isStalled else {
            traffic.cut()
            return
        }
        guard !isClosing else { return }
        isClosing = true
        session.goAway(lastStream: session.lastOpened, Goodbye(reason: farewell.reason))
        flush(context)
    }

    private func start() {
        guard session == nil else { return }
        do {
            session = try HTTP2Session(streamLimit: core.configuration.initialStreamLimit) { [unowned self] in
                received($0)
            }
        } catch {
            traffic.cut()
            return
        }
        core.noteConnection()
        if let context {
            flush(context)
        }
    }

    private func received(_ stream: HTTP2Stream) {
        guard let session, !mustCut, !isStalled else { return }
        let reply = core.receive(&stream.request, connection: &state, from: id, stream: stream.id, now: now)
        if !hasRaisedLimit, state.isAuthenticated {
            hasRaisedLimit = true
            if session.streamLimit != core.configuration.streamLimit {
                session.announce(streamLimit: core.configuration.streamLimit)
            }
        }
        switch reply.manner {
        case .answer:
            answer(stream, with: reply)
        case .delayed(let delay):
            answerLater(stream.id, with: reply, after: delay)
        case .reset(let code):
            session.reset(stream.id, errorCode: code)
        case .goAway(let goodbye):
            isClosing = true
            session.goAway(lastStream: session.lastTaken, goodbye)
        case .close:
            mustCut = true
        case .stall:
            isStalled = true
        }
    }

    private func answerLater(_ id: Int32, with reply: Reply, after delay: Duration) {
        guard let context else { return }
        let `self` = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: TimeAmount(delay)) {
            `self`.value.answerNow(id, with: reply)
        }
    }

    private func answerNow(_ id: Int32, with reply: Reply) {
        // The client may have reset the stream or left meanwhile.
        guard let context, let stream = session?.stream(id) else { return }
        answer(stream, with: reply)
        flush(context)
    }

    private func flush(_ context: ChannelHandlerContext) {
        guard let session else { return }
        if mustCut {
            traffic.cut()
            return
        }
        if !isStalled {
            send(session, context)
        }
        core.note(session.collectCounts(), traffic: traffic.collect(), closing: false)
        if session.isFinished {
            context.close(promise: nil)
        }
    }

    private func send(_ session: HTTP2Session, _ context: ChannelHandlerContext) {
        var buffer = context.channel.allocator.buffer(capacity: 16_384)
        do throws(HTTP2Session.Failure) {
            try session.send { buffer.writeBytes($0) }
        } catch {
            context.close(promise: nil)
            return
        }
        if buffer.readableBytes > 0 {
            context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
        }
    }
}
