import CarillonServer
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Checks whether a server's address is free, and if not, whether a Carillon server uses it.
struct ListeningProbe: Sendable {
    var configuration: APIServer.Configuration
    var timeout = TimeAmount.seconds(5)
    var group: any EventLoopGroup

    /// `HOST:PORT`.
    var place: String {
        let host = configuration.host
        return (host.contains(":") ? "[\(host)]" : host) + ":\(configuration.port)"
    }

    /// Binds the address briefly, or sends a request to it.
    func state() async -> ListeningState {
        guard configuration.port != 0 else { return .anyPort }
        do {
            let channel = try await ServerBootstrap(group: group)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: configuration.host, port: configuration.port).get()
            try? await channel.close()
            return .free
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            return await answer().flatMap(Self.readiness).map(ListeningState.served) ?? .taken
        } catch let error as IOError {
            return .refused(String(cString: strerror(error.errnoCode)))
        } catch {
            return .refused("the name has no address")
        }
    }

    /// Parses the `/ready` response of a Carillon server.
    ///
    /// - Parameter answer: The bytes of an HTTP/1.1 response.
    /// - Returns: `nil` for anything else.
    static func readiness(_ answer: [UInt8]) -> ListeningState.Readiness? {
        let text = String(decoding: answer, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 "), let end = text.range(of: "\r\n\r\n") else { return nil }
        let body = Data(text[end.upperBound...].utf8)
        if let ready = try? JSONDecoder().decode(ReadyBody.self, from: body) {
            return ListeningState.Readiness(
                isReady: ready.status != "unready",
                reasons: (ready.reasons ?? []).map(\.detail),
                isHeld: ready.hold ?? false
            )
        }
        guard let problem = try? JSONDecoder().decode(ProblemBody.self, from: body),
            problem.type.hasPrefix("urn:carillon:problem:")
        else { return nil }
        let reasons = (problem.reasons ?? []).map(\.detail)
        return ListeningState.Readiness(isReady: false, reasons: reasons.isEmpty ? [problem.title] : reasons)
    }

    // MARK: - Private

    private struct Reason: Decodable { var detail: String }

    private struct ReadyBody: Decodable {
        var status: String
        var hold: Bool?
        var reasons: [Reason]?
    }

    private struct ProblemBody: Decodable {
        var type: String
        var title: String
        var reasons: [Reason]?
    }

    private func answer() async -> [UInt8]? {
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][configuration.host] ?? configuration.host
        let promise = group.next().makePromise(of: [UInt8].self)
        let isTLS = configuration.tls != nil
        do {
            let channel = try await ClientBootstrap(group: group).connectTimeout(timeout).channelInitializer {
                channel in
                channel.eventLoop.makeCompletedFuture {
                    if isTLS { try channel.pipeline.syncOperations.addHandler(try Self.tls()) }
                    try channel.pipeline.syncOperations.addHandler(AnswerCollector(promise))
                }
            }.connect(host: host, port: configuration.port).get()
            let limit = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
            defer { limit.cancel() }
            let request = "GET /ready HTTP/1.1\r\nHost: \(place)\r\nConnection: close\r\n\r\n"
            channel.writeAndFlush(ByteBuffer(string: request), promise: nil)
            return try await promise.futureResult.get()
        } catch {
            promise.succeed([])
            return nil
        }
    }

    /// Does not verify the certificate, which another check does: no secret is sent.
    private static func tls() throws -> NIOSSLClientHandler {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        return try NIOSSLClientHandler(context: NIOSSLContext(configuration: configuration), serverHostname: nil)
    }
}

/// Collects bytes until the connection closes, at most 64 KiB.
private final class AnswerCollector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let limit = 65_536
    private let promise: EventLoopPromise<[UInt8]>
    private var bytes: [UInt8] = []

    init(_ promise: EventLoopPromise<[UInt8]>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView.prefix(Self.limit - bytes.count)
        if bytes.count >= Self.limit { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.succeed(bytes)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
