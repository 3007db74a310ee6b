import Testing

@testable import ApplePushSimulator

/// What the simulator does with frames that no proper client sends, or not in this order.
struct FrameTests {
    @Test("A-07 Streams above the limit are refused without effect, and the connection stays usable")
    func refusedStreams() async throws {
        try await SimulatorFixture.run { fixture in
            let fields = fixture.headers()
            // All in one write, so that the first is not answered before the others are there.
            let opening = stride(from: 1, through: 9, by: 2).map {
                Frame(.headers, flags: 4, stream: $0, payload: Frame.block(fields))
            }
            try await RawClient.connect(to: fixture, sending: opening) { connection in
                let bodies = stride(from: 1, through: 9, by: 2).map {
                    Frame(.data, flags: 1, stream: Int32($0), payload: Array(GatewayFixture.alert.utf8))
                }
                try await connection.send(bodies)
                let first = try await connection.frames { $0.is(.headers) }
                try await connection.send(Frame.push(11, fields: fields))
                let second = try await connection.frames { $0.is(.headers) }

                let resets = first.filter { $0.is(.reset) }
                #expect(resets.map(\.stream) == [3, 5, 7, 9])
                #expect(resets.allSatisfy { $0.number(at: 0) == 7 })
                #expect(first.last?.stream == 1)
                #expect(second.last?.stream == 11)
                #expect(!(first + second).contains { $0.is(.goAway) })
            }
            #expect(fixture.handle.counters().accepted == 2)
            #expect(fixture.handle.counters().streamsRefused == 4)
        }
    }

    @Test("A-09 PING is acknowledged with its own eight bytes")
    func ping() async throws {
        try await SimulatorFixture.run { fixture in
            try await RawClient.connect(to: fixture) { connection in
                let opaque: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
                try await connection.send([Frame(.ping, payload: opaque)])

                let frames = try await connection.frames { $0.is(.ping) }

                #expect(frames.last == Frame(.ping, flags: 1, payload: opaque))
            }
        }
    }

    @Test("A-10 PRIORITY frames have no effect")
    func priority() async throws {
        try await SimulatorFixture.run { fixture in
            let priority = Frame(.priority, stream: 1, payload: [0, 0, 0, 0, 255])
            let frames = [priority] + Frame.push(1, fields: fixture.headers() + [("priority", "u=7")])
            try await RawClient.connect(to: fixture, sending: frames) { connection in
                let answer = try await connection.frames { $0.is(.headers) }

                #expect(answer.last?.stream == 1)
            }
            #expect(fixture.handle.counters().accepted == 1)
        }
    }

    @Test("A-11 Fields may be inserted into the dynamic table or not, referenced, and evicted")
    func compression() async throws {
        try await SimulatorFixture.run { fixture in
            let fields = fixture.headers()
            let authorization = fields.filter { $0.name == "authorization" }
            let others = fields.filter { $0.name != "authorization" }
            let body = Array(GatewayFixture.alert.utf8)
            func push(_ stream: Int32, _ block: [UInt8]) -> [Frame] {
                [
                    Frame(.headers, flags: 4, stream: stream, payload: block),
                    Frame(.data, flags: 1, stream: stream, payload: body),
                ]
            }
            let first = Frame.block(others) + Frame.block(authorization, indexing: ["authorization"])
            try await RawClient.connect(to: fixture, sending: push(1, first)) { connection in
                _ = try await connection.frames { $0.is(.headers) && $0.stream == 1 }
                // Entry 62 is the first of the dynamic table: the provider token.
                try await connection.send(push(3, Frame.block(others) + [0x80 | 62]))
                _ = try await connection.frames { $0.is(.headers) && $0.stream == 3 }
                // An indexed apns-id takes 75 bytes of the table's 4096; a hundred of them push everything else out.
                for number in 0..<Int32(100) {
                    let id = [("apns-id", "123e4567-e89b-12d3-a456-\(426_614_174_000 + Int(number))")]
                    let block = Frame.block(fields) + Frame.block(id, indexing: ["apns-id"])
                    try await connection.send(push(5 + 2 * number, block))
                    _ = try await connection.frames { $0.is(.headers) && $0.stream == 5 + 2 * number }
                }
            }
            #expect(fixture.handle.counters().accepted == 102)
            #expect(fixture.handle.counters().distinctProviderTokens == 1)
        }
    }

