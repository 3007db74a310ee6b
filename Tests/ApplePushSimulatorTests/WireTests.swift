import Foundation
import Testing

@testable import ApplePushSimulator

/// The simulator as other people's clients see it.
struct WireTests {
    @Test("A-01 TLS 1.2 and 1.3 are supported, 1.1 is refused")
    func tlsVersions() async throws {
        try await SimulatorFixture.run { fixture in
            let (old, new) = (["--tls-max", "1.2"], ["--tlsv1.3"])
            #expect(try await fixture.curl(old).output.hasPrefix("HTTP/2 200"))
            #expect(try await fixture.curl(new).output.hasPrefix("HTTP/2 200"))
            // Debian's OpenSSL offers TLS 1.1 only at security level 0.
            let refused = try await fixture.curl(
                ["--tlsv1.1", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0"]
            )
            #expect(refused.status == 35, "\(refused.output)")
            #expect(refused.output.contains("alert protocol version"))
        }
    }

    @Test("A-02 A client that offers only HTTP/1.1 gets a closed connection and no status")
    func http1() async throws {
        try await SimulatorFixture.run { fixture in
            let refused = try await fixture.curl(["--http1.1"])

            #expect(refused.status == 52 || refused.status == 56 || refused.status == 35, "\(refused.output)")
            #expect(!refused.output.contains("HTTP/"))
            #expect(try await fixture.curl(["-v"]).output.contains("ALPN: server accepted h2"))
        }
    }

    @Test("A-03 A client certificate is requested, and not required")
    func clientCertificate() async throws {
        try await SimulatorFixture.run { fixture in
            let handshake = try await Tool.openssl.run([
                "s_client", "-connect", "localhost:\(fixture.addresses.port)", "-alpn", "h2", "-CAfile", fixture.caFile,
                "-verify_return_error", "-trace",
            ])

            #expect(handshake.output.contains("CertificateRequest"))
            #expect(handshake.output.contains("Verify return code: 0 (ok)"))
            #expect(try await fixture.curl().output.hasPrefix("HTTP/2 200"))
        }
    }

    @Test("A client that does not trust the authority does not connect")
    func untrusted() async throws {
        try await SimulatorFixture.run { fixture in
            let result = try await Tool.curl.run(["-sS", "--http2", "-d", "{}", fixture.url()])

            #expect(result.status == 60)
        }
    }

    @Test("A-04 A-05 The first SETTINGS has Apple's numbers and one stream, which a good request raises")
    func settings() async throws {
        try await SimulatorFixture.run { fixture in
            let body = try fixture.file("body", GatewayFixture.alert.utf8)
            let result = try await Tool.nghttp.run(
                ["-v", "--no-verify-peer", "-d", body] + fixture.fields + [fixture.url()]
            )

            let settings = result.output.components(separatedBy: "recv SETTINGS frame")
                .dropFirst().filter { !$0.hasPrefix(" <length=0") }
            let first = try #require(settings.first)
            for setting in [
                "SETTINGS_HEADER_TABLE_SIZE(0x01):4096", "SETTINGS_INITIAL_WINDOW_SIZE(0x04):65535",
                "SETTINGS_MAX_FRAME_SIZE(0x05):16384", "SETTINGS_MAX_HEADER_LIST_SIZE(0x06):8000",
                "SETTINGS_MAX_CONCURRENT_STREAMS(0x03):1]",
            ] {
                #expect(first.contains(setting))
            }
            #expect(settings.count == 2)
            #expect(settings.last?.contains("SETTINGS_MAX_CONCURRENT_STREAMS(0x03):1000]") == true)
        }
    }

    @Test("A-05 The limit stays at one until a request is accepted")
    func limitWithoutAuthentication() async throws {
        try await SimulatorFixture.run { fixture in
            let body = try fixture.file("body", GatewayFixture.alert.utf8)
            let result = try await Tool.nghttp.run(["-v", "--no-verify-peer", "-d", body, fixture.url()])

            #expect(result.output.contains(":status: 403"))
            #expect(!result.output.contains("MAX_CONCURRENT_STREAMS(0x03):1000]"))
        }
    }

    @Test("A-19 A-20 A-21 Responses have an apns-id and only fields that Apple's have")
    func answers() async throws {
        try await SimulatorFixture.run { fixture in
            let id = "123e4567-e89b-12d3-a456-426614174000"
            let success = try await fixture.curl(["-H", "apns-id: \(id)"])
            let failure = try await fixture.curl(token: "zz")
            let token = try fixture.handle.issueTokens(topic: nil)[0]
            try fixture.handle.expire(token, timestamp: SimulatedTime(milliseconds: 1_799_999_999_999))
            let gone = try await fixture.curl(token: token)

            #expect(success.output == "HTTP/2 200 \r\napns-id: \(id)\r\n\r\n")
            let lines = failure.output.components(separatedBy: "\r\n")
            #expect(lines.first == "HTTP/2 400 ")
            #expect(lines.count == 4)
            #expect(lines[1].hasPrefix("apns-id: "))
            #expect(lines.last == #"{"reason":"BadDeviceToken"}"#)
            #expect(gone.output.hasPrefix("HTTP/2 410"))
            #expect(gone.output.hasSuffix(#"{"reason":"Unregistered","timestamp":1799999999999}"#))
        }
    }

    @Test("A-22 The sandbox sends an apns-unique-id")
    func sandbox() async throws {
        try await SimulatorFixture.run({ $0.rules.environment = .sandbox }) { fixture in
            let result = try await fixture.curl()

            #expect(result.output.contains("\r\napns-unique-id: "))
        }
    }

    @Test("A-28 The simulator's clock determines the age of a provider token")
    func clock() async throws {
        try await SimulatorFixture.run { fixture in
            fixture.clock.advance(by: .seconds(3601))

            let result = try await fixture.curl()

            #expect(result.output.hasSuffix(#"{"reason":"ExpiredProviderToken"}"#))
        }
    }

    @Test("A-51 A-52 A body over the limit is answered before its end, and the connection continues")
    func largeBody() async throws {
        try await SimulatorFixture.run { fixture in
            let large = try fixture.file("large", repeatElement(UInt8(ascii: "x"), count: 300_000))
            let result = try await Tool.curl.run(
                ["-sS", "-i", "--http2", "--cacert", fixture.caFile] + fixture.fields
                    + ["--data-binary", "@\(large)", fixture.url(), "--next", "-sS", "-i", "--http2"]
                    + ["--cacert", fixture.caFile] + fixture.fields + ["-d", GatewayFixture.alert, fixture.url()]
            )

            #expect(result.output.contains("HTTP/2 413"))
            #expect(result.output.contains(#"{"reason":"PayloadTooLarge"}"#))
            #expect(result.output.contains("HTTP/2 200"))
            #expect(fixture.handle.counters().connectionsOpened == 1)
        }
    }

    @Test("A-64 Connections, streams, bytes and results are counted")
    func counters() async throws {
        try await SimulatorFixture.run({ $0.initialStreamLimit = 1000 }) { fixture in
            let body = try fixture.file("body", GatewayFixture.alert.utf8)
            let result = try await Tool.h2load.run(
                ["-n", "400", "-c", "4", "-m", "10", "-d", body] + fixture.fields + [fixture.url()]
            )
            let counters = fixture.handle.counters()

            #expect(result.output.contains("400 succeeded, 0 failed"))
            #expect(counters.connectionsOpened == 4)
            #expect(counters.streamsOpened == 400)
            #expect((10...40).contains(counters.maxInFlight))
            #expect(counters.results == ["accepted": 400])
            #expect(counters.distinctTokensAccepted == 1)
            #expect(counters.distinctProviderTokens == 1)
            #expect(counters.bytesReceived > 400 * 60)
            #expect(counters.bytesSent > 400 * 30)
        }
    }

    @Test("Several threads serve several connections with correct counts")
    func threads() async throws {
        try await SimulatorFixture.run({
            $0.threads = 3
            $0.initialStreamLimit = 1000
        }) { fixture in
            let body = try fixture.file("body", GatewayFixture.alert.utf8)
            let result = try await Tool.h2load.run(
                ["-n", "3000", "-c", "6", "-m", "20", "-d", body] + fixture.fields + [fixture.url()]
            )

            #expect(result.output.contains("3000 succeeded, 0 failed"))
            #expect(fixture.handle.counters().accepted == 3000)
        }
    }
}
