import Crypto
import Foundation
import Testing

@testable import ApplePushSimulator

struct ControlAPITests {
    @Test("Health, certificate and counters are reported")
    func observation() async throws {
        try await SimulatorFixture.run { fixture in
            _ = try await fixture.curl()

            #expect(try await send("GET", fixture.control("/health")).body == #"{"status":"ok"}"#)
            #expect(
                try await send("GET", fixture.control("/ca.pem")).body == fixture.simulator.certificateAuthorityPEM
            )
            let counters = try await send("GET", fixture.control("/stats"))
            #expect(counters.json["accepted"] as? Int == 1)
            #expect((counters.json["results"] as? [String: Int]) == ["accepted": 1])
            #expect(try await send("POST", fixture.control("/reset")).status == 204)
            #expect(try await send("GET", fixture.control("/stats")).json["accepted"] as? Int == 0)
        }
    }

    @Test("A rule that is null is what it was at the start, and a reset restores all rules if asked for")
    func restoresRules() async throws {
        try await SimulatorFixture.run({ $0.rules.providerTokenChanges = 7 }) { fixture in
            let listener = fixture.control("/listeners/\(fixture.handle.listeners()[0].name)")
            let first = fixture.handle.listeners()[0]
            func change(_ body: String) async throws {
                #expect(try await send("PATCH", listener, body).status == 204)
            }
            try await change(
                #"""
                {"rules":{"deviceTokenRate":{"count":1,"milliseconds":5},"malformedPayloadReason":"PayloadEmpty",
                "topics":["com.example.a"],"providerTokenChanges":1},"connections":{"requestLimit":3,"streamLimit":5}}
                """#
            )
            #expect(fixture.handle.listeners()[0].rules.deviceTokenRate != nil)
            try await change(
                #"""
                {"rules":{"deviceTokenRate":null,"malformedPayloadReason":null,"topics":null,"providerTokenChanges":null},
                "connections":{"requestLimit":null,"streamLimit":null}}
                """#
            )
            #expect(fixture.handle.listeners()[0].rules == first.rules)
            #expect(fixture.handle.listeners()[0].connections == first.connections)

            try await change(#"{"rules":{"topics":["com.example.a"]},"connections":{"streamLimit":5}}"#)
            #expect(try await send("POST", fixture.control("/reset")).status == 204)
            #expect(fixture.handle.listeners()[0].rules.topics == ["com.example.a"])
            #expect(try await send("POST", fixture.control("/reset?rules=yes")).status == 400)
            #expect(try await send("POST", fixture.control("/reset?rules=true")).status == 204)
            #expect(fixture.handle.listeners()[0].rules == first.rules)
            #expect(fixture.handle.listeners()[0].connections == first.connections)
        }
    }

    @Test("An unknown listener's answer has the known names") func namesListeners() async throws {
        try await SimulatorFixture.run { fixture in
            let name = fixture.handle.listeners()[0].name
            for answer in [
                try await send("PATCH", fixture.control("/listeners/nope"), "{}"),
                try await send("POST", fixture.control("/connections/actions"), #"{"listener":"nope","cut":true}"#),
            ] {
                #expect(answer.status == 404)
                #expect(answer.message == "there is no listener of that name; there are \(name)")
            }
        }
    }

    @Test("Issued device tokens are valid in strict mode, for their topic, until they expire")
    func tokens() async throws {
        try await SimulatorFixture.run({ $0.rules.deviceTokens = .strict }) { fixture in
            let issued = try await send(
                "POST",
                fixture.control("/tokens"),
                #"{"topic":"com.example.app","count":2}"#
            )
            let tokens = try #require(issued.json["tokens"] as? [String])
            #expect(tokens.count == 2)
            #expect(tokens.allSatisfy { $0.count == 64 })
            func outcome(_ token: String) async throws -> Substring {
                try await fixture.curl(token: token).output.dropFirst(7).prefix(3)
            }

            #expect(try await outcome(tokens[0]) == "200")
            #expect(try await outcome(GatewayFixture.token) == "400")
            let expiry = try await send(
                "POST",
                fixture.control("/tokens/\(tokens[0])/expire"),
                #"{"timestamp":1234,"reason":"ExpiredToken"}"#
            )
            #expect(expiry.status == 204)
            let gone = try await fixture.curl(token: tokens[0])
            #expect(gone.output.hasSuffix(#"{"reason":"ExpiredToken","timestamp":1234}"#))
            #expect(try await send("POST", fixture.control("/tokens/\(tokens[0])/register")).status == 204)
            #expect(try await outcome(tokens[0]) == "200")

            let phone = try await send("GET", fixture.control("/tokens/\(tokens[0])"))
            #expect(phone.json["accepted"] as? Int == 2)
            #expect(phone.json["topic"] as? String == "com.example.app")
            let counts = try await send("GET", fixture.control("/tokens/counts"))
            #expect(counts.body == #"{"token":"\#(tokens[0])","accepted":2}"# + "\n")
        }
    }

    @Test("Keys are added and removed")
    func keys() async throws {
        try await SimulatorFixture.run({ $0.keys = [] }) { fixture in
            let signer = fixture.signer
            func body(_ name: String, _ pem: String) -> String {
                let pem = pem.replacingOccurrences(of: "\n", with: "\\n")
                return #"{"keyID":"\#(signer.keyID)","teamID":"\#(signer.teamID)","\#(name)":"\#(pem)"}"#
            }
            func status() async throws -> Substring { try await fixture.curl().output.dropFirst(7).prefix(3) }
            let bodies = [
                body("publicKeyPEM", signer.privateKey.publicKey.pemRepresentation),
                body("p8", signer.privateKey.pemRepresentation),
            ]

            for body in bodies {
                let before = try await status()
                let added = try await send("POST", fixture.control("/keys"), body)
                let after = try await status()
                let removed = try await send("DELETE", fixture.control("/keys/\(signer.keyID)"))

                #expect([before, after] == ["403", "200"])
                #expect(added.status == 204 && removed.status == 204)
            }
            let again = try await send("DELETE", fixture.control("/keys/\(signer.keyID)"))
            #expect(again.status == 404)
        }
    }

    @Test("A-63 Received requests are reported with all details")
    func requests() async throws {
        try await SimulatorFixture.run { fixture in
            _ = try await fixture.curl(["-H", "x-mark: 1"])
            _ = try await fixture.curl(["-H", "x-mark: 2"], token: "zz")

            let all = try await send("GET", fixture.control("/requests"))
            let list = try #require(try JSONSerialization.jsonObject(with: Data(all.body.utf8)) as? [[String: Any]])
            #expect(list.map { $0["status"] as? Int } == [200, 400])
            #expect(list.first?["body"] as? String == GatewayFixture.alert)
            #expect(list.first?["keyID"] as? String == fixture.signer.keyID)
            #expect((list.last?["headers"] as? [[String]])?.contains(["x-mark", "2"]) == true)
            #expect(list.compactMap { $0["connection"] as? Int } == [1, 2])
            let one = try await send("GET", fixture.control("/requests?limit=1"))
            #expect(one.body.contains(#"["x-mark","2"]"#))
            #expect(!one.body.contains(#"["x-mark","1"]"#))
        }
    }

    @Test("Faults are added, listed and removed")
    func faults() async throws {
        try await SimulatorFixture.run { fixture in
            let fault = #"{"count":2,"status":503,"reason":"ServiceUnavailable","latencyMilliseconds":1}"#
            let added = try await send("POST", fixture.control("/faults"), fault)
            #expect(added.status == 201)
            #expect(added.json["id"] as? Int == 1)
            #expect(try await fixture.curl().output.contains("ServiceUnavailable"))
            let listed = try await send("GET", fixture.control("/faults"))
            #expect(listed.body.contains(#""count":1"#))
            #expect(try await send("DELETE", fixture.control("/faults/1")).status == 204)
            #expect(try await send("DELETE", fixture.control("/faults/1")).status == 404)
            #expect(try await send("POST", fixture.control("/faults"), fault).json["id"] as? Int == 2)
            #expect(try await send("DELETE", fixture.control("/faults")).status == 204)
            #expect(try await send("GET", fixture.control("/faults")).body == "[]")
            #expect(try await fixture.curl().output.hasPrefix("HTTP/2 200"))
        }
    }

    @Test(
        "An invalid request to the control API is refused with the field's name",
        arguments: [
            ("POST", "/faults", #"{"count":0}"#, 400, "count"), ("POST", "/faults", #"{"status":200}"#, 400, "status"),
            ("POST", "/faults", #"{"percent":0}"#, 400, "percent"),
            ("POST", "/faults", #"{"kind":"explode"}"#, 400, "kind"),
            ("POST", "/faults", #"{"latencyMilliseconds":-1}"#, 400, "latencyMilliseconds"),
            ("POST", "/faults", #"{"token":"zz"}"#, 400, "token"),
            ("POST", "/faults", #"{"reason":"x"}"#, 400, "reason"),
            ("POST", "/faults", #"{"latency":1}"#, 400, "latency"), ("POST", "/faults", "{", 400, "JSON"),
            ("POST", "/faults", "[]", 400, "JSON"), ("POST", "/tokens", #"{"count":0}"#, 400, "count"),
            ("POST", "/tokens", #"{"count":100001}"#, 400, "count"),
            ("POST", "/tokens", #"{"count":"1"}"#, 400, "count"),
            ("POST", "/tokens/zz/expire", "{}", 400, "device token 0"),
            ("GET", "/tokens/zz", "", 400, "device token 0"),
            ("GET", "/tokens/\(GatewayFixture.token)", "", 404, "not known"),
            ("POST", "/keys", #"{"keyID":"a"}"#, 400, "teamID"),
            ("POST", "/keys", #"{"keyID":"a","teamID":"b"}"#, 400, "publicKeyPEM"),
            ("POST", "/keys", #"{"keyID":"a","teamID":"b","p8":"x"}"#, 400, "p8"),
            ("GET", "/requests?limit=0", "", 400, "limit"), ("GET", "/requests?limit=x", "", 400, "limit"),
            ("POST", "/feed", "{}", 400, "tokens"), ("POST", "/feed", #"{"tokens":["00"]}"#, 400, "device token 0"),
            ("POST", "/feed/99/tokens", #"{"tokens":[]}"#, 404, "feed"),
            ("PUT", "/availability", #"{"available":"yes"}"#, 400, "available"),
            ("GET", "/tokens?limit=0", "", 400, "limit"), ("GET", "/tokens?from=-1", "", 400, "from"),
            ("POST", "/connections/actions", "{}", 400, "something to do"),
            ("POST", "/connections/actions", #"{"listner":"x"}"#, 400, "listner: there is no such field; there are"),
            ("POST", "/feed/nope/tokens", #"{"tokens":[]}"#, 404, "no open feed"),
            ("DELETE", "/faults/nope", "", 404, "no fault"),
            ("POST", "/connections/actions", #"{"cut":true,"connection":99}"#, 404, "connection"),
            ("POST", "/connections/actions", #"{"cut":true,"listener":"x"}"#, 404, "listener"),
            ("PATCH", "/listeners/x", "{}", 404, "listener"),
            (
                "PATCH", "/listeners/main", #"{"rules":{"deviceTokenRate":{"count":0}}}"#, 400,
                "rules.deviceTokenRate.count"
            ),
            ("PATCH", "/listeners/main", #"{"connections":{"distanceMilliseconds":10001}}"#, 400, "10000"),
            ("PATCH", "/listeners/main", #"{"port":1}"#, 400, "port"), ("POST", "/certificates", "{}", 400, "topic"),
            ("POST", "/certificates", #"{"topic":"a b"}"#, 400, "certificate"),
            ("POST", "/certificates", #"{"topic":"a","environments":[]}"#, 400, "environments"),
            ("POST", "/clock/advance", "{}", 400, "milliseconds"), ("POST", "/channels", "{}", 400, "bundleID"),
            ("POST", "/channels/subscribe", #"{"bundleID":"a","id":"AA==","tokens":[]}"#, 404, "channel"),
            ("PUT", "/broadcasting/com.example.app", "{}", 400, "enabled"),
            ("DELETE", "/scenario", "", 404, "scenario"),
        ]
    )
    func refusals(_ method: String, _ path: String, _ body: String, _ status: Int, _ named: String) async throws {
        try await SimulatorFixture.run { fixture in
            let answer = try await send(method, fixture.control(path), body)

            #expect(answer.status == status)
            #expect(answer.message?.contains(named) == true, "\(answer.body)")
        }
    }

    @Test("The clock is moved forward, and provider tokens expire")
    func clock() async throws {
        try await SimulatorFixture.run { fixture in
            let before = try await send("GET", fixture.control("/clock")).json["now"] as? Int
            let after = try await send("POST", fixture.control("/clock/advance"), #"{"milliseconds":3601000}"#)
            let outcome = try await fixture.curl()

            #expect(before == 1_800_000_000_000)
            #expect(after.json["now"] as? Int == 1_800_003_601_000)
            #expect(outcome.output.contains("ExpiredProviderToken"))
        }
    }

    @Test("A listener's rules are changed, and missing ones stay")
    func listener() async throws {
        try await SimulatorFixture.run({ $0.rules.topics = ["com.example.app"] }) { fixture in
            let patch = #"{"rules":{"deviceTokens":"strict"},"connections":{"streamLimit":7}}"#
            #expect(try await send("PATCH", fixture.control("/listeners/main"), patch).status == 204)
            let refused = try await fixture.curl()
            let listener = try #require(fixture.handle.listeners().first)

            #expect(refused.output.contains("BadDeviceToken"))
            #expect(listener.rules.topics == ["com.example.app"])
            #expect(listener.connections.streamLimit == 7)
        }
    }

    @Test("A phone is subscribed to a channel, gets a broadcast, and is unsubscribed")
    func channels() async throws {
        try await SimulatorFixture.run { fixture in
            let token = try fixture.handle.issueTokens(topic: nil)[0]
            let made = try await send("POST", fixture.control("/channels"), #"{"bundleID":"com.example.app"}"#)
            let id = try #require(made.json["id"] as? String)
            let body = #"{"bundleID":"com.example.app","id":"\#(id)","tokens":["\#(token)"]}"#
            #expect(try await send("POST", fixture.control("/channels/subscribe"), body).status == 204)
            let subscribed = try await send("GET", fixture.control("/channels"))
            let sent = try await Tool.curl.run([
                "-sS", "-i", "--http2", "--cacert", fixture.caFile,
                "-H", "authorization: bearer \(fixture.providerToken)", "-H", "apns-channel-id: \(id)",
                "-H", "apns-push-type: liveactivity", "-H", "apns-expiration: 0", "-H", "apns-priority: 10",
                "-d", #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#,
                "https://localhost:\(fixture.addresses.port)/4/broadcasts/apps/com.example.app",
            ])
            #expect(try await send("POST", fixture.control("/channels/unsubscribe"), body).status == 204)
            let left = try await send("GET", fixture.control("/channels"))

            #expect(sent.output.hasPrefix("HTTP/2 200"), "\(sent.output)")
            #expect(subscribed.body.contains(#""subscribers":1"#))
            #expect(left.body.contains(#""subscribers":0"#) && left.body.contains(#""broadcasts":1"#))
            let off = try await send("PUT", fixture.control("/broadcasting/com.example.app"), #"{"enabled":false}"#)
            #expect(off.status == 204)
            #expect(try await send("GET", fixture.control("/channels")).body == "[]")
        }
    }

    @Test("Open connections are reported, and cut on command")
    func connections() async throws {
        try await SimulatorFixture.run { fixture in
            try await RawClient.connect(to: fixture) { connection in
                // The simulator's SETTINGS say that the handshake is over.
                #expect(try await connection.next() != nil)
                let told = try await send("GET", fixture.control("/connections"))
                let newest = try #require((told.json["newest"] as? [[String: Any]])?.first)
                #expect(told.json["open"] as? Int == 1)
                #expect(newest["listener"] as? String == "main")
                #expect((newest["peer"] as? String)?.hasPrefix("127.0.0.1:") == true)
                #expect(newest["streamLimit"] as? Int == 1)

                let id = try #require(newest["id"] as? Int)
                let order = #"{"connection":\#(id),"goAway":{"reason":"IdleTimeout"}}"#
                #expect(try await send("POST", fixture.control("/connections/actions"), order).status == 204)
                var goodbye = try await connection.next()
                while let frame = goodbye, !frame.is(.goAway) { goodbye = try await connection.next() }
                let debug = String(decoding: try #require(goodbye).payload.dropFirst(8), as: UTF8.self)
                #expect(debug == #"{"reason":"IdleTimeout"}"#)
                #expect(try await send("POST", fixture.control("/connections/actions"), #"{"cut":true}"#).status == 204)
                while try await connection.next() != nil {}
            }
        }
    }

    @Test("A body beyond the limit is refused")
    func largeBody() async throws {
        try await SimulatorFixture.run { fixture in
            let body = String(repeating: " ", count: ControlAPI.bodyLimit + 1)

            let answer = try await send("POST", fixture.control("/faults"), body)

            #expect(answer.status == 413)
        }
    }
}
