import Foundation
import Testing

@testable import ApplePushSimulator

/// The requests of widely used clients, in the form that their sources give them: the provider token's members with their
/// order, types, blanks, padding and form of signature, and the fields with their order.
struct ClientFormTests {
    /// What one client sends.
    struct Form: CustomTestStringConvertible, Sendable {
        var client: String
        var header: String
        var claims: String
        var signature = TestSigner.SignatureForm.raw
        var isPadded = false
        /// `TOKEN` stands for the device token, `JWT` for the provider token.
        var fields: [[String]]

        var testDescription: String { client }
    }

    @Test("A request of a well-known client is accepted in its own form", arguments: forms)
    func accepted(_ form: Form) {
        var fixture = GatewayFixture()
        #expect(status(form, &fixture) == .accepted)
    }

    @Test("A request of a well-known client is refused when a member of its provider token is wrong", arguments: forms)
    func refused(_ form: Form) {
        for (member, other) in [("ABCDE12345", "OTHERKEY00"), ("TEAM567890", "OTHERTEAM0"), ("ES256", "HS256")] {
            var fixture = GatewayFixture()
            var changed = form
            changed.header = form.header.replacingOccurrences(of: member, with: other)
            changed.claims = form.claims.replacingOccurrences(of: member, with: other)
            #expect(status(changed, &fixture) == .refused(403, "InvalidProviderToken"), "\(member)")
        }
        var fixture = GatewayFixture()
        var late = form
        late.claims = form.claims.replacingOccurrences(of: "1800000000", with: "1799990000")
        #expect(status(late, &fixture) == .refused(403, "ExpiredProviderToken"))
    }

    @Test("The forms are those of seven clients")
    func clients() {
        #expect(Set(Self.forms.compactMap { $0.client.split(separator: " ").first }).count == 7)
    }

    private func status(_ form: Form, _ fixture: inout GatewayFixture) -> GatewayFixture.Outcome {
        let token = fixture.signer.token(header: form.header, claims: form.claims, form: form.signature) { data in
            // Of the two alphabets, .NET's `Convert.ToBase64String` uses the standard one.
            form.isPadded ? data.base64EncodedString() : TestSigner.base64URL(data)
        }
        let fields = form.fields.map { field in
            let value = field[1].replacingOccurrences(of: "TOKEN", with: GatewayFixture.token)
            return (name: field[0], value: value.replacingOccurrences(of: "JWT", with: token))
        }
        var request = IncomingRequest(headers: fields, body: Array(GatewayFixture.alert.utf8))
        let reply = fixture.gateway.receive(
            &request,
            connection: &fixture.connection,
            from: Gateway.Origin(connection: 1, stream: 1),
            now: fixture.now
        )
        return GatewayFixture.Outcome(status: reply.status, reason: reply.reason)
    }
}

extension ClientFormTests {
    private static let id = "1f0c5d9a-3b52-4a7e-9d5e-0a8f6f1f6f10"

