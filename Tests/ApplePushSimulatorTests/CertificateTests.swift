import Foundation
import Testing

@testable import ApplePushSimulator

/// Clients with certificates.
@Suite(.timeLimit(.minutes(5)))
struct CertificateTests {
    @Test("A-06 A-36 A client with a certificate has the full limit at once and needs no provider token")
    func certificate() async throws {
        try await SimulatorFixture.run { fixture in
            let files = try fixture.certificate(ClientCertificateOrder(topic: "com.example.app"))
            let body = try fixture.file("body", GatewayFixture.alert.utf8)
            let result = try await Tool.nghttp.run(
                ["-v", "--no-verify-peer", "--cert", files.certificate, "--key", files.key, "-d", body, fixture.url()]
            )

            let settings = result.output.components(separatedBy: "recv SETTINGS frame")
                .dropFirst().filter { !$0.hasPrefix(" <length=0") }
            #expect(settings.count == 1)
            #expect(settings.first?.contains("SETTINGS_MAX_CONCURRENT_STREAMS(0x03):1000]") == true)
            #expect(result.output.contains(":status: 200"))
        }
    }

    @Test("A-36 A certificate allows its topic only, whatever authorization says")
    func topics() async throws {
        try await SimulatorFixture.run { fixture in
            let files = try fixture.certificate(ClientCertificateOrder(topic: "com.example.app"))
            let own = try await fixture.curl(with: files, ["authorization: bearer nonsense"])
            let other = try await fixture.curl(with: files, ["apns-topic: com.example.other"])
            let pkcs12 = try await fixture.curl(with: files, [], usesPKCS12: true)

            #expect(own.output.hasPrefix("HTTP/2 200"))
            #expect(other.output.hasSuffix(#"{"reason":"BadTopic"}"#))
            #expect(pkcs12.output.hasPrefix("HTTP/2 200"), "\(pkcs12.output)")
        }
    }

    @Test("A-37 A certificate for several topics requires a topic")
    func severalTopics() async throws {
        try await SimulatorFixture.run { fixture in
            let order = ClientCertificateOrder(topic: "com.example.app", furtherTopics: ["com.example.app.voip"])
            let files = try fixture.certificate(order)

            let unnamed = try await fixture.curl(with: files, [])
            let named = try await fixture.curl(with: files, ["apns-topic: com.example.app.voip"])

            #expect(unnamed.output.hasSuffix(#"{"reason":"MissingTopic"}"#))
            #expect(named.output.hasPrefix("HTTP/2 200"))
        }
    }

    @Test("A-35 A certificate of the other environment gets GOAWAY BadCertificateEnvironment for stream 0")
    func otherEnvironment() async throws {
        try await SimulatorFixture.run { fixture in
            let order = ClientCertificateOrder(topic: "com.example.app", environments: [.sandbox])
            let certificate = try fixture.handle.issueClientCertificate(order, passphrase: "")
            try await RawClient.connect(to: fixture, certificate: certificate) { connection in
                let rest = await connection.rest()

                #expect(rest.first?.limit == 1000)
                let goodbye = try #require(rest.first { $0.is(.goAway) })
                #expect(goodbye.number(at: 0) == 0)
                #expect(goodbye.number(at: 4) == 0)
                let debug = String(decoding: goodbye.payload[8...], as: UTF8.self)
                #expect(debug == #"{"reason":"BadCertificateEnvironment"}"#)
            }
            let files = try fixture.certificate(order)
            let refused = try await fixture.curl(with: files, [])
            #expect(refused.status != 0)
            #expect(fixture.handle.counters().accepted == 0)
        }
    }

    @Test("A certificate of an unknown authority fails the handshake")
    func unknownAuthority() async throws {
        try await SimulatorFixture.run { fixture in
            let stranger = try CertificateAuthority(addresses: [], now: Date())
            let order = ClientCertificateOrder(topic: "com.example.app")
            let certificate = try stranger.issue(order, passphrase: "secret", now: Date())

            let refused = try await fixture.curl(with: try fixture.write(certificate), [])
            #expect(refused.status != 0)
        }
    }

    @Test("A certificate of another authority is accepted when that authority is configured")
    func namedAuthority() async throws {
        let stranger = try CertificateAuthority(addresses: [], now: Date())
        let order = ClientCertificateOrder(topic: "com.example.app")
        let certificate = try stranger.issue(order, passphrase: "secret", now: Date())
        try await SimulatorFixture.run({ $0.clientAuthoritiesPEM = [stranger.pem] }) { fixture in
            let accepted = try await fixture.curl(with: try fixture.write(certificate), [])

            #expect(accepted.output.hasPrefix("HTTP/2 200"), "\(accepted.output)")
        }
    }

    @Test(
        "No certificate is created from properties that Apple's certificates cannot have",
        arguments: [
            ClientCertificateOrder(topic: ""), ClientCertificateOrder(topic: "a b"),
            ClientCertificateOrder(topic: "com.example.app", environments: []),
            ClientCertificateOrder(topic: "com.example.app", validity: .zero),
            ClientCertificateOrder(topic: "com.example.app", furtherTopics: ["\n"]),
        ]
    )
    func badOrder(_ order: ClientCertificateOrder) async throws {
        try await SimulatorFixture.run { fixture in
            let result = Result { try fixture.handle.issueClientCertificate(order, passphrase: "") }
            #expect(throws: SimulatorHandle.Failure.badCertificateOrder) { try result.get() }
        }
    }
}
