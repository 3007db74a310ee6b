import NIOCore
import Testing

@testable import ApplePushSimulator

/// What is done to connections on command, and to answers on the way.
@Suite(.timeLimit(.minutes(5)))
struct ActionTests {
    private func debug(_ frame: Frame?) -> String {
        String(decoding: frame?.payload.dropFirst(8) ?? [], as: UTF8.self)
    }

    /// A connection on which one request was answered.
    private func connected(
        _ fixture: SimulatorFixture,
        body: (inout RawClient.Connection) async throws -> Void
    ) async throws {
        try await RawClient.connect(to: fixture, sending: Frame.push(1, fields: fixture.headers())) { connection in
            _ = try await connection.frames { $0.is(.headers) }
            try await body(&connection)
        }
    }

    @Test("A-15 Two GOAWAY frames come in a row")
    func twoGoodbyes() async throws {
        try await SimulatorFixture.run { fixture in
            try await connected(fixture) { connection in
                try fixture.handle.perform(.goAway(Goodbye(count: 2)), on: .all)
                let goodbyes = await connection.rest().filter { $0.is(.goAway) }

                #expect(goodbyes.count == 2)
                #expect(Set(goodbyes.map { $0.number(at: 0) }) == [1])
                #expect(goodbyes.allSatisfy { debug($0) == #"{"reason":"Shutdown"}"# })
            }
        }
    }

    @Test("A-15 GOAWAY may have empty debug data and any code")
    func emptyDebug() async throws {
        try await SimulatorFixture.run { fixture in
            try await connected(fixture) { connection in
                try fixture.handle.perform(.goAway(Goodbye(reason: nil, errorCode: 11)), on: .listener("main"))
                let goodbye = try #require(await connection.rest().first { $0.is(.goAway) })

                #expect(goodbye.payload.count == 8)
                #expect(goodbye.number(at: 4) == 11)
            }
        }
    }

    @Test("A-15 A GOAWAY fault comes twice, empty, with its code")
    func goAwayFault() async throws {
        try await SimulatorFixture.run { fixture in
            var fault = Fault(.goAway, count: 1)
            fault.goAwayCount = 2
            fault.hasEmptyDebug = true
            fault.errorCode = 2
            fixture.handle.inject(fault)
            try await RawClient.connect(to: fixture, sending: Frame.push(1, fields: fixture.headers())) { connection in
                let goodbyes = await connection.rest().filter { $0.is(.goAway) }

                #expect(goodbyes.map(\.payload.count) == [8, 8])
                #expect(goodbyes.map { $0.number(at: 4) } == [2, 2])
                #expect(goodbyes.map { $0.number(at: 0) } == [0, 0])
            }
            #expect(fixture.handle.counters().accepted == 0)
        }
    }

    @Test("A-15 One connection is cut without GOAWAY, by its id")
    func cut() async throws {
        try await SimulatorFixture.run { fixture in
            try await connected(fixture) { connection in
                let open = await fixture.handle.pushListeners.newestConnections(10).reports
                try fixture.handle.perform(.cut, on: .connection(try #require(open.first?.id)))
                let rest = await connection.rest()

                #expect(!rest.contains { $0.is(.goAway) })
            }
            #expect(throws: SimulatorHandle.Failure.unknownConnection) {
                try fixture.handle.perform(.cut, on: .connection(999_999))
            }
            #expect(throws: SimulatorHandle.Failure.unknownListener) {
                try fixture.handle.perform(.cut, on: .listener("none"))
            }
        }
    }

    @Test("A-15 A connection in a black hole reads everything and answers nothing, while others are served")
    func blackHole() async throws {
        try await SimulatorFixture.run { fixture in
            try await connected(fixture) { connection in
                try fixture.handle.perform(.stall(nil), on: .all)
                // Asked after the order, so that it is carried out.
                let reports = await fixture.handle.pushListeners.newestConnections(1).reports
                #expect(reports.map(\.isStalled) == [true])
                try await connection.send(
                    Frame.push(3, fields: fixture.headers()) + [Frame(.ping, payload: [UInt8](repeating: 0, count: 8))]
                )
                try await connected(fixture) { _ in }
                fixture.handle.cutConnections()
                let rest = await connection.rest()

                #expect(!rest.contains { $0.is(.headers) || $0.is(.ping) })
            }
            #expect(fixture.handle.counters().accepted == 2)
        }
    }