    @Test("A-12 Bodies continue past the first window")
    func windows() async throws {
        try await SimulatorFixture.run { fixture in
            let fields = fixture.headers()
            let body = String(repeating: "x", count: 4096)
            try await RawClient.connect(to: fixture) { connection in
                // 100 × 4 KiB is six windows. A sender that minds the window would stall without WINDOW_UPDATE.
                var credit = 65_535
                for number in 0..<Int32(100) {
                    while credit < body.utf8.count {
                        let update = try await connection.frames { $0.is(.windowUpdate) && $0.stream == 0 }
                        credit += Int(try #require(update.last).number(at: 0))
                    }
                    credit -= body.utf8.count
                    try await connection.send(Frame.push(number * 2 + 1, fields: fields, body: body))
                    if number == 0 {
                        _ = try await connection.frames { $0.is(.headers) }
                    }
                }
                _ = try await connection.frames { $0.is(.headers) && $0.stream == 199 }
            }
            #expect(fixture.handle.counters().accepted == 100)
        }
    }

    @Test("A-13 A graceful shutdown sends GOAWAY Shutdown, answers requests in flight, and ignores later ones")
    func gracefulStop() async throws {
        let counters = try await stop()

        #expect(counters.accepted == 2)
    }

    @Test("A header list over 8000 bytes ends its stream, and nothing else")
    func longFields() async throws {
        try await SimulatorFixture.run { fixture in
            let long = fixture.headers() + [("x-long", String(repeating: "a", count: 8000))]
            let frames = Frame.push(1, fields: long) + Frame.push(3, fields: fixture.headers())
            try await RawClient.connect(to: fixture, sending: frames) { connection in
                let frames = try await connection.frames { $0.is(.reset) }
                #expect(frames.last?.stream == 1)
                try await connection.send(Frame.push(5, fields: fixture.headers()))
                #expect(try await connection.frames { $0.is(.headers) }.last?.stream == 5)
            }
            #expect(fixture.handle.counters().accepted == 1)
        }
    }

    @Test("A client that violates HTTP/2 gets GOAWAY and loses only its connection")
    func brokenProtocol() async throws {
        try await SimulatorFixture.run { fixture in
            let dataOnNoStream = Frame(.data, flags: 1, stream: 1, payload: [1])
            try await RawClient.connect(to: fixture, sending: [dataOnNoStream]) { connection in
                let frames = await connection.rest()

                #expect(frames.last?.is(.goAway) == true)
                #expect(frames.last?.number(at: 4) == 1)
            }
            #expect(try await fixture.curl().output.hasPrefix("HTTP/2 200"))
        }
    }

    /// Stops a simulator while one stream is half sent and another comes too late.
    private func stop() async throws -> Counters {
        var counters = Counters()
        try await SimulatorFixture.run { fixture in
            let fields = fixture.headers()
            try await RawClient.connect(to: fixture, sending: Frame.push(1, fields: fields)) { connection in
                _ = try await connection.frames { $0.is(.headers) }
                // PING is answered after the HEADERS before it were read: stream 3 is open then.
                let half = Frame(.headers, flags: 4, stream: 3, payload: Frame.block(fields))
                try await connection.send([half, Frame(.ping, payload: [UInt8](repeating: 0, count: 8))])
                _ = try await connection.frames { $0.is(.ping) }

                fixture.simulator.sendGoAway()
                let goodbye = try await connection.frames { $0.is(.goAway) }
                let body = Frame(.data, flags: 1, stream: 3, payload: Array(GatewayFixture.alert.utf8))
                try await connection.send(Frame.push(5, fields: fields) + [body])
                let rest = await connection.rest()

                let last = try #require(goodbye.last)
                #expect(last.number(at: 0) == 3)
                #expect(last.number(at: 4) == 0)
                #expect(String(decoding: last.payload[8...], as: UTF8.self) == #"{"reason":"Shutdown"}"#)
                #expect(rest.filter { $0.is(.headers) }.map(\.stream) == [3])
            }
            counters = fixture.handle.counters()
        }
        return counters
    }
}
