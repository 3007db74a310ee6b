import Foundation
import Testing

@testable import ApplePushSimulator

/// Several listeners of one simulator, and certificates, as other people's clients see them.
struct ListenerTests {
    /// Runs a simulator that plays both environments at once.
    private func withBoth(body: (SimulatorFixture, SimulatorFixture) async throws -> Void) async throws {
        try await SimulatorFixture.run({
            $0.listener.name = "production"
            var rules = ValidationRules()
            rules.environment = .sandbox
            $0.otherListeners = [ListenerConfiguration(name: "sandbox", rules: rules)]
        }) { fixture in
            try await body(fixture, fixture.at("sandbox"))
        }
    }

    @Test("Two environments share keys and phones, and validate separately")
    func environments() async throws {
        try await withBoth { production, sandbox in
            let token = try production.handle.issueTokens(topic: nil, environment: .sandbox)[0]

            let wrong = try await production.curl(token: token)
            let right = try await sandbox.curl(token: token)

            #expect(wrong.output.hasSuffix(#"{"reason":"BadDeviceToken"}"#))
            #expect(right.output.hasPrefix("HTTP/2 200"))
            #expect(right.output.contains("apns-unique-id"))
            #expect(production.handle.counters().accepted == 1)
            #expect(production.handle.counters().connectionsOpened == 2)
        }
    }

    @Test("A-32 A key for the sandbox is refused only in production")
    func keyOfSandbox() async throws {
        try await withBoth { production, sandbox in
            var key = production.signer.key
            key.environment = .sandbox
            production.handle.addKey(key)

            let refused = try await production.curl()
            let accepted = try await sandbox.curl()

            #expect(refused.output.hasSuffix(#"{"reason":"BadEnvironmentKeyInToken"}"#))
            #expect(accepted.output.hasPrefix("HTTP/2 200"))
        }
    }

    @Test("A-34 A revoked key is refused by all listeners at the next request")
    func revokedKey() async throws {
        try await withBoth { production, sandbox in
            let before = try await sandbox.curl()
            production.handle.revokeKey(production.signer.keyID)
            let after = [try await production.curl(), try await sandbox.curl()]

            #expect(before.output.hasPrefix("HTTP/2 200"))
            #expect(after.allSatisfy { $0.output.hasSuffix(#"{"reason":"InvalidProviderToken"}"#) })
            #expect(production.handle.keys().isEmpty)
        }
    }

    @Test("A fault for one listener does not hit the other")
    func fault() async throws {
        try await withBoth { production, sandbox in
            var fault = Fault(.answer, status: 503, reason: "ServiceUnavailable")
            fault.listener = "sandbox"
            production.handle.inject(fault)

            let accepted = try await production.curl()
            let refused = try await sandbox.curl()

            #expect(accepted.output.hasPrefix("HTTP/2 200"))
            #expect(refused.output.hasPrefix("HTTP/2 503"))
        }
    }

    @Test("A-28 The clock is moved forward, and provider tokens expire")
    func clock() async throws {
        try await SimulatorFixture.run { fixture in
            let before = fixture.handle.now
            fixture.handle.advanceClock(by: .seconds(3601))
            let late = try await fixture.curl()
            fixture.handle.advanceClock(by: .seconds(-3601))
            let back = try await fixture.curl()

            #expect(late.output.hasSuffix(#"{"reason":"ExpiredProviderToken"}"#))
            #expect(back.output.hasPrefix("HTTP/2 200"))
            #expect(fixture.handle.now == before)
        }
    }

    @Test("Refusals have a content type if configured (U-7)")
    func contentType() async throws {
        try await SimulatorFixture.run({ $0.rules.namesContentType = true }) { fixture in
            let refused = try await fixture.curl(token: "zz")
            let accepted = try await fixture.curl()

            #expect(refused.output.contains("\r\ncontent-type: application/json\r\n"))
            #expect(!accepted.output.contains("content-type"))
        }
    }

