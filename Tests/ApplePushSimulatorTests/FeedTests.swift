import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import ApplePushSimulator

struct FeedTests {
    @Test("A feed reports each delivery, accepts more phones, and makes them offline when its client disconnects")
    func feed() async throws {
        try await SimulatorFixture.run { fixture in
            let tokens = try fixture.handle.issueTokens(topic: nil, count: 2)
            var request = HTTPClientRequest(url: fixture.control("/feed"))
            request.method = .POST
            request.body = .bytes(ByteBuffer(string: #"{"tokens":["\#(tokens[0])"]}"#))
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(180))
            let id = try #require(response.headers.first(name: "carillon-feed-id"))
            let added = try await send("POST", fixture.control("/feed/\(id)/tokens"), #"{"tokens":["\#(tokens[1])"]}"#)
            #expect(added.status == 204)

            var lines = Lines(body: response.body.makeAsyncIterator())
            _ = try await fixture.curl(["-H", "apns-collapse-id: c1"], token: tokens[0])
            let first = try await lines.next()
            _ = try await fixture.curl(token: tokens[1])
            let second = try await lines.next()

            #expect(first["token"] as? String == tokens[0])
            #expect(first["collapseID"] as? String == "c1")
            #expect(first["topic"] as? String == "com.example.app")
            #expect(first["pushType"] as? String == "alert")
            #expect(first["priority"] as? Int == 10)
            #expect(first["at"] as? Int == 1_800_000_000_000)
            #expect((first["payload"] as? [String: Any])?["aps"] as? [String: String] == ["alert": "Hello"])
            #expect(second["token"] as? String == tokens[1])
            #expect(try fixture.handle.phone(tokens[0]).isOnline)

            try fixture.handle.closeFeed(#require(Int(id)))
            #expect(try await lines.isAtEnd())
            #expect(try !fixture.handle.phone(tokens[0]).isOnline)
        }
    }

    @Test("A reconnected client gets the stored notifications of its phones")
    func comeBack() async throws {
        try await SimulatorFixture.run { fixture in
            let token = try fixture.handle.issueTokens(topic: nil)[0]
            let first = try await openFeed(fixture, token)
            fixture.handle.closeFeed(first.id)
            try await poll { try !fixture.handle.phone(token).isOnline }

            _ = try await fixture.curl(token: token)
            var lines = try await openFeed(fixture, token).lines

            #expect(try await lines.next()["token"] as? String == token)
        }
    }

    @Test("The phones of a disconnected client are offline")
    func disconnect() async throws {
        try await SimulatorFixture.run { fixture in
            let token = try fixture.handle.issueTokens(topic: nil)[0]
            let client = HTTPClient()
            var request = HTTPClientRequest(url: fixture.control("/feed"))
            request.method = .POST
            request.body = .bytes(ByteBuffer(string: #"{"tokens":["\#(token)"]}"#))
            let response = try await client.execute(request, timeout: .seconds(180))
            #expect(try fixture.handle.phone(token).isOnline)

            try await client.shutdown()
            _ = response

            try await poll { try !fixture.handle.phone(token).isOnline }
        }
    }

    /// Follows one phone; it is online when this returns.
    private func openFeed(_ fixture: SimulatorFixture, _ token: String) async throws -> (id: Int, lines: Lines) {
        var request = HTTPClientRequest(url: fixture.control("/feed"))
        request.method = .POST
        // The simulator ends the connection with the feed; the next request must not be tried on it.
        request.headers.add(name: "connection", value: "close")
        request.body = .bytes(ByteBuffer(string: #"{"tokens":["\#(token)"]}"#))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(180))
        let id = try #require(response.headers.first(name: "carillon-feed-id").flatMap(Int.init))
        return (id, Lines(body: response.body.makeAsyncIterator()))
    }

    @Test("The first notification of a token that was issued offline is stored")
    func offline() async throws {
        try await SimulatorFixture.run { fixture in
            let issued = try await send("POST", fixture.control("/tokens"), #"{"online":false}"#)
            let token = try #require((issued.json["tokens"] as? [String])?.first)

            _ = try await fixture.curl(token: token)

            let phone = try await send("GET", fixture.control("/tokens/\(token)"))
            #expect((phone.json["stored"] as? [String: Any])?["token"] as? String == token)
            #expect((phone.json["screen"] as? [Any])?.isEmpty == true)
        }
    }

    /// Waits for a condition, for half a minute at most.
    private func poll(_ condition: () throws -> Bool) async throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(180))
        while try !condition() {
            try #require(ContinuousClock.now < deadline)
            await Task.yield()
        }
    }

    /// The lines of a feed.
    private struct Lines {
        var body: HTTPClientResponse.Body.AsyncIterator
        private var pending = ByteBuffer()

        init(body: HTTPClientResponse.Body.AsyncIterator) {
            self.body = body
        }

        mutating func next() async throws -> [String: Any] {
            while true {
                if let end = pending.readableBytesView.firstIndex(of: 0x0A) {
                    let line = pending.readSlice(length: end - pending.readerIndex + 1) ?? ByteBuffer()
                    return try #require(
                        try JSONSerialization.jsonObject(with: Data(line.readableBytesView)) as? [String: Any]
                    )
                }
                pending.writeImmutableBuffer(try #require(try await body.next()))
            }
        }

        mutating func isAtEnd() async throws -> Bool {
            let next = try await body.next()
            return pending.readableBytes == 0 && next == nil
        }
    }
}

extension SimulatorHandle {
    fileprivate func closeFeed(_ id: Int) {
        close(FeedID(rawValue: id))
    }
}
