import Testing

@testable import ApplePushSimulator

/// How a listener treats its connections, frame by frame.
@Suite(.timeLimit(.minutes(5)))
struct LimitTests {
    private static let violation = "Maximum active streams violated for this endpoint."

    /// Frames that open streams and do not end them.
    private func openings(_ streams: some Sequence<Int32>, _ fixture: SimulatorFixture) -> [Frame] {
        let block = Frame.block(fixture.headers())
        return streams.map { Frame(.headers, flags: 4, stream: $0, payload: block) }
    }

    private func debug(_ frame: Frame?) -> String {
        String(decoding: frame?.payload.dropFirst(8) ?? [], as: UTF8.self)
    }

    @Test("A-07 The other variant answers a stream above the limit with GOAWAY, and the connection ends")
    func refusalByGoAway() async throws {
        try await SimulatorFixture.run({ $0.listener.connections.refusal = .goAway }) { fixture in
            try await RawClient.connect(to: fixture, sending: openings([1, 3], fixture)) { connection in
                let before = try await connection.frames { $0.is(.goAway) }
                let body = Frame(.data, flags: 1, stream: 1, payload: Array(GatewayFixture.alert.utf8))
                try await connection.send([body])
                let after = await connection.rest()

                let goodbye = try #require(before.last)
                #expect(goodbye.number(at: 0) == 1)
                #expect(goodbye.number(at: 4) == 7)
                #expect(debug(goodbye) == Self.violation)
                #expect(after.filter { $0.is(.headers) }.map(\.stream) == [1])
            }
            #expect(fixture.handle.counters().accepted == 1)
        }
    }

    @Test("A-08 A client that continues to open streams above the limit gets GOAWAY with error 7")
    func repeatedViolation() async throws {
        try await SimulatorFixture.run({ $0.listener.connections.refusalsBeforeGoAway = 3 }) { fixture in
            let streams = openings(stride(from: 1, through: 11, by: 2), fixture)
            try await RawClient.connect(to: fixture, sending: streams) { connection in
                let before = try await connection.frames { $0.is(.goAway) }
                let body = Frame(.data, flags: 1, stream: 1, payload: Array(GatewayFixture.alert.utf8))
                try await connection.send([body])
                let after = await connection.rest()

                #expect(before.filter { $0.is(.reset) }.map(\.stream) == [3, 5, 7])
                #expect(before.last?.number(at: 0) == 1)
                #expect(before.last?.number(at: 4) == 7)
                #expect(debug(before.last) == Self.violation)
                #expect(after.filter { $0.is(.headers) }.map(\.stream) == [1])
                #expect(!after.contains { $0.is(.goAway) })
            }
            #expect(fixture.handle.counters().accepted == 1)
        }
    }

    @Test("A-05 A change of the limit is sent to open connections as SETTINGS")
    func changedLimit() async throws {
        try await SimulatorFixture.run { fixture in
            let fields = fixture.headers()
            try await RawClient.connect(to: fixture, sending: Frame.push(1, fields: fields)) { connection in
                let first = try await connection.frames { $0.is(.headers) }
                try fixture.handle.perform(.streamLimit(2), on: .all)
                let changed = try await connection.frames { $0.limit == 2 }
                try await connection.send(openings([3, 5, 7], fixture))
                let refused = try await connection.frames { $0.is(.reset) }

                #expect(first.compactMap(\.limit) == [1, 1000])
                #expect(changed.compactMap(\.limit) == [2])
                #expect(refused.last?.stream == 7)
            }
        }
    }

    @Test("A-05 New connection rules apply to open and new connections")
    func newRules() async throws {
        try await SimulatorFixture.run { fixture in
            let fields = fixture.headers()
            try await RawClient.connect(to: fixture, sending: Frame.push(1, fields: fields)) { connection in
                _ = try await connection.frames { $0.is(.headers) }
                var rules = ConnectionRules()
                rules.streamLimit = 50
                rules.initialStreamLimit = 5
                try fixture.handle.setConnectionRules(rules, of: "main")
                #expect(try await connection.frames { $0.limit != nil }.last?.limit == 50)
            }
            try await RawClient.connect(to: fixture, sending: Frame.push(1, fields: fields)) { connection in
                let frames = try await connection.frames { $0.is(.headers) }
                #expect(frames.compactMap(\.limit) == [5, 50])
            }
            #expect(fixture.handle.listeners().first?.connections.streamLimit == 50)
        }
    }

    @Test("A-56 After a rejection the limit is one, streams in flight are reset, and an acceptance raises it again")
    func humbledLimit() async throws {
        try await SimulatorFixture.run({
            $0.initialStreamLimit = 100
            $0.listener.connections.dropsLimitAfterRejection = true
        }) { fixture in
            let good = fixture.headers()
            let bad = Frame.push(1, fields: fixture.headers(token: "zz"))
            // Stream 3 waits for its body, streams 5 and 7 are whole but come after the rejected one.
            let late = Frame.push(5, fields: good) + Frame.push(7, fields: good)
            let frames = [bad[0]] + openings([3], fixture) + [bad[1]] + late
            try await RawClient.connect(to: fixture, sending: frames) { connection in
                let rejected = try await connection.frames { $0.is(.headers) && $0.stream == 1 }
                let resets = try await connection.resets(3, after: rejected)
                try await connection.send(Frame.push(11, fields: good))
                let restored = try await connection.frames { $0.limit == 1000 }

                #expect(resets == [3, 5, 7])
                #expect(rejected.compactMap(\.limit).last == 1)
                #expect(restored.last?.limit == 1000)
            }
            #expect(fixture.handle.counters().accepted == 1)
            #expect(fixture.handle.counters().rejected == 1)
        }
    }