    @Test("A-57 A-58 A-59 A-62 Channels are managed and broadcast to over HTTP/2")
    func channels() async throws {
        try await SimulatorFixture.run { fixture in
            let created = try await fixture.request(
                "POST",
                "/1/apps/com.example.app/channels",
                ["apns-request-id: 123e4567-e89b-12d3-a456-426614174000"],
                body: #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#
            )
            let channel = try #require(fixture.handle.channels().first?.id)
            let token = try fixture.handle.issueTokens(topic: nil)[0]
            try fixture.handle.subscribe([token], to: channel, of: "com.example.app", in: .production)
            let read = try await fixture.request(
                "GET",
                "/1/apps/com.example.app/channels",
                ["apns-channel-id: \(channel)"]
            )
            let list = try await fixture.request("GET", "/1/apps/com.example.app/all-channels")
            let sent = try await fixture.request(
                "POST",
                "/4/broadcasts/apps/com.example.app",
                [
                    "apns-channel-id: \(channel)", "apns-push-type: Liveactivity", "apns-expiration: 0",
                    "apns-priority: 10",
                ],
                body: #"{"aps":{"timestamp":1,"event":"end"}}"#
            )
            let deleted = try await fixture.request(
                "DELETE",
                "/1/apps/com.example.app/channels",
                ["apns-channel-id: \(channel)"]
            )

            let id = "apns-request-id: 123e4567-e89b-12d3-a456-426614174000"
            #expect(created == "HTTP/2 201 \r\n\(id)\r\napns-channel-id: \(channel)\r\n\r\n")
            #expect(read.hasSuffix(#"{"message-storage-policy":0,"push-type":"LiveActivity"}"#))
            #expect(list.hasSuffix(#"{"channels":["\#(channel)"]}"#))
            #expect(sent.hasPrefix("HTTP/2 200 \r\napns-request-id: "))
            #expect(!sent.contains("apns-id"))
            #expect(deleted.hasPrefix("HTTP/2 204"))
            #expect(fixture.handle.counters().broadcasts == 1)
            #expect(fixture.handle.counters().channelOperations == 4)
        }
    }
}

/// A certificate and its key in files.
struct CertificateFiles {
    var certificate: String
    var key: String
    var pkcs12: String
}

extension SimulatorFixture {
    /// The same simulator, at another of its listeners.
    func at(_ listener: String) -> SimulatorFixture {
        var fixture = self
        fixture.addresses.port = addresses.ports[listener] ?? 0
        return fixture
    }

    func certificate(_ order: ClientCertificateOrder) throws -> CertificateFiles {
        try write(try handle.issueClientCertificate(order, passphrase: "secret"))
    }

    func write(_ certificate: ClientCertificate) throws -> CertificateFiles {
        CertificateFiles(
            certificate: try file("client.pem", certificate.certificatePEM.utf8),
            key: try file("client.key", certificate.privateKeyPEM.utf8),
            pkcs12: try file("client.p12", certificate.pkcs12)
        )
    }

    /// Sends one notification with a certificate and these fields alone.
    func curl(
        with files: CertificateFiles,
        _ fields: [String],
        usesPKCS12: Bool = false
    ) async throws -> Tool.Result {
        let credential =
            usesPKCS12
            ? ["--cert-type", "P12", "--cert", files.pkcs12 + ":secret"]
            : ["--cert", files.certificate, "--key", files.key]
        return try await Tool.curl.run(
            ["-sS", "-i", "--http2", "--cacert", caFile, "-d", GatewayFixture.alert] + credential
                + fields.flatMap { ["-H", $0] } + [url()]
        )
    }

    /// Sends any request with the provider token; tells what curl prints.
    func request(_ method: String, _ path: String, _ fields: [String] = [], body: String? = nil) async throws -> String
    {
        try await Tool.curl.run(
            ["-sS", "-i", "--http2", "--cacert", caFile, "-X", method, "-H", "authorization: bearer \(providerToken)"]
                + fields.flatMap { ["-H", $0] } + (body.map { ["-d", $0] } ?? [])
                + ["https://localhost:\(addresses.port)\(path)"]
        ).output
    }
}