    static let forms = [
        // swift-server-community/APNSwift: APNSAuthenticationTokenManager.swift, APNSClient.swift.
        Form(
            client: "APNSwift 5 and 6",
            header: "{\n    \"alg\": \"ES256\",\n    \"typ\": \"JWT\",\n    \"kid\": \"ABCDE12345\"\n}",
            claims: "{\n    \"iss\": \"TEAM567890\",\n    \"iat\": \"1800000000\",\n    \"kid\": \"ABCDE12345\"\n}",
            fields: [
                [":method", "POST"], [":path", "/3/device/TOKEN"], [":authority", "localhost"], [":scheme", "https"],
                ["content-type", "application/json"], ["user-agent", "APNS/swift-nio"], ["apns-push-type", "alert"],
                ["apns-id", id], ["apns-expiration", "0"], ["apns-priority", "10"], ["apns-topic", "com.example.app"],
                ["apns-collapse-id", "match-7"], ["authorization", "bearer JWT"], ["content-length", "58"],
            ]
        ),
        // jchambers/pushy: AuthenticationToken.java (Java signs in DER), ApnsClientHandler.java.
        Form(
            client: "pushy",
            header: #"{"alg":"ES256","typ":"JWT","kid":"ABCDE12345"}"#,
            claims: #"{"iss":"TEAM567890","iat":1800000000}"#,
            signature: .der,
            fields: [
                [":method", "POST"], [":authority", "localhost"], [":path", "/3/device/TOKEN"], [":scheme", "https"],
                ["apns-expiration", "0"], ["apns-collapse-id", "match-7"], ["apns-priority", "10"],
                ["apns-push-type", "alert"], ["apns-topic", "com.example.app"], ["apns-id", id],
                ["authorization", "bearer JWT"],
            ]
        ),
        // sideshow/apns2: token/token.go (Go sorts members by name), client.go.
        Form(
            client: "apns2",
            header: #"{"alg":"ES256","kid":"ABCDE12345"}"#,
            claims: #"{"iat":1800000000,"iss":"TEAM567890"}"#,
            fields: [
                [":authority", "localhost"], [":method", "POST"], [":path", "/3/device/TOKEN"], [":scheme", "https"],
                ["authorization", "bearer JWT"], ["content-type", "application/json; charset=utf-8"],
                ["apns-topic", "com.example.app"], ["apns-push-type", "alert"], ["content-length", "58"],
                ["accept-encoding", "gzip"], ["user-agent", "Go-http-client/2.0"],
            ]
        ),
        // parse-community/node-apn: credentials/token/prepare.js with jsonwebtoken, client.js, notification/index.js. It
        // leaves out priority 10, and the push type unless it is set.
        Form(
            client: "node-apn",
            header: #"{"alg":"ES256","typ":"JWT","kid":"ABCDE12345"}"#,
            claims: #"{"iat":1800000000,"iss":"TEAM567890"}"#,
            fields: [
                [":scheme", "https"], [":method", "POST"], [":authority", "localhost"], [":path", "/3/device/TOKEN"],
                ["apns-priority", "5"], ["apns-expiration", "1800003600"], ["apns-topic", "com.example.app"],
                ["authorization", "bearer JWT"],
            ]
        ),
        // Fatal1ty/aioapns: connection.py with PyJWT 2, which sorts the header. It sends `host`, and no `:authority`.
        Form(
            client: "aioapns",
            header: #"{"alg":"ES256","kid":"ABCDE12345","typ":"JWT"}"#,
            claims: #"{"iss":"TEAM567890","iat":1800000000}"#,
            fields: [
                [":method", "POST"], [":scheme", "https"], [":path", "/3/device/TOKEN"], ["host", "localhost"],
                ["apns-id", id], ["apns-topic", "com.example.app"], ["apns-expiration", "1800003600"],
                ["apns-priority", "10"], ["apns-collapse-id", "match-7"], ["apns-push-type", "alert"],
                ["authorization", "bearer JWT"],
            ]
        ),
        // Pr0Ger/PyAPNs2: credentials.py with PyJWT 1 (the time has a fraction), client.py. No push type.
        Form(
            client: "PyAPNs2",
            header: #"{"typ":"JWT","alg":"ES256","kid":"ABCDE12345"}"#,
            claims: #"{"iss":"TEAM567890","iat":1800000000.2517128}"#,
            fields: [
                [":method", "POST"], [":scheme", "https"], [":authority", "localhost"], [":path", "/3/device/TOKEN"],
                ["apns-topic", "com.example.app"], ["apns-priority", "5"], ["apns-expiration", "0"],
                ["authorization", "bearer JWT"], ["apns-collapse-id", "match-7"],
            ]
        ),
        // alexalok/dotAPNS: ApnsClient.cs. Base64 of the standard alphabet, with padding.
        Form(
            client: "dotAPNS",
            header: #"{"alg":"ES256","kid":"ABCDE12345"}"#,
            claims: #"{"iss":"TEAM567890","iat":1800000000}"#,
            isPadded: true,
            fields: [
                [":method", "POST"], [":scheme", "https"], [":authority", "localhost"], [":path", "/3/device/TOKEN"],
                ["apns-priority", "10"], ["apns-push-type", "alert"], ["apns-topic", "com.example.app"],
                ["authorization", "bearer JWT"], ["apns-expiration", "0"], ["apns-collapse-id", "match-7"],
                ["content-type", "application/json; charset=utf-8"], ["content-length", "58"],
            ]
        ),
    ]
}