    @Test("GOAWAY ends a connection after its maximum number of requests, if configured (U-13)")
    func requestLimit() async throws {
        try await SimulatorFixture.run({
            $0.initialStreamLimit = 100
            $0.listener.connections.requestLimit = 3
        }) { fixture in
            let frames = stride(from: Int32(1), through: 9, by: 2).flatMap {
                Frame.push($0, fields: fixture.headers())
            }
            try await RawClient.connect(to: fixture, sending: frames) { connection in
                let rest = await connection.rest()

                let goodbye = try #require(rest.first { $0.is(.goAway) })
                #expect(goodbye.number(at: 0) == 5)
                #expect(goodbye.number(at: 4) == 0)
                #expect(Set(rest.filter { $0.is(.headers) }.map(\.stream)) == [1, 3, 5])
            }
            #expect(fixture.handle.counters().accepted == 3)
        }
    }

    private let ping = Frame(.ping, payload: [UInt8](repeating: 0, count: 8))

    @Test("A-14 A connection that is idle too long gets GOAWAY IdleTimeout, and a busy one does not")
    func idleTimeout() async throws {
        try await SimulatorFixture.run({ $0.listener.connections.idleTimeout = .seconds(60) }) { fixture in
            try await RawClient.connect(to: fixture, sending: Frame.push(1, fields: fixture.headers())) { connection in
                _ = try await connection.frames { $0.is(.headers) }
                await fixture.advanceClock(by: .seconds(59))
                try await connection.send([ping])
                let early = try await connection.frames { $0.is(.ping) }
                await fixture.advanceClock(by: .seconds(59))
                try await connection.send([ping])
                let busy = try await connection.frames { $0.is(.ping) }
                await fixture.advanceClock(by: .seconds(60))
                let rest = await connection.rest()

                let tooEarly = (early + busy).filter { $0.is(.goAway) }
                #expect(tooEarly.isEmpty)
                let goodbye = try #require(rest.last { $0.is(.goAway) })
                #expect(goodbye.number(at: 0) == 1)
                #expect(goodbye.number(at: 4) == 0)
                #expect(debug(goodbye) == #"{"reason":"IdleTimeout"}"#)
            }
        }
    }

    @Test("A-14 A client that waits for an answer is not idle")
    func waitingIsNotIdle() async throws {
        try await SimulatorFixture.run({ $0.listener.connections.idleTimeout = .seconds(60) }) { fixture in
            var fault = Fault(.answer)
            fault.latency = .constant(.seconds(600))
            fixture.handle.inject(fault)
            let frames = Frame.push(1, fields: fixture.headers()) + [ping]
            try await RawClient.connect(to: fixture, sending: frames) { connection in
                _ = try await connection.frames { $0.is(.ping) }
                await fixture.advanceClock(by: .seconds(3600))
                try await connection.send([ping])
                let frames = try await connection.frames { $0.is(.ping) }

                let goodbyes = frames.filter { $0.is(.goAway) }
                #expect(goodbyes.isEmpty)
            }
        }
    }

    @Test("A-12 A delayed WINDOW_UPDATE stalls a client that obeys the window, and then lets it continue")
    func slowWindow() async throws {
        try await SimulatorFixture.run({
            $0.initialStreamLimit = 100
            $0.listener.connections.windowDelay = .milliseconds(50)
        }) { fixture in
            let body = String(repeating: "x", count: 4096)
            // Fifteen bodies fit the first window.
            let frames = stride(from: Int32(1), through: 29, by: 2).flatMap {
                Frame.push($0, fields: fixture.headers(), body: body)
            }
            try await RawClient.connect(to: fixture, sending: frames) { connection in
                let first = try await connection.frames { $0.is(.windowUpdate) && $0.stream == 0 }
                let answers = first.filter { $0.is(.headers) }

                // All answers came before the window was opened again.
                #expect(answers.count == 15)
                #expect(first.last.map { Int($0.number(at: 0)) } ?? 0 > 0)
            }
        }
    }
}

extension Frame {
    /// The limit of streams that a SETTINGS frame announces.
    var limit: UInt32? {
        guard `is`(.settings), flags & 1 == 0 else { return nil }
        return stride(from: 0, to: payload.count, by: 6).first { payload[$0 + 1] == 3 }.map { number(at: $0 + 2) }
    }
}

extension RawClient.Connection {
    /// The streams that are reset, as soon as there are so many, those among frames already read included.
    mutating func resets(_ count: Int, after frames: [Frame]) async throws -> Set<Int32> {
        var streams = Set(frames.filter { $0.is(.reset) }.map(\.stream))
        while streams.count < count, let frame = try await next() {
            if frame.is(.reset) {
                streams.insert(frame.stream)
            }
        }
        return streams
    }
}

extension SimulatorFixture {
    /// Moves the clock, and returns when the connections know.
    func advanceClock(by duration: Duration) async {
        handle.advanceClock(by: duration)
        // Connections are asked after they were told.
        _ = await handle.pushListeners.newestConnections(100)
    }
}
