import NIOCore
import NIOExtras
import NIOHTTP1

/// Opens a tunnel through a proxy with one `CONNECT` request (RFC 9110 §9.3.6).
enum ProxyTunnel {
    /// Why there is no tunnel, in words without user or password.
    struct Problem: Error {
        var detail: String
    }

    /// Asks a proxy for a tunnel; closes the channel when there is none.
    ///
    /// - Parameters:
    ///   - channel: A connection to the proxy, on its event loop, before anything is read from it.
    ///   - endpoint: Where the tunnel leads.
    ///   - proxy: Whose credentials are sent.
    ///   - timeout: How long the proxy's answer may take.
    /// - Returns: Succeeds when the pipeline has no HTTP/1.1 any more: bytes go to the endpoint. Fails with ``Problem``.
    static func open(
        in channel: any Channel,
        to endpoint: Endpoint,
        through proxy: HTTPProxy,
        timeout: TimeAmount
    ) -> EventLoopFuture<Void> {
        let host = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
        var headers: HTTPHeaders = ["host": "\(host):\(endpoint.port)"]
        if let authorization = proxy.authorization { headers.add(name: "proxy-authorization", value: authorization) }
        let tunnel = channel.eventLoop.makePromise(of: Void.self)
        let encoder = HTTPRequestEncoder()
        let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
        let answer = ProxyAnswer()
        let connect = NIOHTTP1ProxyConnectHandler(
            targetHost: host,
            targetPort: endpoint.port,
            headers: headers,
            deadline: .now() + timeout,
            promise: tunnel
        )
        let pipeline = channel.pipeline.syncOperations
        do {
            try pipeline.addHandlers([encoder, decoder, answer, connect])
        } catch {
            tunnel.fail(error)
        }
        return tunnel.futureResult.assumeIsolated()
            .flatMapErrorThrowing { error in
                // Before the channel is closed: half an answer is then an error of its own.
                let problem = Problem(detail: answer.problem(error, isAuthorized: proxy.authorization != nil))
                channel.close(promise: nil)
                throw problem
            }
            .flatMap {
                // `connect` has removed itself. In TLS the client speaks first: no byte is lost.
                let leaving: [any RemovableChannelHandler] = [encoder, decoder, answer]
                return .andAllSucceed(leaving.map { pipeline.removeHandler($0) }, on: channel.eventLoop)
            }
            .nonisolated()
    }
}

/// Keeps what `NIOHTTP1ProxyConnectHandler` does not report: the status of a refusal, and that an answer is not HTTP.
private final class ProxyAnswer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var status: HTTPResponseStatus?
    private var readingProblem: String?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) { status = head.status }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        readingProblem = error is HTTPParserError ? "the proxy's answer is not HTTP" : Self.closed
        context.close(promise: nil)
    }

    /// Says why there is no tunnel.
    func problem(_ error: any Error, isAuthorized: Bool) -> String {
        if let readingProblem { return readingProblem }
        if let status, !(200..<300).contains(status.code) { return Self.refusal(status, isAuthorized) }
        guard let error = error as? NIOHTTP1ProxyConnectHandler.Error else { return Self.closed }
        switch error {
        case .httpProxyHandshakeTimeout(): return "the proxy did not answer in time"
        case .invalidProxyResponse(): return "the proxy's answer is not that of a tunnel"
        default: return Self.closed
        }
    }

    private static let closed = "the proxy closed the connection"

    private static func refusal(_ status: HTTPResponseStatus, _ isAuthorized: Bool) -> String {
        let reason =
            switch (status, isAuthorized) {
            case (.proxyAuthenticationRequired, false): "it requires a user and a password"
            case (.proxyAuthenticationRequired, true): "it refuses the user and the password"
            default: "it refuses the tunnel"
            }
        return "the proxy answered \(status.code): \(reason)"
    }
}
