import Foundation
import Testing

@testable import ApplePushSimulator

/// Scenarios in a simulator that runs.
struct ScenarioRunTests {
    @Test("A counted step runs after exactly its number of requests")
    func counted() async throws {
        try await SimulatorFixture.run({ $0.initialStreamLimit = 1000 }) { fixture in
            let begun = try await send(
                "POST",
                fixture.control("/scenario"),
                #"""
                {"name":"exact","steps":[
                  {"afterRequests":25,"addFaults":[{"status":503,"reason":"ServiceUnavailable","count":5}]},
                  {"afterRequests":40,"revokeKeys":["ABCDE12345"]}
                ]}
                """#
            )
            #expect(begun.status == 201)
            #expect(begun.json["next"] as? String == "after 25 requests")
            let body = try fixture.file("body", GatewayFixture.alert.utf8)
            _ = try await Tool.h2load.run(
                ["-n", "100", "-c", "1", "-m", "10", "-d", body] + fixture.fields + [fixture.url()]
            )

            let results = fixture.handle.counters().results
            #expect(results == ["accepted": 35, "ServiceUnavailable": 5, "InvalidProviderToken": 60])
            let progress = try await send("GET", fixture.control("/scenario"))
            #expect(progress.json["taken"] as? Int == 2)
            _ = fixture.handle.inject(Fault(.answer, count: 3, status: 500, reason: "InternalServerError"))
            fixture.handle.begin(
                try Scenario(
                    json: Array(#"{"faults":[{"status":503,"reason":"ServiceUnavailable"}],"steps":[]}"#.utf8),
                    over: fixture.handle.listeners(),
                    canAddListeners: false
                )
            )
            let own = fixture.handle.inject(Fault(.answer, count: 3, status: 500, reason: "InternalServerError"))
            #expect(fixture.handle.faults().count == 2)
            #expect(try await send("DELETE", fixture.control("/scenario")).status == 204)
            #expect(try await send("GET", fixture.control("/scenario")).status == 404)
            #expect(fixture.handle.faults().map(\.id) == [own])
        }
    }

    @Test("A timed step runs at its time, by a clock that steps do not move")
    func timed() async throws {
        try await SimulatorFixture.run { fixture in
            let json =
                #"{"steps":[{"atMilliseconds":0,"moveClockMilliseconds":7200000},{"atMilliseconds":60000,"available":false}]}"#
            fixture.handle.begin(
                try Scenario(json: Array(json.utf8), over: fixture.handle.listeners(), canAddListeners: false)
            )
            #expect(fixture.handle.now == SimulatedTime(seconds: 1_800_007_200))
            #expect(try await fixture.curl().output.contains("ExpiredProviderToken"))

            fixture.clock.advance(by: .milliseconds(59_999))
            fixture.handle.executeDueSteps()
            #expect(fixture.handle.core.isAvailable)
            fixture.clock.advance(by: .milliseconds(1))
            fixture.handle.executeDueSteps()
            #expect(!fixture.handle.core.isAvailable)
        }
    }

    @Test("Timed steps run without requests")
    func timer() async throws {
        try await SimulatorFixture.run { fixture in
            // The clock stands, so that only what is due at once comes; the timer itself is looked for here.
            let json = #"{"steps":[{"atMilliseconds":1,"available":false}]}"#
            fixture.handle.begin(
                try Scenario(json: Array(json.utf8), over: fixture.handle.listeners(), canAddListeners: false)
            )
            fixture.clock.advance(by: .milliseconds(1))
            let deadline = ContinuousClock.now.advanced(by: .seconds(180))
            while fixture.handle.core.isAvailable {
                try #require(ContinuousClock.now < deadline)
                await Task.yield()
            }
        }
    }

    @Test("An invalid scenario is refused, and the running one continues")
    func wrong() async throws {
        try await SimulatorFixture.run { fixture in
            let good = #"{"name":"good","steps":[{"afterRequests":9,"cut":true}]}"#
            #expect(try await send("POST", fixture.control("/scenario"), good).status == 201)
            for (bad, word) in [
                (#"{"steps":[{}]}"#, "steps[0]"), (#"{"listeners":[{"name":"x"}]}"#, "listeners[0].name"),
            ] {
                let answer = try await send("POST", fixture.control("/scenario"), bad)
                #expect(answer.status == 400)
                #expect(answer.message?.contains(word) == true)
            }
            #expect(try await send("GET", fixture.control("/scenario")).json["name"] as? String == "good")
        }
    }
}
