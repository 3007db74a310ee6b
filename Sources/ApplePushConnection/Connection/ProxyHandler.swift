import NIOCore
import NIOHTTP1

/// Asks a proxy for a tunnel, once, and tells how that went.
///
/// It stands behind NIO's HTTP/1.1 client handlers, which bound what the proxy may say. After its word it does nothing more.
final class ProxyHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private enum State {
        case idle
        case asked(Scheduled<Void>)
        case granted(Scheduled<Void>)
        case over
    }

    private let endpoint: Endpoint
    private let authorization: String?
    private let timeout: TimeAmount
    private let onTunnel: (ProxyHandler) -> Void
    private let onFailure: (String) -> Void
    private var state = State.idle

    /// Prepares the question.
    ///
    /// - Parameters:
    ///   - endpoint: Where the tunnel leads.
    ///   - authorization: The value of `proxy-authorization`.
    ///   - timeout: How long the answer may take.
    ///   - onTunnel: Called when there is a tunnel, with the handler that may go.
    ///   - onFailure: Called with the reason when there is none; one of the two is called, and once.
    init(
        to endpoint: Endpoint,
        authorization: String?,
        timeout: TimeAmount,
        onTunnel: @escaping (ProxyHandler) -> Void,
        onFailure: @escaping (String) -> Void
    ) {
        self.endpoint = endpoint
        self.authorization = authorization
        self.timeout = timeout
        self.onTunnel = onTunnel
        self.onFailure = onFailure
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { ask(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        ask(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail("the proxy closed the connection", context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error is HTTPParserError ? "the proxy's answer is not HTTP" : "the proxy closed the connection", context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .asked(let limit)):
            guard (200..<300).contains(head.status.code) else { return refuse(head.status, context) }
            state = .granted(limit)
        case (.end, .granted(let limit)):
            limit.cancel()
            state = .over
            onTunnel(self)
        case (_, .over): break
        case (.body, _), (.head, _), (.end, _): fail("the proxy's answer is not that of a tunnel", context)
        }
    }

    // MARK: - Private

    private func ask(_ context: ChannelHandlerContext) {
        guard case .idle = state else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let limit = context.eventLoop.scheduleTask(in: timeout) {
            let (handler, context) = bound.value
            handler.fail("the proxy did not answer in time", context)
        }
        state = .asked(limit)
        let name = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
        let target = "\(name):\(endpoint.port)"
        var head = HTTPRequestHead(version: .http1_1, method: .CONNECT, uri: target, headers: ["host": target])
        if let authorization { head.headers.add(name: "proxy-authorization", value: authorization) }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func refuse(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
        let words =
            status == .proxyAuthenticationRequired
            ? authorization == nil ? "it requires a user and a password" : "it refuses the user and the password"
            : "it refuses the tunnel"
        fail("the proxy answered \(status.code): \(words)", context)
    }

    private func fail(_ detail: String, _ context: ChannelHandlerContext) {
        switch state {
        case .over: return
        case .idle: break
        case .asked(let limit), .granted(let limit): limit.cancel()
        }
        state = .over
        onFailure(detail)
        context.close(promise: nil)
    }
}
