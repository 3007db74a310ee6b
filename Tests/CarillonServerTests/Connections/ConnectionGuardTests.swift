import CarillonEngine
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import CarillonServer

/// The guard in a channel whose time the test moves.
struct ConnectionGuardTests {
    private let metrics = ServerMetrics(startedAt: 0)

    private func channel(
        _ places: ConnectionPlaces = ConnectionPlaces(limit: nil, proxies: TrustedProxies()),
        from address: String = "192.0.2.1"
    ) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(
            handler: ConnectionGuard(limits: ConnectionLimits(), places: places, metrics: metrics)
        )
        try channel.connect(to: SocketAddress(ipAddress: address, port: 9)).wait()
        return channel
    }

    private func ends(_ reason: ConnectionEnd) -> Bool {
        var page = MetricsPage()
        metrics.write(to: &page)
        return page.text.contains("carillon_http_connections_ended_total{reason=\"\(reason.rawValue)\"} 1\n")
    }

    private func head(_ fields: HTTPFields = [:]) -> HTTPRequestPart {
        .head(HTTPRequest(method: .put, scheme: "http", authority: "a", path: "/", headerFields: fields))
    }

    @Test("S1-M3 A request without its body is cut off exactly at its deadline")
    func slowBody() throws {
        let channel = try channel()
        try channel.writeInbound(head([.contentLength: "65536"]))
        channel.read()

        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
        channel.read()
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))

        #expect(!channel.isActive)
        #expect(ends(.slowRequest))
    }

    @Test("S1-M3 After an early response a too long rest of the body ends the connection")
    func rest() throws {
        let channel = try channel()
        try channel.writeInbound(head())
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .unauthorized)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))

        let answer = try #require(try channel.readOutbound(as: HTTPResponsePart.self))
        guard case .head(let response) = answer else {
            Issue.record("The answer has no head.")
            return
        }
        #expect(response.headerFields[.connection] == "close")
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 128 * 1_024)))
        #expect(channel.isActive)
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 1)))

        #expect(!channel.isActive)
        #expect(ends(.restTooLong))
    }

    @Test("S1-M3 After an early response the connection ends when the rest does not arrive")
    func restThatStaysAway() throws {
        let channel = try channel()
        try channel.writeInbound(head([.contentLength: "100"]))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .unauthorized)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))

        channel.embeddedEventLoop.advanceTime(by: .seconds(4))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("S1-M3 A connection with a short rest in time stays open")
    func restThatComes() throws {
        let channel = try channel()
        try channel.writeInbound(head([.contentLength: "100"]))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .unauthorized)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 100)))
        try channel.writeInbound(HTTPRequestPart.end(nil))

        channel.embeddedEventLoop.advanceTime(by: .hours(1))

        #expect(channel.isActive)
        _ = try channel.finish()
    }

    @Test("S1-M3 A response that nobody reads ends its connection")
    func unreadAnswer() throws {
        let channel = try channel()
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()

        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))

        #expect(!channel.isActive)
        #expect(ends(.unreadAnswer))
    }

    @Test("S1-M3 A stream that is read stays open for hours")
    func stream() throws {
        let channel = try channel()
        try channel.writeInbound(head())
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.read()
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))

        for _ in 0..<1_000 {
            try channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(string: ": \n\n")))
            channel.embeddedEventLoop.advanceTime(by: .seconds(15))
        }

        #expect(channel.isActive)
        _ = try channel.finish()
    }

    @Test("S1-M3 An address has a limited number of connections; a closed one frees its place; proxies are not limited")
    func cap() throws {
        let proxies = try #require(TrustedProxies(["198.51.100.7"]))
        let places = ConnectionPlaces(limit: 2, proxies: proxies)
        let first = try channel(places)
        let second = try channel(places)

        let third = try channel(places)
        #expect(first.isActive && second.isActive && !third.isActive)
        #expect(ends(.tooManyOfAddress))
        #expect(try channel(places, from: "192.0.2.2").isActive)

        _ = try second.finish()
        #expect(try channel(places).isActive)
        #expect(try (0..<5).allSatisfy { _ in try channel(places, from: "198.51.100.7").isActive })
    }

    @Test("S1-M3 IPv6 addresses are counted by their /64 blocks")
    func capByBlock() throws {
        let places = ConnectionPlaces(limit: 1, proxies: TrustedProxies())
        let first = try channel(places, from: "2001:db8::1")

        #expect(try !channel(places, from: "2001:db8::2:1").isActive)
        #expect(try channel(places, from: "2001:db8:0:1::1").isActive)
        _ = try first.finish()
    }
}
