import Testing

@testable import ApplePushSimulator

struct FaultTests {
    @Test("A-54 A fault hits its number of requests")
    func count() {
        var fixture = GatewayFixture()
        fixture.gateway.faults.add(Fault(.answer, count: 2, status: 503, reason: "ServiceUnavailable"))

        #expect(fixture.send() == .refused(503, "ServiceUnavailable"))
        #expect(fixture.send() == .refused(503, "ServiceUnavailable"))
        #expect(fixture.send() == .accepted)
        #expect(fixture.gateway.faults.isEmpty)
        #expect(fixture.gateway.counters.results == ["ServiceUnavailable": 2])
        #expect(fixture.gateway.counters.accepted == 1)
    }

    @Test("A-54 A fault hits its share of requests")
    func percent() {
        var fixture = GatewayFixture()
        var fault = Fault(.answer, status: 500, reason: "InternalServerError")
        fault.percent = 25
        fixture.gateway.faults.add(fault)

        for _ in 0..<4000 {
            fixture.send()
        }

        // Five standard deviations (27) about the expected thousand.
        #expect((863...1137).contains(fixture.gateway.counters.rejected))
    }

    @Test("A-54 A fault for one device token does not hit others")
    func token() {
        var fixture = GatewayFixture()
        var fault = Fault(.answer, status: 500, reason: "InternalServerError")
        fault.token = [UInt8](repeating: 0xCD, count: 32)
        fixture.gateway.faults.add(fault)

        #expect(fixture.send() == .accepted)
        #expect(fixture.send(token: GatewayFixture.otherToken) == .refused(500, "InternalServerError"))
    }

    @Test("A request that Apple would refuse is refused, and not hit by the fault")
    func deservedRefusal() {
        var fixture = GatewayFixture()
        fixture.gateway.faults.add(Fault(.answer, count: 1, status: 500, reason: "InternalServerError"))

        #expect(fixture.send(token: "zz") == .refused(400, "BadDeviceToken"))
        #expect(fixture.send() == .refused(500, "InternalServerError"))
    }

    @Test("A refusal by a fault has the requested timestamp")
    func timestamp() {
        var fixture = GatewayFixture()
        var fault = Fault(.answer, count: 1, status: 410, reason: "Unregistered")
        fault.timestamp = SimulatedTime(milliseconds: 1234)
        fixture.gateway.faults.add(fault)

        let body = fixture.reply().body

        #expect(String(decoding: body, as: UTF8.self) == #"{"reason":"Unregistered","timestamp":1234}"#)
    }

    @Test(
        "A fault without effect accepts nothing, one with effect accepts without a response",
        arguments: [Fault.Kind.reset, .goAway, .close, .stall],
        [false, true]
    )
    func effect(kind: Fault.Kind, takesEffect: Bool) {
        var fixture = GatewayFixture()
        var fault = Fault(kind, count: 1)
        fault.takesEffect = takesEffect
        fixture.gateway.faults.add(fault)

        #expect(!fixture.reply().isAnswered)

        #expect(fixture.gateway.counters.unanswered == 1)
        #expect(fixture.gateway.counters.accepted == (takesEffect ? 1 : 0))
        #expect(fixture.gateway.counters.distinctTokensAccepted == (takesEffect ? 1 : 0))
    }

    @Test("A fault with only a latency accepts with a delay")
    func latency() {
        var fixture = GatewayFixture()
        var fault = Fault(.answer, count: 1)
        fault.latency = .milliseconds(250)
        fixture.gateway.faults.add(fault)

        let reply = fixture.reply()

        #expect(reply.manner == .delayed(.milliseconds(250)))
        #expect(reply.status == 200)
        #expect(fixture.gateway.counters.accepted == 1)
    }

    @Test("Faults are tried in order of addition")
    func order() {
        var fixture = GatewayFixture()
        fixture.gateway.faults.add(Fault(.answer, count: 1, status: 500, reason: "InternalServerError"))
        fixture.gateway.faults.add(Fault(.answer, count: 1, status: 503, reason: "Shutdown"))

        #expect(fixture.send().reason == "InternalServerError")
        #expect(fixture.send().reason == "Shutdown")
        #expect(fixture.send() == .accepted)
    }

    @Test("A-54 Shares of several faults add up")
    func shares() {
        var fixture = GatewayFixture()
        for reason in ["InternalServerError", "ServiceUnavailable"] {
            var fault = Fault(.answer, status: 500, reason: reason)
            fault.percent = 25
            fixture.gateway.faults.add(fault)
        }

        for _ in 0..<4000 {
            fixture.send()
        }

        // Five standard deviations (27) about the expected thousand of each.
        #expect((863...1137).contains(fixture.gateway.counters.results["InternalServerError"] ?? 0))
        #expect((863...1137).contains(fixture.gateway.counters.results["ServiceUnavailable"] ?? 0))
    }

    @Test("A-54 A fault hits only within its time window, on the simulator's clock")
    func timeWindow() {
        var fixture = GatewayFixture()
        var fault = Fault(.answer, status: 503, reason: "ServiceUnavailable")
        fault.start = fixture.now.advanced(by: .seconds(60))
        fault.end = fixture.now.advanced(by: .seconds(120))
        fixture.gateway.faults.add(fault)

        let statuses = (0..<Int64(4)).map { minute in
            fixture.now = SimulatedTime(seconds: 1_800_000_000 + minute * 60)
            return fixture.send().status
        }

        #expect(statuses == [200, 503, 200, 200])
        fixture.gateway.faults.removeEnded(at: fixture.now)
        #expect(fixture.gateway.faults.isEmpty)
    }

    @Test("A fault for one topic does not hit others")
    func topic() {
        var fixture = GatewayFixture()
        var fault = Fault(.answer, status: 500, reason: "InternalServerError")
        fault.topic = "com.example.other"
        fixture.gateway.faults.add(fault)

        #expect(fixture.send() == .accepted)
        #expect(fixture.send(["apns-topic": "com.example.other"]) == .refused(500, "InternalServerError"))
    }

    @Test("A delay and another fault may hit the same request")
    func delayAndRefusal() {
        var fixture = GatewayFixture()
        var delay = Fault(.answer)
        delay.latency = .milliseconds(40)
        fixture.gateway.faults.add(delay)
        fixture.gateway.faults.add(Fault(.answer, count: 1, status: 500, reason: "InternalServerError"))

        let first = fixture.reply()
        let second = fixture.reply()

        #expect(first.status == 500)
        #expect(second.status == 200)
        #expect([first.manner, second.manner] == [.delayed(.milliseconds(40)), .delayed(.milliseconds(40))])
    }

    @Test("A fault is removed by its id, and reports how many requests it hit")
    func identity() {
        var fixture = GatewayFixture()
        let first = fixture.gateway.faults.add(Fault(.answer, status: 500))
        let second = fixture.gateway.faults.add(Fault(.answer, status: 503, reason: "Shutdown"))
        fixture.send()
        fixture.send()

        #expect(fixture.gateway.faults.all.map(\.hits) == [2, 0])
        let wasRemoved = fixture.gateway.faults.remove(id: first)
        #expect(wasRemoved)
        #expect(fixture.send().reason == "Shutdown")
        #expect(fixture.gateway.faults.all.map(\.id) == [second])
    }
}