    @Test("A paused connection continues where it stopped")
    func pause() async throws {
        try await SimulatorFixture.run({ $0.initialStreamLimit = 10 }) { fixture in
            var fault = Fault(.stall, count: 1)
            fault.latency = .milliseconds(100)
            fixture.handle.inject(fault)
            let frames = Frame.push(1, fields: fixture.headers()) + Frame.push(3, fields: fixture.headers())
            let start = ContinuousClock.now
            try await RawClient.connect(to: fixture, sending: frames) { connection in
                _ = try await connection.frames { $0.is(.headers) && $0.stream == 3 }

                #expect(ContinuousClock.now - start >= .milliseconds(100))
            }
            #expect(fixture.handle.counters().accepted == 2)
        }
    }

    @Test("Open streams are reset on command, and later ones are served")
    func resetStreams() async throws {
        try await SimulatorFixture.run { fixture in
            try await connected(fixture) { connection in
                let block = Frame.block(fixture.headers())
                let half = [3, 5].map { Frame(.headers, flags: 4, stream: $0, payload: block) }
                let ping = Frame(.ping, payload: [UInt8](repeating: 0, count: 8))
                try await connection.send(half + [ping])
                _ = try await connection.frames { $0.is(.ping) }
                try fixture.handle.perform(.resetStreams(8), on: .all)
                let resets = try await connection.resets(2, after: [])
                try await connection.send(Frame.push(7, fields: fixture.headers()))
                let answer = try await connection.frames { $0.is(.headers) }

                #expect(resets == [3, 5])
                #expect(answer.last?.stream == 7)
            }
            #expect(fixture.handle.counters().accepted == 2)
        }
    }

    @Test("A fault changes the limit of streams and answers as usual")
    func limitFault() async throws {
        try await SimulatorFixture.run { fixture in
            var fault = Fault(.streamLimit, count: 1)
            fault.streamLimit = 7
            fixture.handle.inject(fault)
            try await RawClient.connect(to: fixture, sending: Frame.push(1, fields: fixture.headers())) { connection in
                let frames = try await connection.frames { $0.is(.headers) }

                #expect(frames.compactMap(\.limit).last == 7)
            }
            #expect(fixture.handle.counters().accepted == 1)
        }
    }

    @Test("A-55 Delayed responses are sent in the order in which they are due")
    func delayedReplies() {
        var replies = DelayedReplies()
        var random = SplitMix64(state: 3)
        let reply = Reply(id: NotificationID(using: &random))
        let spans = (0..<500).map { _ in Int64(random.next() % 50) }
        for (stream, span) in spans.enumerated() {
            replies.add(reply, on: Int32(stream), due: .uptimeNanoseconds(UInt64(span)))
        }
        var left: [(Int64, Int32)] = []
        while let item = replies.popDue(at: .uptimeNanoseconds(25)) {
            left.append((spans[Int(item.stream)], item.stream))
        }

        #expect(left.count == spans.filter { $0 <= 25 }.count)
        #expect(zip(left, left.dropFirst()).allSatisfy { $0 < $1 })
        #expect(replies.next.map { $0 > .uptimeNanoseconds(25) } == true)
    }

    @Test("The memory of a request with a delayed response is reused by the next one, once")
    func requestMemory() {
        let pool = HTTP2StreamPool()
        let late = pool.acquire()
        late.open(id: 1)
        Array("payload".utf8).withUnsafeBufferPointer { late.request.appendBody($0) }
        pool.giveRequest(of: late)
        let next = pool.acquire()
        #expect(next !== late)
        #expect(next.request.capacity >= 7)
        next.open(id: 3)
        #expect(next.request.body.isEmpty)

        pool.give(late)
        #expect(pool.acquire() === late)
        #expect(late.request.capacity == 0)
    }

    @Test("A slow handshake and a distant client are delayed, and served")
    func slowness() async throws {
        for slow in [\ConnectionRules.handshakeDelay, \ConnectionRules.distance] {
            try await SimulatorFixture.run({ $0.listener.connections[keyPath: slow] = .milliseconds(60) }) { fixture in
                let start = ContinuousClock.now
                try await connected(fixture) { _ in }

                #expect(ContinuousClock.now - start >= .milliseconds(60))
                #expect(fixture.handle.counters().accepted == 1)
            }
        }
    }
}
