import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import ApplePushSimulator

struct EventTests {
    @Test("A client gets each request and the counters, and continues after a reconnect")
    func events() async throws {
        try await SimulatorFixture.run { fixture in
            var events = try await open(fixture.control("/events"))
            #expect(try await events.next().name == "stats")
            _ = try await fixture.curl()
            _ = try await fixture.curl(token: "zz")

            let first = try await events.next("request")
            #expect(first.id == "1")
            #expect(first.json["token"] as? String == "abababab…abab")
            #expect(first.json["status"] as? Int == 200)
            #expect(first.json["topic"] as? String == "com.example.app")
            let second = try await events.next("request")
            #expect(second.json["reason"] as? String == "BadDeviceToken")

            var later = try await open(fixture.control("/events"), lastEventID: "1")
            let missed = try await later.next()
            #expect(missed.name == "request")
            #expect(missed.id == "2")
            let stats = try await later.next("stats")
            #expect(stats.json["accepted"] as? Int == 1)
        }
    }

    @Test("Requests beyond the limit of a frame are only counted")
    func missed() throws {
        let core = try core()
        var frames = EventFrames(after: 0)
        receive(250, core)

        let next = frames.next(core)
        let frame = try #require(next)

        #expect(frame.hasPrefix("event: missed\ndata: {\"count\":150}\n\n"))
        #expect(frame.components(separatedBy: "event: request\n").count == 101)
        #expect(frame.contains("id: 151\n") && frame.contains("id: 250\n") && !frame.contains("id: 150\n"))
        #expect(frames.next(core) == nil)
        // A number from before a restart is ahead of everything.
        var ahead = EventFrames(after: 99_999)
        #expect(ahead.next(core)?.hasPrefix("event: stats") == true)
    }

    @Test("The number of event streams is limited, and a closed one frees its place")
    func limit() async throws {
        try await SimulatorFixture.run { fixture in
            var configuration = HTTPClient.Configuration()
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Watchers.limit
            let client = HTTPClient(configuration: configuration)
            defer { client.shutdown { _ in } }
            // A response that nobody holds ends its request.
            var watched: [HTTPClientResponse] = []
            for _ in 0..<Watchers.limit {
                let response = try await client.execute(
                    HTTPClientRequest(url: fixture.control("/events")),
                    timeout: .seconds(30)
                )
                #expect(response.status == .ok)
                watched.append(response)
            }
            let refused = try await send("GET", fixture.control("/events"))
            #expect(refused.status == 503)
            #expect(refused.message?.contains("16") == true)

            #expect(watched.count == fixture.simulator.watchers.count)
            watched = []

            let deadline = ContinuousClock.now.advanced(by: .seconds(180))
            var status = refused.status
            while status == 503 {
                try #require(ContinuousClock.now < deadline)
                let response = try await HTTPClient.shared.execute(
                    HTTPClientRequest(url: fixture.control("/events")),
                    timeout: .seconds(30)
                )
                status = Int(response.status.code)
            }
            #expect(status == 200)
        }
    }

    @Test("A client that does not read is disconnected, and costs at most one frame")
    func slowReader() async throws {
        try await SimulatorFixture.run({
            $0.watchPace = Watchers.Pace(interval: .milliseconds(1), patience: .milliseconds(200))
        }) { fixture in
            // The smallest buffers that the system gives, and nobody who takes anything out of them.
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelOption(.autoRead, value: false)
                .channelOption(.socketOption(.so_rcvbuf), value: 4096)
                .connect(host: "127.0.0.1", port: fixture.addresses.controlPort).get()
            // Otherwise the simulator could not stop when this fails.
            defer { channel.close(promise: nil) }
            let request = "GET /page/events HTTP/1.1\r\nhost: localhost\r\n\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: request)).get()

            let deadline = ContinuousClock.now.advanced(by: .seconds(180))
            var hasJoined = false
            let watchers = fixture.simulator.watchers
            while !hasJoined || watchers.count > 0 {
                try #require(ContinuousClock.now < deadline)
                hasJoined = hasJoined || watchers.count > 0
                // Every frame differs from the last, and is large.
                receive(Snapshot.shown, fixture.handle.core, body: Array(repeating: UInt8(ascii: "<"), count: 4000))
                await Task.yield()
            }
        }
    }

    // MARK: - Private

    private func core() throws -> SimulatorCore {
        var configuration = SimulatorConfiguration()
        configuration.rules.providerTokens = .anyKey
        let simulator = try APNsSimulator(
            configuration: configuration,
            clock: ManualWallClock(SimulatedTime(seconds: 1_800_000_000)),
            logger: Logger(label: "test")
        )
        return simulator.handle.core
    }

    private func receive(_ count: Int, _ core: SimulatorCore, body: [UInt8] = Array(GatewayFixture.alert.utf8)) {
        let fields = GatewayFixture().headers()
        for _ in 0..<count {
            let stream = HTTP2Stream()
            stream.open(id: 1)
            stream.request = IncomingRequest(headers: fields, body: body)
            var connection = ConnectionState()
            _ = core.validate([stream], connection: &connection, from: 1, now: core.clock.now)
        }
    }

    private func open(_ url: String, lastEventID: String? = nil) async throws -> Events {
        var request = HTTPClientRequest(url: url)
        if let lastEventID {
            request.headers.add(name: "last-event-id", value: lastEventID)
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        #expect(response.headers.first(name: "content-type") == "text/event-stream")
        return Events(body: response.body.makeAsyncIterator())
    }

    /// One server-sent event.
    private struct Event {
        var name = ""
        var id: String?
        var data = ""

        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(data.utf8))) as? [String: Any] ?? [:]
        }
    }

    /// Reads server-sent events.
    private struct Events {
        var body: HTTPClientResponse.Body.AsyncIterator
        private var pending = ""

        init(body: HTTPClientResponse.Body.AsyncIterator) {
            self.body = body
        }

        /// The next event of a name.
        mutating func next(_ name: String) async throws -> Event {
            while true {
                let event = try await next()
                if event.name == name { return event }
            }
        }

        mutating func next() async throws -> Event {
            while true {
                if let end = pending.range(of: "\n\n") {
                    let block = pending[..<end.lowerBound]
                    pending.removeSubrange(..<end.upperBound)
                    var event = Event()
                    for line in block.split(separator: "\n") {
                        if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
                        if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
                        if line.hasPrefix("data: ") { event.data += line.dropFirst(6) }
                    }
                    if !event.name.isEmpty { return event }
                } else {
                    pending += String(buffer: try #require(try await body.next()))
                }
            }
        }
    }
}
