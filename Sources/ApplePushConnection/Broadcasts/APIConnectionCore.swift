import ApplePush
import NIOCore
import NIOHTTP2
import NIOSSL
import NIOTLS

/// The part of an ``APIConnection`` on its event loop.
final class APIConnectionCore {
    private let endpoint: Endpoint
    private let welcome: EventLoopPromise<APIConnection.Welcome>
    private let onEnd: (ConnectionClosure) -> Void
    private var channel: (any Channel)?
    private var multiplexer: NIOHTTP2Handler.StreamMultiplexer?
    private var tlsVersion: TLSVersion?
    private var waiting: [APICall] = []
    private var underWay: [ObjectIdentifier: APICall] = [:]
    /// Limit of concurrent streams; `nil` until the server's first SETTINGS.
    private var limit: Int?
    private var closure: ConnectionClosure?
    /// The last stream that the server's GOAWAY does not exclude.
    private var lastStream: HTTP2StreamID?
    private var timeout: Scheduled<Void>?

    init(
        _ endpoint: Endpoint,
        welcome: EventLoopPromise<APIConnection.Welcome>,
        onEnd: @escaping (ConnectionClosure) -> Void
    ) {
        self.endpoint = endpoint
        self.welcome = welcome
        self.onEnd = onEnd
    }

    func connect(_ route: APIRoute, tls: NIOSSLContext, on eventLoop: any EventLoop) {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let limit = route.proxy == nil ? route.timeout : route.timeout + route.timeout
        timeout = eventLoop.scheduleTask(in: limit) { bound.value.fail(.timedOut, detail: "timed out") }
        route.connect(on: eventLoop) { channel in
            // Cancelled meanwhile: nobody would close the channel.
            guard bound.value.closure == nil else { throw ChannelError.ioOnClosedChannel }
            let handler = try NIOSSLClientHandler(context: tls, serverHostname: route.serverHostname)
            let gate = APIHandshakeHandler(bound.value)
            try channel.pipeline.syncOperations.addHandlers([handler, gate])
            bound.value.channel = channel
        }.whenFailure { error in
            let problem = error as? APIConnection.Problem ?? .unreachable(String(describing: error))
            bound.value.fail(problem, detail: problem.detail)
        }
    }

    func accept(_ call: APICall) {
        if closure != nil { return call.finish(.notSent(.connectionLost)) }
        waiting.append(call)
        pump()
    }

    func cancel(_ future: EventLoopFuture<APIOutcome>) {
        for call in waiting + underWay.values where call.answers(future) { call.giveUp(.cancelled) }
        waiting.removeAll(where: \.isOver)
    }

    /// Accepts no more calls; fails those that wait, while those in flight may finish.
    func end(_ closure: ConnectionClosure) {
        if self.closure == nil {
            self.closure = closure
            onEnd(closure)
        }
        let failure = Failure(closure)
        for call in waiting { call.finish(.notSent(failure)) }
        waiting = []
        closeIfIdle()
    }

    // MARK: - What happens to the connection

