import CNghttp2
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// A client's connection: between the decrypted bytes and the gateway.
///
/// All requests of one read are validated under one lock, and their responses are sent in one write.
final class PushConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A message to a connection through the pipeline.
    enum Order: Sendable {
        case action(ConnectionAction)
        /// The listener's rules changed.
        case rules(ConnectionRules)
        /// The clock was moved.
        case clockMoved
    }

    /// How long the connection stays open after the last write.
    ///
    /// Closing a socket with unread bytes would reset it, and lose the last frames.
    static let lingering = TimeAmount.seconds(1)

    let id: Int
    let core: SimulatorCore
    let traffic: TransportTap
    private let pool: HTTP2StreamPool
    var rules: ConnectionRules
    private(set) var session: HTTP2Session?
    var state: ConnectionState
    /// Whether the limit of concurrent streams was raised after authentication.
    var hasRaisedLimit = false
    /// Whether the limit fell to one after a rejection.
    var isHumbled = false
    var requests = 0
    /// Whether it stopped answering.
    var isStalled = false
    /// Whether it is paused.
    var isPaused = false
    var mustCut = false
    private var isLeaving = false
    var delayed = DelayedReplies()
    var delayTimer: Scheduled<Void>?
    /// The same on the system's clock, which times delayed responses.
    var lastHeard = NIODeadline.now()
    var isWatchingIdleness = false
    /// Bytes that are not written yet.
    private var outgoing = ByteBuffer()
    /// How many bytes of the window a timer will release.
    var releasing = 0
    private(set) var context: ChannelHandlerContext?
    /// When the client last sent anything, by the simulator's clock.
    var now: SimulatedTime

    init(core: SimulatorCore, id: Int, listener: Int, rules: ConnectionRules, pool: HTTP2StreamPool) {
        self.core = core
        self.id = id
        self.rules = rules
        self.pool = pool
        traffic = TransportTap()
        state = ConnectionState()
        state.listener = listener
        now = core.clock.now
    }

    /// The client's address and port.
    var peer: String? {
        guard let address = context?.channel.remoteAddress, let ip = address.ipAddress else { return nil }
        return "\(ip):\(address.port ?? 0)"
    }

    /// Whether GOAWAY was sent.
    var isClosing: Bool { session?.isLeaving ?? false }

    // MARK: - Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        session = nil
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        delayTimer?.cancel()
        if let session {
            core.record(session.collectLastCounts(), traffic: traffic.collect(), closing: true)
            self.session = nil
        }
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted(let negotiated):
            guard negotiated == "h2" else {
                // A client without HTTP/2 gets no response.
                traffic.cut()
                return
            }
            start(context)
        case let order as Order:
            carryOut(order, context)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let session, !isStalled, !mustCut, !isLeaving else { return }
        now = core.clock.now
        lastHeard = .now()
        let buffer = unwrapInboundIn(data)
        do throws(HTTP2Session.Failure) {
            // The closure of `withUnsafeReadableBytes` cannot throw a type of its own.
            let result = buffer.withUnsafeReadableBytes { bytes in
                Result { () throws(HTTP2Session.Failure) in try session.receive(bytes) }
            }
            validate(session)
            if !isPaused, !isStalled, !mustCut { try gather(session) }
            try result.get()
        } catch {
            core.logger.debug("client broke HTTP/2", metadata: ["simulator.connection": "\(id)"])
            flush(context)
            context.close(promise: nil)
        }
        holdWindow(session)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush(context)
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Failed handshakes and broken connections are not errors of the simulator.
        context.close(promise: nil)
    }

    /// Writes pending bytes, and closes the connection when both sides are finished.
    func flush(_ context: ChannelHandlerContext) {
        guard let session, !isPaused else { return }
        if mustCut {
            traffic.cut()
            return
        }
        if isStalled {
            record(session)
        } else {
            send(session, context)
        }
        if session.isFinished {
            leave(context)
        }
    }

    // MARK: - Private

    private func start(_ context: ChannelHandlerContext) {
        guard session == nil else { return }
        let peer = try? context.channel.pipeline.syncOperations.nioSSL_peerCertificate()
        state.source = context.channel.remoteAddress?.ipAddress ?? ""
        state.certificate = peer.flatMap { try? $0.toDERBytes() }.flatMap { PushCertificate(derEncoded: $0) }
        hasRaisedLimit = state.certificate != nil
        let limit = hasRaisedLimit ? rules.streamLimit : rules.initialStreamLimit
        do {
            session = try HTTP2Session(streamLimit: limit, rules: rules, pool: pool)
        } catch {
            traffic.cut()
            return
        }
        core.recordConnection()
        (now, lastHeard) = (core.clock.now, .now())
        watchIdleness(context)
        if peer != nil, let flaw = flaw(of: state.certificate) {
            session?.goAway(lastStream: 0, Goodbye(reason: flaw.rawValue))
        }
        flush(context)
    }

    /// The defect of a client's certificate.
    private func flaw(of certificate: PushCertificate?) -> RejectionReason? {
        guard let certificate else { return .badCertificate }
        let environment = core.environment(ofListener: state.listener)
        return certificate.environments.contains(environment) ? nil : .badCertificateEnvironment
    }

    private func leave(_ context: ChannelHandlerContext) {
        guard !isLeaving else { return }
        isLeaving = true
        context.close(mode: .output, promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.lingering) {
            bound.value.close(promise: nil)
        }
    }

    private func send(_ session: HTTP2Session, _ context: ChannelHandlerContext) {
        do throws(HTTP2Session.Failure) {
            try gather(session)
        } catch {
            record(session)
            context.close(promise: nil)
            return
        }
        // Before the client has the responses: who has all of them finds all of their streams counted. The bytes of this
        // write count with the next one, or when the connection closes.
        record(session)
        if outgoing.readableBytes > 0 {
            context.writeAndFlush(wrapOutboundOut(outgoing), promise: nil)
            outgoing = ByteBuffer()
        }
    }

    /// Counts what happened since it was counted last.
    private func record(_ session: HTTP2Session) {
        core.record(session.collectCounts(), traffic: traffic.collect(), closing: false)
    }

    /// Collects outgoing bytes from the library.
    ///
    /// After each part of a read, not once at its end: answered streams are closed then, and the next ones reuse memory
    /// that is still in the cache.
    private func gather(_ session: HTTP2Session) throws(HTTP2Session.Failure) {
        if outgoing.capacity == 0 { outgoing = context?.channel.allocator.buffer(capacity: 16_384) ?? ByteBuffer() }
        try session.send { outgoing.writeBytes($0) }
    }
}
