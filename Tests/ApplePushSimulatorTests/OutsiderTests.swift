import Crypto
import Foundation
import Testing

@testable import ApplePushSimulator

/// Other people's clients of Apple's push service, against the simulator.
struct OutsiderTests {
    /// What aioapns understood of an answer.
    private struct Answer: Hashable {
        var status: String
        var reason: String?
        var timestamp: Int?
    }

    @Test("aioapns sends thousands with a provider token, and all arrive")
    func aioapns() async throws {
        try await run { fixture in
            let tokens = try fixture.handle.issueTokens(topic: "com.example.app", count: 20)
            let answers = try await send(with: fixture, tokens: tokens, also: ["times": 150])

            #expect(answers == [[Answer(status: "200"): 3000]])
            let counters = fixture.handle.counters()
            #expect(counters.accepted == 3000)
            #expect(counters.distinctTokensAccepted == 20)
            #expect(counters.connectionsOpened == 1)
            #expect(counters.distinctProviderTokens == 1)
            #expect(try tokens.allSatisfy { try fixture.handle.phone($0).accepted == 150 })
        }
    }

    @Test("aioapns understands refusals, reasons and timestamps")
    func refusals() async throws {
        try await run({ $0.rules.deviceTokens = .strict }) { fixture in
            let tokens = try fixture.handle.issueTokens(topic: nil, count: 2)
            let other = try fixture.handle.issueTokens(topic: "com.example.other")[0]
            try fixture.handle.expire(tokens[1], timestamp: SimulatedTime(milliseconds: 1_799_999_999_999))
            let unknown = GatewayFixture.token

            let answers = try await send(with: fixture, tokens: [tokens[0], tokens[1], other, unknown])

            #expect(
                answers == [
                    [
                        Answer(status: "200"): 1,
                        Answer(status: "410", reason: "Unregistered", timestamp: 1_799_999_999_999): 1,
                        Answer(status: "400", reason: "DeviceTokenNotForTopic"): 1,
                        Answer(status: "400", reason: "BadDeviceToken"): 1,
                    ]
                ]
            )
        }
    }

    @Test("aioapns gets ExpiredProviderToken, and is accepted on the same connection with a new one")
    func renewal() async throws {
        let ahead = SimulatedTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).advanced(by: .seconds(3700))
        try await run(at: ahead) { fixture in
            let answers = try await send(with: fixture, tokens: [GatewayFixture.token], also: ["laterBy": [0, 3700]])

            #expect(answers.count == 2)
            #expect(answers.first == [Answer(status: "403", reason: "ExpiredProviderToken"): 1])
            #expect(answers.last == [Answer(status: "200"): 1])
            #expect(fixture.handle.counters().connectionsOpened == 1)
        }
    }

    @Test("aioapns sends hundreds with a certificate, also without naming a topic")
    func certificate() async throws {
        try await run { fixture in
            let order = ClientCertificateOrder(topic: "com.example.app", environments: [.production])
            let issued = try fixture.handle.issueClientCertificate(order, passphrase: "")
            let file = try fixture.file("push.pem", (issued.certificatePEM + issued.privateKeyPEM).utf8)
            let tokens = try fixture.handle.issueTokens(topic: "com.example.app", count: 10)

            let answers = try await send(
                with: fixture,
                tokens: tokens,
                credentials: ["certificate": file],
                also: ["times": 50]
            )
            let foreign = try await send(
                with: fixture,
                tokens: tokens,
                credentials: ["certificate": file, "topic": "com.example.other"]
            )

            #expect(answers == [[Answer(status: "200"): 500]])
            #expect(foreign == [[Answer(status: "400", reason: "BadTopic"): 10]])
            #expect(fixture.handle.counters().accepted == 500)
            #expect(fixture.handle.counters().distinctProviderTokens == 0)
        }
    }

    @Test("curl sends hundreds over one connection with many streams")
    func curl() async throws {
        try await SimulatorFixture.run({ $0.initialStreamLimit = 1000 }) { fixture in
            let tokens = try fixture.handle.issueTokens(topic: "com.example.app", count: 300)
            let urls = tokens.map { "url = \"\(fixture.url(token: $0))\"\noutput = \"/dev/null\"" }
            let list = try fixture.file("urls", urls.joined(separator: "\n").utf8)

            let result = try await Tool.curl.run(
                ["-sS", "--http2", "--parallel", "--parallel-max", "50", "--cacert", fixture.caFile]
                    + ["-d", GatewayFixture.alert, "-w", "%{http_code}\\n", "--config", list] + fixture.fields
            )

            #expect(result.output.split(separator: "\n").filter { $0 == "200" }.count == 300)
            let counters = fixture.handle.counters()
            #expect(counters.distinctTokensAccepted == 300)
            // curl opens several before it knows that it could share one.
            #expect(counters.connectionsOpened < 60)
        }
    }

    @Test("h2load sends thousands to thousands of device tokens, and each gets its one")
    func h2load() async throws {
        try await SimulatorFixture.run({
            $0.initialStreamLimit = 1000
            $0.rules.deviceTokens = .strict
        }) { fixture in
            let tokens = try fixture.handle.issueTokens(topic: "com.example.app", count: 4000)
            let list = try fixture.file("urls", tokens.map(fixture.url(token:)).joined(separator: "\n").utf8)
            let body = try fixture.file("body", GatewayFixture.alert.utf8)

            let result = try await Tool.h2load.run(
                ["-n", "4000", "-c", "1", "-m", "200", "-d", body, "-i", list] + fixture.fields
            )

            #expect(result.output.contains("4000 succeeded, 0 failed, 0 errored"))
            #expect(result.output.contains("4000 2xx"))
            #expect(fixture.handle.counters().distinctTokensAccepted == 4000)
            #expect(fixture.handle.acceptedCounts(from: 0).counts.allSatisfy { $0.accepted == 1 })
        }
    }

    // MARK: - Private

    /// Runs a simulator whose clock shows the real time, by which aioapns dates its tokens.
    private func run(
        _ change: (inout SimulatorConfiguration) -> Void = { _ in },
        at time: SimulatedTime = SystemWallClock().now,
        body: (SimulatorFixture) async throws -> Void
    ) async throws {
        try await SimulatorFixture.run(change, at: time, body: body)
    }

    /// Sends with aioapns; `Tests/Programs/aioapns_client.py` says what may be asked of it.
    private func send(
        with fixture: SimulatorFixture,
        tokens: [String],
        also more: [String: Any] = [:]
    ) async throws -> [[Answer: Int]] {
        let key = try fixture.file("key.p8", fixture.signer.privateKey.pemRepresentation.utf8)
        return try await send(
            with: fixture,
            tokens: tokens,
            credentials: ["key": key, "keyID": fixture.signer.keyID, "teamID": fixture.signer.teamID],
            also: more
        )
    }

    private func send(
        with fixture: SimulatorFixture,
        tokens: [String],
        credentials: [String: Any],
        also more: [String: Any] = [:]
    ) async throws -> [[Answer: Int]] {
        var plan: [String: Any] = [
            "port": fixture.addresses.port, "ca": fixture.caFile, "topic": "com.example.app", "tokens": tokens,
        ]
        plan.merge(credentials) { $1 }
        plan.merge(more) { $1 }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = String(decoding: try JSONSerialization.data(withJSONObject: plan), as: UTF8.self)
        let result = try await Tool.run(
            root.appendingPathComponent(".build/aioapns/bin/python"),
            [root.appendingPathComponent("Tests/Programs/aioapns_client.py").path, text]
        )
        #expect(result.status == 0, "\(result.output)")
        return try result.output.split(separator: "\n").map { line in
            let counts = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Int]
            return try Dictionary(
                uniqueKeysWithValues: #require(counts).map { text, count in (try answer(text), count) }
            )
        }
    }

    private func answer(_ text: String) throws -> Answer {
        let parts = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any])
        try #require(parts.count == 3)
        return Answer(
            status: try #require(parts[0] as? String),
            reason: parts[1] as? String,
            timestamp: parts[2] as? Int
        )
    }
}