    /// Begins to use the channel, after ALPN selected HTTP/2.
    func begin(_ channel: any Channel) throws {
        tlsVersion = try? channel.pipeline.syncOperations.nioSSL_tlsVersion()
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 16 * 1024),
        ]
        let handler = NIOHTTP2Handler(
            mode: .client,
            eventLoop: channel.eventLoop,
            connectionConfiguration: configuration
        ) { stream in
            // Apple's servers open none.
            stream.close()
        }
        try channel.pipeline.syncOperations.addHandlers([handler, APIRootHandler(self)])
        multiplexer = try handler.syncMultiplexer()
    }

    func received(settings: HTTP2Settings) {
        let value = settings.last { $0.parameter == .maxConcurrentStreams }?.value
        if limit == nil {
            timeout?.cancel()
            welcome.succeed(APIConnection.Welcome(maximumStreams: value, tlsVersion: tlsVersion))
            limit = value ?? .max
        } else if let value {
            limit = value
        }
        pump()
    }

    func receivedGoAway(last: HTTP2StreamID, code: HTTP2ErrorCode, debugData: ByteBuffer?) {
        lastStream = last
        let reason = debugData.flatMap { RejectionReason(goAway: $0.readableBytesView) }
        let closure = ConnectionClosure(.goAway, reason: reason, code: UInt32(code.networkCode))
        if limit == nil { welcome.fail(APIConnection.Problem.noSettings(closure)) }
        end(closure)
    }

    /// Records that the connection is closed; the first reason counts.
    func closed() {
        fail(.noSettings(ConnectionClosure(.lost)), detail: "")
    }

    func fail(_ problem: APIConnection.Problem, detail: String) {
        timeout?.cancel()
        let cause: ConnectionClosure.Cause =
            switch problem {
            case .unreachable, .tls, .timedOut: .connectFailed
            case .proxy: .proxyFailed
            case .notHTTP2: .notHTTP2
            case .noSettings: .lost
            }
        if limit == nil { welcome.fail(problem) }
        end(ConnectionClosure(cause, detail: detail))
        channel?.close(promise: nil)
    }

    // MARK: - Private

    private func pump() {
        waiting.removeAll(where: \.isOver)
        guard let multiplexer, let limit, closure == nil else { return }
        while underWay.count < limit, !waiting.isEmpty {
            let call = waiting.removeFirst()
            underWay[ObjectIdentifier(call)] = call
            open(call, multiplexer)
        }
    }

    private func open(_ call: APICall, _ multiplexer: NIOHTTP2Handler.StreamMultiplexer) {
        guard let eventLoop = channel?.eventLoop else { return }
        let bound = NIOLoopBound((self, call), eventLoop: eventLoop)
        multiplexer.createStreamChannel { stream in
            stream.eventLoop.makeCompletedFuture {
                let (core, call) = bound.value
                let handler = APIStreamHandler(call, to: core.endpoint) { core.fate(of: $0) }
                try stream.pipeline.syncOperations.addHandler(handler)
            }
        }.whenComplete { result in
            let (core, call) = bound.value
            switch result {
            case .success(let stream): stream.closeFuture.whenComplete { _ in bound.value.0.ended(bound.value.1) }
            case .failure:
                call.finish(.notSent(Failure(core.closure ?? ConnectionClosure(.lost))))
                core.ended(call)
            }
        }
    }

    private func ended(_ call: APICall) {
        underWay[ObjectIdentifier(call)] = nil
        pump()
        closeIfIdle()
    }

    private func closeIfIdle() {
        if closure != nil, underWay.isEmpty { channel?.close(promise: nil) }
    }

    /// The outcome of a request whose stream ended without an answer.
    private func fate(of stream: HTTP2StreamID?) -> APIOutcome {
        guard let stream else { return .notSent(.connectionLost) }
        if let lastStream, stream > lastStream { return .notSent(.goAway) }
        return .unknown(closure == nil ? .reset : .connectionLost)
    }
}

extension APIConnection.Problem {
    fileprivate var detail: String {
        switch self {
        case .unreachable(let text), .proxy(let text), .tls(let text): text
        case .notHTTP2, .noSettings, .timedOut: ""
        }
    }
}

extension Failure {
    fileprivate init(_ closure: ConnectionClosure) {
        self =
            switch closure.cause {
            case .goAway: .goAway
            case .connectFailed, .proxyFailed, .notHTTP2: .noConnection
            default: .connectionLost
            }
    }
}

/// Starts HTTP/2 when ALPN has selected it.
private final class APIHandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let core: APIConnectionCore
    private var isAgreed = false

    init(_ core: APIConnectionCore) {
        self.core = core
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            do {
                guard negotiated == "h2" else { throw APIConnection.Problem.notHTTP2(negotiated) }
                isAgreed = true
                try core.begin(context.channel)
            } catch {
                let problem = error as? APIConnection.Problem ?? .tls(String(describing: error))
                core.fail(problem, detail: "")
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let text = String(String(describing: error).prefix(200))
        core.fail(isAgreed ? .noSettings(ConnectionClosure(.lost, detail: text)) : .tls(text), detail: text)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isAgreed { core.fail(.tls("the connection was closed during the handshake"), detail: "") }
        context.fireChannelInactive()
        core.closed()
    }
}

/// Handles the events of the connection as a whole.
private final class APIRootHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let core: APIConnectionCore

    init(_ core: APIConnectionCore) {
        self.core = core
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).payload {
        case .settings(.settings(let settings)): core.received(settings: settings)
        case .goAway(let last, let code, let debugData):
            core.receivedGoAway(last: last, code: code, debugData: debugData)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let text = String(String(describing: error).prefix(200))
        let closure = ConnectionClosure(.protocolViolation, detail: text)
        core.fail(.noSettings(closure), detail: text)
    }
}
