import Foundation
import Testing

@testable import ApplePushSimulator

/// The scenarios that are shipped as examples, each run.
struct ExampleScenarioTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Examples/Scenarios")

    private static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(name + ".json")))
    }

    /// Runs a simulator with an example from its start.
    private func run(
        _ name: String,
        signer: TestSigner = TestSigner(),
        body: (SimulatorFixture) async throws -> Void
    ) async throws {
        let json = try Self.bytes(name)
        var configuration = SimulatorConfiguration()
        configuration.listener.name = "production"
        // h2load opens all its streams at once.
        configuration.initialStreamLimit = 1000
        let scenario = try Scenario(json: json, over: configuration.listeners, canAddListeners: true)
        try await SimulatorFixture.run(
            { [configuration] in
                $0.listener = configuration.listener
                $0.add(scenario)
            },
            signer: signer,
            body: body
        )
    }

    /// Sends with h2load, and says how many answers had a status of 200 through 299.
    private func load(_ fixture: SimulatorFixture, _ count: Int, _ more: [String] = []) async throws -> Tool.Result {
        let body = try fixture.file("body", GatewayFixture.alert.utf8)
        return try await Tool.h2load.run(
            ["-n", "\(count)", "-c", "1", "-m", "20", "-d", body] + more + fixture.fields + [fixture.url()]
        )
    }

    @Test("Every example is a valid scenario, and there are seven")
    func all() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
            $0.hasSuffix(".json")
        }
        #expect(names.count == 7)
        for name in names {
            let listeners = [ListenerConfiguration(name: "production")]
            let json = try Self.bytes(String(name.dropLast(5)))
            _ = try Scenario(json: json, over: listeners, canAddListeners: true)
        }
    }

    @Test("Slow network: responses take a round trip longer, and many streams compensate")
    func slowNetwork() async throws {
        try await run("slow-network") { fixture in
            let start = ContinuousClock.now
            let single = try await load(fixture, 1)
            let lonely = ContinuousClock.now - start
            let many = try await load(fixture, 60)
            let together = ContinuousClock.now - start - lonely

            #expect(single.output.contains("1 succeeded"))
            #expect(many.output.contains("60 succeeded"))
            // The handshake and the request each take a round trip, and the handshake begins late.
            #expect(lonely >= .milliseconds(700))
            #expect(together < lonely * 30)
        }
    }

    @Test("A bad day: errors, few streams, refused streams and GOAWAY, then normal operation")
    func badDay() async throws {
        try await run("bad-day") { fixture in
            _ = try await load(fixture, 390)
            let reasons = fixture.handle.counters().results
            #expect(reasons["ServiceUnavailable", default: 0] > 0)
            #expect(reasons["InternalServerError", default: 0] > 0)
            #expect(fixture.handle.scenarioProgress()?.taken == 1)
            // What the streams are reset for, and left out, never comes to an answer; so more is sent than is counted.
            let deadline = ContinuousClock.now.advanced(by: .seconds(180))
            while fixture.handle.scenarioProgress()?.next != nil {
                try #require(ContinuousClock.now < deadline)
                _ = try await load(fixture, 200)
            }
            #expect(fixture.handle.scenarioProgress()?.taken == 5)
            #expect(fixture.handle.faults().isEmpty)
            let last = try await load(fixture, 100)
            #expect(last.output.contains("100 succeeded"))
        }
    }

    @Test("Key revoked: after 500 requests the provider token is invalid")
    func keyRevoked() async throws {
        var signer = TestSigner()
        signer.keyID = "SIMKEY0001"
        try await run("key-revoked", signer: signer) { fixture in
            let result = try await load(fixture, 700)

            #expect(result.output.contains("500 succeeded, 200 failed"), "\(result.output)")
            #expect(fixture.handle.counters().results == ["accepted": 500, "InvalidProviderToken": 200])
        }
    }

    @Test("Mass uninstall: two in five device tokens are invalid, and the same in every run")
    func massUninstall() async throws {
        try await run("mass-uninstall") { fixture in
            let (tokens, next) = fixture.handle.issuedTokens(from: 0, limit: 1000)
            #expect(tokens.count == 500)
            #expect(next == nil)
            let list = try fixture.file("urls", tokens.map(fixture.url(token:)).joined(separator: "\n").utf8)
            let body = try fixture.file("body", GatewayFixture.alert.utf8)
            let arguments = ["-n", "500", "-c", "1", "-m", "1", "-d", body, "-i", list] + fixture.fields
            let before = try await Tool.h2load.run(arguments)
            let after = try await Tool.h2load.run(arguments)

            #expect(before.output.contains("500 succeeded"))
            #expect(!after.output.contains("500 succeeded"))
            let dead = try tokens.filter { try fixture.handle.phone($0).unregisteredSince != nil }
            #expect((150...250).contains(dead.count))
            #expect(fixture.handle.counters().results["Unregistered"] == dead.count)
        }
    }

    @Test("Provider tokens renewed too often: a second change within 20 minutes is refused, over all connections")
    func providerTokens() async throws {
        try await run("provider-tokens") { fixture in
            func outcome(_ token: String) async throws -> String {
                try await Tool.curl.run([
                    "-sS", "-i", "--http2", "--cacert", fixture.caFile, "-d", GatewayFixture.alert,
                    "-H", "authorization: bearer \(token)", "-H", "apns-topic: com.example.app", fixture.url(),
                ]).output
            }
            let tokens = (0..<3).map { fixture.signer.token(issuedAt: 1_800_000_000 - $0) }

            var outcomes: [String] = []
            for token in tokens { outcomes.append(try await outcome(token)) }
            #expect(outcomes[0].hasPrefix("HTTP/2 200"))
            #expect(outcomes[1].hasPrefix("HTTP/2 200"))
            #expect(outcomes[2].contains("TooManyProviderTokenUpdates"))
            fixture.clock.advance(by: .seconds(1201))
            let later = try await outcome(tokens[2])
            #expect(later.hasPrefix("HTTP/2 200"))
        }
    }

    @Test("Black hole: the connection stops answering, and a new one works")
    func blackHole() async throws {
        try await run("black-hole") { fixture in
            let swallowed = try await load(fixture, 300, ["--connection-inactivity-timeout", "2s"])
            let fresh = try await fixture.curl()

            #expect(!swallowed.output.contains("300 succeeded"))
            #expect(fresh.output.hasPrefix("HTTP/2 200"))
            #expect(fixture.handle.counters().accepted >= 101)
        }
    }

    @Test("Both environments: a device token of one is refused by the other")
    func twoEnvironments() async throws {
        try await run("two-environments") { fixture in
            let tokens = fixture.handle.issuedTokens(from: 0, limit: 10).tokens
            #expect(tokens.map { $0.suffix(2) } == ["aa", "bb"])
            let ports = fixture.addresses.ports
            func outcome(_ token: String, at environment: String) async throws -> String {
                let port = try #require(ports[environment])
                return try await Tool.curl.run(
                    ["-sS", "-i", "--http2", "--cacert", fixture.caFile, "-d", GatewayFixture.alert] + fixture.fields
                        + ["https://localhost:\(port)/3/device/\(token)"]
                ).output
            }

            let production = try await outcome(tokens[0], at: "production")
            let sandbox = try await outcome(tokens[1], at: "sandbox")
            #expect(production.hasPrefix("HTTP/2 200") && !production.contains("apns-unique-id"))
            #expect(sandbox.hasPrefix("HTTP/2 200") && sandbox.contains("apns-unique-id"))
            let exchanged = [
                try await outcome(tokens[0], at: "sandbox"), try await outcome(tokens[1], at: "production"),
            ]
            #expect(exchanged.allSatisfy { $0.contains("BadDeviceToken") })
        }
    }
}
