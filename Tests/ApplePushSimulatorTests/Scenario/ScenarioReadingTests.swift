import Testing

@testable import ApplePushSimulator

struct ScenarioReadingTests {
    private let listeners = [ListenerConfiguration(name: "main")]

    private func read(_ json: String, canAddListeners: Bool = true) throws(FieldProblem) -> Scenario {
        try Scenario(json: Array(json.utf8), over: listeners, canAddListeners: canAddListeners)
    }

    @Test("A complete scenario is read")
    func whole() throws {
        let scenario = try read(
            #"""
            {
              "name": "a day", "note": "for readers", "seed": 7,
              "listeners": [
                {"name": "main", "rules": {"environment": "production", "deviceTokens": "strict"}},
                {"name": "sandbox", "port": 2195, "rules": {"environment": "sandbox", "generatesLowerCaseIDs": true},
                 "connections": {"streamLimit": 500, "handshakeDelayMilliseconds": 250}}
              ],
              "tokens": [{"count": 3, "topic": "com.example.app", "online": false}],
              "faults": [{"latency": {"kind": "longTailed", "median": 20, "percentile99": 900}}],
              "steps": [
                {"afterRequests": 10, "reasons": {"BadDeviceToken": 2.5, "ServiceUnavailable": 1}},
                {"atMilliseconds": 5000, "removeFaults": true, "goAway": {"reason": "Shutdown"}, "on": "sandbox"}
              ]
            }
            """#
        )

        #expect(scenario.name == "a day")
        #expect(scenario.seed == 7)
        #expect(scenario.listeners.map(\.name) == ["main", "sandbox"])
        #expect(scenario.listeners[1].rules.environment == .sandbox)
        #expect(scenario.listeners[1].rules.generatesLowerCaseIDs)
        #expect(scenario.listeners[1].connections.streamLimit == 500)
        #expect(scenario.listeners[1].connections.handshakeDelay == .milliseconds(250))
        #expect(scenario.tokens == [.init(count: 3, topic: "com.example.app", isOffline: true)])
        #expect(
            scenario.faults.map(\.fault.latency)
                == [.longTailed(median: .milliseconds(20), percentile99: .milliseconds(900))]
        )
        #expect(scenario.steps.count == 2)
        #expect(scenario.steps.map(\.actions.count) == [2, 2])
        guard case .addFault(let order) = scenario.steps[0].actions[0] else {
            Issue.record("no fault")
            return
        }
        #expect([order.fault.status, Int(order.fault.percent ?? 0)] == [400, 2])
        #expect(order.fault.reason == "BadDeviceToken")
    }

    @Test("An empty scenario has no effect")
    func empty() throws {
        #expect(try read("{}").steps.isEmpty)
    }

    @Test(
        "Invalid values are refused, with field and limit",
        arguments: [
            ("[]", "", "JSON object"), ("{", "", "JSON object"), (#"{"nmae":"x"}"#, "nmae", "faults, keys, listeners"),
            (#"{"name":""}"#, "name", "1 through 200"), (#"{"seed":-1}"#, "seed", "from 0"),
            (#"{"seed":1.5}"#, "seed", "whole number"), (#"{"seed":true}"#, "seed", "whole number"),
            (#"{"listeners":[{}]}"#, "listeners[0].name", "missing"),
            (#"{"listeners":[{"name":"a"},{"name":"a"}]}"#, "listeners", "differ"),
            (#"{"listeners":[{"name":"a","port":70000}]}"#, "listeners[0].port", "65535"),
            (
                #"{"listeners":[{"name":"a","rules":{"enviroment":"sandbox"}}]}"#, "listeners[0].rules.enviroment",
                "no such"
            ),
            (
                #"{"listeners":[{"name":"a","rules":{"environment":"dev"}}]}"#, "listeners[0].rules.environment",
                "sandbox"
            ),
            (
                #"{"listeners":[{"name":"a","connections":{"streamLimit":0}}]}"#,
                "listeners[0].connections.streamLimit", "1000000"
            ),
            (#"{"listeners":[{"name":"a","rules":{"order":["topics"]}}]}"#, "listeners[0].rules.order", "topic"),
            (#"{"keys":[{"keyID":"a","teamID":"b"}]}"#, "keys[0]", "publicKeyPEM or p8"),
            (#"{"keys":[{"keyID":"a","teamID":"b","p8":"x"}]}"#, "keys[0].p8", "PEM"),
            (#"{"tokens":[{"count":0}]}"#, "tokens[0].count", "100000"),
            (#"{"tokens":[{"token":"zz"}]}"#, "tokens[0].token", "64 through 512"),
            (#"{"faults":[{"percent":101}]}"#, "faults[0].percent", "up to 100"),
            (
                #"{"faults":[{"latency":{"kind":"uniform","shortest":2,"longest":1}}]}"#, "faults[0].latency.longest",
                "shortest"
            ),
            (#"{"faults":[{"latency":{"kind":"constant"}}]}"#, "faults[0].latency.milliseconds", "missing"),
            (
                #"{"faults":[{"latency":{"kind":"constant","milliseconds":600001}}]}"#,
                "faults[0].latency.milliseconds", "600000"
            ),
            (#"{"faults":[{"kind":"streamLimit"}]}"#, "faults[0].streamLimit", "is required"),
            (#"{"faults":[{"errorCode":7}]}"#, "faults[0].errorCode", "reset or goaway"),
            (#"{"faults":[{"kind":"goaway","goAwayCount":11}]}"#, "faults[0].goAwayCount", "10"),
            (#"{"faults":[{"listener":"x"}]}"#, "faults[0].listener", "no such listener"),
            (#"{"faults":[{"families":[]}]}"#, "faults[0].families", "at least one"),
            (#"{"steps":[{"afterRequest":1,"cut":true}]}"#, "steps[0].afterRequest", "afterRequests"),
            (#"{"steps":[{"cut":true}]}"#, "steps[0]", "afterRequests or atMilliseconds"),
            (#"{"steps":[{"afterRequests":1,"atMilliseconds":1,"cut":true}]}"#, "steps[0]", "either"),
            (#"{"steps":[{"afterRequests":1}]}"#, "steps[0]", "something to do"),
            (#"{"steps":[{"afterRequests":0,"cut":true}]}"#, "steps[0].afterRequests", "from 1"),
            (#"{"steps":[{"atMilliseconds":86400001,"cut":true}]}"#, "steps[0].atMilliseconds", "86400000"),
            (#"{"steps":[{"afterRequests":1,"reasons":{"Bad":1}}]}"#, "steps[0].reasons", "no reason Bad"),
            (
                #"{"steps":[{"afterRequests":1,"reasons":{"BadTopic":60,"Shutdown":41}}]}"#, "steps[0].reasons",
                "at most 100"
            ),
            (#"{"steps":[{"afterRequests":1,"endTokens":{"percent":0}}]}"#, "steps[0].endTokens.percent", "above 0"),
            (#"{"steps":[{"afterRequests":1,"on":"x","cut":true}]}"#, "steps[0].on", "no such listener"),
            (#"{"steps":[{"afterRequests":1,"stallMilliseconds":600001}]}"#, "steps[0].stallMilliseconds", "600000"),
            (
                #"{"steps":[{"afterRequests":1,"goAway":{"emptyDebug":true,"reason":"x"}}]}"#, "steps[0].goAway.reason",
                "emptyDebug"
            ),
            (
                #"{"steps":[{"afterRequests":1,"listeners":[{"name":"main","port":1}]}]}"#,
                "steps[0].listeners[0].port", "while the simulator runs"
            ),
        ]
    )
    func refused(_ json: String, _ field: String, _ wanted: String) {
        do throws(FieldProblem) {
            _ = try read(json)
            Issue.record("was taken")
        } catch {
            #expect(error.field == field)
            #expect(error.wanted.contains(wanted), "\(error)")
        }
    }

    @Test("A running simulator opens no more ports")
    func running() throws {
        #expect(throws: FieldProblem.self) {
            try read(#"{"listeners":[{"name":"sandbox"}]}"#, canAddListeners: false)
        }
        let scenario = try read(#"{"listeners":[{"name":"main"}]}"#, canAddListeners: false)
        #expect(scenario.listeners == listeners)
    }

    @Test("Too large a scenario is refused")
    func size() {
        #expect(throws: FieldProblem.self) { try read(String(repeating: " ", count: Scenario.sizeLimit + 1)) }
    }

    @Test("Deep nesting and unusual JSON are refused without a crash")
    func hostile() {
        for json in [
            String(repeating: "[", count: 100_000), String(repeating: #"{"steps":"#, count: 5000),
            #"{"seed":1e999}"#, #"{"seed":99999999999999999999}"#, #"{"name":"\ud800"}"#, "\u{FEFF}{}x",
        ] {
            #expect(throws: FieldProblem.self) { try read(json) }
        }
    }

    @Test("Steps run in order, and simultaneous ones in the file's order")
    func order() throws {
        let scenario = try read(
            #"""
            {"steps":[
              {"afterRequests":20,"cut":true}, {"afterRequests":5,"registerTokens":true},
              {"atMilliseconds":100,"removeFaults":true}, {"afterRequests":5,"available":false}
            ]}
            """#
        )
        let start = SimulatedTime(seconds: 1000)
        var run = ScenarioRun(scenario, start: start)
        #expect(run.requestsToNext == 5)
        #expect(run.nextTime == start.advanced(by: .milliseconds(100)))
        #expect(run.progress.next == "after 5 requests, or at 100 ms")
        #expect(run.removeSteps(afterFurther: 4).isEmpty)
        let due = run.removeSteps(afterFurther: 1)
        #expect(due.count == 2)
        guard case .registerTokens? = due.first?.actions.first else {
            Issue.record("wrong order")
            return
        }
        #expect(run.removeSteps(at: start.advanced(by: .milliseconds(99))).isEmpty)
        #expect(run.removeSteps(at: start.advanced(by: .seconds(3600))).count == 1)
        #expect(run.requestsToNext == 15)
        #expect(run.nextTime == nil)
        #expect(run.removeSteps(afterFurther: 1000).count == 1)
        #expect(run.progress == ScenarioProgress(name: "scenario", taken: 4, steps: 4, next: nil))
    }
}
