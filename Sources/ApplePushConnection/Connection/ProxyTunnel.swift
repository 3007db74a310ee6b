import NIOCore
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
        let tunnel = channel.eventLoop.makePromise(of: Void.self)
        let encoder = HTTPRequestEncoder()
        let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
        let answer = ProxyAnswer(isAuthorized: proxy.authorization != nil, promise: tunnel)
        let pipeline = channel.pipeline.syncOperations
        do {
            try pipeline.addHandlers([encoder, decoder, answer])
            let bound = NIOLoopBound(answer, eventLoop: channel.eventLoop)
            let limit = channel.eventLoop.scheduleTask(in: timeout) {
                bound.value.fail("the proxy did not answer in time")
            }
            tunnel.futureResult.whenComplete { _ in limit.cancel() }
            channel.write(HTTPClientRequestPart.head(request(endpoint, proxy)), promise: nil)
            channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        } catch {
            answer.fail(ProxyAnswer.closed)
        }
        return tunnel.futureResult.assumeIsolated()
            .flatMapErrorThrowing { problem in
                channel.close(promise: nil)
                throw problem
            }
            .flatMap {
                // In TLS the client speaks first: no byte is lost.
                let leaving: [any RemovableChannelHandler] = [encoder, decoder, answer]
                return .andAllSucceed(leaving.map { pipeline.removeHandler($0) }, on: channel.eventLoop)
            }
            .nonisolated()
    }

    private static func request(_ endpoint: Endpoint, _ proxy: HTTPProxy) -> HTTPRequestHead {
        let host = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
        let authority = "\(host):\(endpoint.port)"
        var headers: HTTPHeaders = ["host": authority]
        if let authorization = proxy.authorization { headers.add(name: "proxy-authorization", value: authorization) }
        return HTTPRequestHead(version: .http1_1, method: .CONNECT, uri: authority, headers: headers)
    }
}

/// Waits for the answer to one `CONNECT`.
///
/// swift-nio-extras has a handler for this; its package brings six more, which a server that only sends would fetch for
/// nothing else.
private final class ProxyAnswer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart

    static let closed = "the proxy closed the connection"

    private let isAuthorized: Bool
    /// `nil` once there is a result.
    private var promise: EventLoopPromise<Void>?

    init(isAuthorized: Bool, promise: EventLoopPromise<Void>) {
        self.isAuthorized = isAuthorized
        self.promise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head) where (100..<200).contains(head.status.code): break
        case .head(let head):
            if !(200..<300).contains(head.status.code) { fail(refusal(head.status)) }
        // The tunnel begins after the header of a 2xx answer, which has no content.
        case .body: fail("the proxy's answer is not that of a tunnel")
        case .end:
            promise?.succeed()
            promise = nil
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error is HTTPParserError ? "the proxy's answer is not HTTP" : Self.closed)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(Self.closed)
        context.fireChannelInactive()
    }

    /// Ends the wait, unless there is a result.
    func fail(_ detail: String) {
        promise?.fail(ProxyTunnel.Problem(detail: detail))
        promise = nil
    }

    private func refusal(_ status: HTTPResponseStatus) -> String {
        let reason =
            switch (status, isAuthorized) {
            case (.proxyAuthenticationRequired, false): "it requires a user and a password"
            case (.proxyAuthenticationRequired, true): "it refuses the user and the password"
            default: "it refuses the tunnel"
            }
        return "the proxy answered \(status.code): \(reason)"
    }
}
