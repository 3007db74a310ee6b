import Foundation
import Testing

@testable import ApplePushSimulator

/// Faults as they look on the wire.
struct MisbehaviourTests {
    @Test("A-15 A GOAWAY fault excludes its request and all later ones, and answers the earlier")
    func goAway() async throws {
        try await SimulatorFixture.run({ $0.initialStreamLimit = 100 }) { fixture in
            let fields = fixture.headers()
            var fault = Fault(.goAway, count: 1)
            fault.token = [UInt8](repeating: 0xCD, count: 32)
            fixture.handle.inject(fault)
            let hit = Frame.push(5, fields: fixture.headers(token: GatewayFixture.otherToken))
            let later = Frame.push(7, fields: fields)
            // Stream 7 is open already when stream 5 ends, and ends in the same write.
            let frames =
                Frame.push(1, fields: fields) + Frame.push(3, fields: fields)
                + [hit[0], later[0], hit[1], later[1]] + Frame.push(9, fields: fields)

            try await RawClient.connect(to: fixture, sending: frames) { connection in
                let frames = await connection.rest()

                let goodbye = try #require(frames.first { $0.is(.goAway) })
                #expect(goodbye.number(at: 0) == 3)
                #expect(String(decoding: goodbye.payload[8...], as: UTF8.self) == #"{"reason":"Shutdown"}"#)
                #expect(Set(frames.filter { $0.is(.headers) }.map(\.stream)) == [1, 3])
            }
            #expect(fixture.handle.counters().accepted == 2)
        }
    }

    @Test("A-15 A cut connection ends without GOAWAY, and others are not affected")
    func close() async throws {
        try await SimulatorFixture.run { fixture in
            var fault = Fault(.close, count: 1)
            fault.takesEffect = true
            fixture.handle.inject(fault)

            let cut = try await fixture.curl()
            let next = try await fixture.curl()

            #expect(cut.status != 0)
            #expect(!cut.output.contains("HTTP/2 200"))
            #expect(next.output.hasPrefix("HTTP/2 200"))
            #expect(fixture.handle.counters().accepted == 2)
            while fixture.handle.counters().connectionsOpen > 0 { await Task.yield() }
            #expect(fixture.handle.counters().streamsOpen == 0)
        }
    }

    @Test("A-15 A stalled connection reads everything and answers nothing, including PING")
    func stall() async throws {
        try await SimulatorFixture.run { fixture in
            fixture.handle.inject(Fault(.stall, count: 1))
            try await RawClient.connect(to: fixture, sending: Frame.push(1, fields: fixture.headers())) { connection in
                try await connection.send([Frame(.ping, payload: [UInt8](repeating: 0, count: 8))])
                // It is the first connection's, whose request may be read after it has been sent.
                while !fixture.handle.faults().isEmpty { await Task.yield() }
                // A second connection is answered, so the first had its time.
                _ = try await fixture.curl()
                fixture.handle.cutConnections()

                let frames = await connection.rest()

                #expect(!frames.contains { $0.is(.headers) || $0.is(.ping) && $0.flags == 1 })
            }
            #expect(fixture.handle.counters().unanswered == 1)
            #expect(fixture.handle.counters().accepted == 1)
            while fixture.handle.counters().connectionsOpen > 0 { await Task.yield() }
            #expect(fixture.handle.counters().streamsOpen == 0)
        }
    }

    @Test("A reset fault resets one stream with its code")
    func reset() async throws {
        try await SimulatorFixture.run({ $0.initialStreamLimit = 100 }) { fixture in
            var fault = Fault(.reset, count: 1)
            fault.errorCode = 7
            fixture.handle.inject(fault)
            let fields = fixture.headers()
            let frames = Frame.push(1, fields: fields) + Frame.push(3, fields: fields)
            try await RawClient.connect(to: fixture, sending: frames) { connection in
                let frames = try await connection.frames { $0.is(.headers) }

                #expect(frames.filter { $0.is(.reset) }.map(\.stream) == [1])
                #expect(frames.first { $0.is(.reset) }?.number(at: 0) == 7)
                #expect(frames.last?.stream == 3)
            }
        }
    }

    @Test("A-55 A delayed response is overtaken by others")
    func latency() async throws {
        try await SimulatorFixture.run({ $0.initialStreamLimit = 100 }) { fixture in
            var fault = Fault(.answer, count: 1)
            fault.latency = .milliseconds(50)
            fixture.handle.inject(fault)
            let fields = fixture.headers()
            let frames = Frame.push(1, fields: fields) + Frame.push(3, fields: fields)
            try await RawClient.connect(to: fixture, sending: frames) { connection in
                let first = try await connection.frames { $0.is(.headers) }
                let second = try await connection.frames { $0.is(.headers) }

                #expect(first.last?.stream == 3)
                #expect(second.last?.stream == 1)
            }
        }
    }

    @Test("A simulator without network cuts its clients and accepts no new ones, until it is available")
    func availability() async throws {
        try await SimulatorFixture.run { fixture in
            try await RawClient.connect(to: fixture, sending: Frame.push(1, fields: fixture.headers())) { connection in
                _ = try await connection.frames { $0.is(.headers) }
                fixture.handle.setAvailable(false)

                let rest = await connection.rest()
                #expect(!rest.contains { $0.is(.goAway) })
            }
            let gone = try await fixture.curl()
            fixture.handle.setAvailable(true)
            let back = try await fixture.curl()

            #expect(gone.status != 0)
            #expect(back.output.hasPrefix("HTTP/2 200"))
        }
    }

    @Test("Injected answers look like Apple's")
    func answer() async throws {
        try await SimulatorFixture.run { fixture in
            fixture.handle.inject(Fault(.answer, count: 1, status: 429, reason: "TooManyRequests"))

            let result = try await fixture.curl()

            #expect(result.output.hasPrefix("HTTP/2 429"))
            #expect(result.output.hasSuffix(#"{"reason":"TooManyRequests"}"#))
        }
    }
}
