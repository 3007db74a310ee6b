import Foundation
import Testing

@testable import ApplePushSimulator

struct AuthenticationValidationTests {
    @Test(
        "A-24 Without a bearer token, MissingProviderToken precedes other reasons",
        arguments: [nil, "", "bearer", "bearer ", "basic abc", "Token abc", "bearerabc"] as [String?]
    )
    func missingToken(_ authorization: String?) {
        var fixture = GatewayFixture()

        let outcome = fixture.send(["authorization": authorization, "apns-topic": nil, ":path": "/3/device/zz"])

        #expect(outcome == .refused(403, "MissingProviderToken"))
    }

    @Test("A-25 The scheme is case-insensitive", arguments: ["bearer", "Bearer", "BEARER"])
    func scheme(_ scheme: String) {
        var fixture = GatewayFixture()

        #expect(fixture.send(["authorization": "\(scheme) \(fixture.providerToken)"]) == .accepted)
    }

    @Test(
        "A time of issue is a number, with a fraction, or digits as text, as APNSwift sends it",
        arguments: ["1800000000", "1800000000.25", #""1800000000""#]
    )
    func timeOfIssue(_ time: String) {
        var fixture = GatewayFixture()
        let token = fixture.signer.token(
            header: #"{"typ":"JWT","alg":"ES256","kid":"ABCDE12345"}"#,
            claims: #"{"iss":"TEAM567890","iat":\#(time)}"#
        )

        #expect(fixture.send(["authorization": "bearer \(token)"]) == .accepted)
    }

    /// Everything about a provider token that can be wrong.
    static let flaws: [(name: String, make: @Sendable (TestSigner) -> String)] = [
        ("no parts", { _ in "abc" }),
        (
            "two parts",
            { String($0.token(issuedAt: 1_800_000_000).split(separator: ".").prefix(2).joined(separator: ".")) }
        ),
        ("four parts", { $0.token(issuedAt: 1_800_000_000) + ".abcd" }),
        ("bad Base64", { "*" + $0.token(issuedAt: 1_800_000_000) }),
        (
            "another algorithm",
            { $0.token(header: #"{"alg":"ES384","kid":"ABCDE12345"}"#, claims: $0.claims(issuedAt: 1_800_000_000)) }
        ),
        (
            "algorithm none",
            { $0.token(header: #"{"alg":"none","kid":"ABCDE12345"}"#, claims: $0.claims(issuedAt: 1_800_000_000)) }
        ),
        ("no algorithm", { $0.token(header: #"{"kid":"ABCDE12345"}"#, claims: $0.claims(issuedAt: 1_800_000_000)) }),
        ("no key id", { $0.token(header: #"{"alg":"ES256"}"#, claims: $0.claims(issuedAt: 1_800_000_000)) }),
        (
            "unknown key",
            { $0.token(header: #"{"alg":"ES256","kid":"ZZZZZ99999"}"#, claims: $0.claims(issuedAt: 1_800_000_000)) }
        ),
        ("no issuer", { $0.token(header: #"{"alg":"ES256","kid":"ABCDE12345"}"#, claims: #"{"iat":1800000000}"#) }),
        ("no time", { $0.token(header: #"{"alg":"ES256","kid":"ABCDE12345"}"#, claims: #"{"iss":"TEAM567890"}"#) }),
        (
            "time as a date",
            {
                $0.token(
                    header: #"{"alg":"ES256","kid":"ABCDE12345"}"#,
                    claims: #"{"iss":"TEAM567890","iat":"2027-01-15T08:00:00Z"}"#
                )
            }
        ),
        (
            "wrong issuer",
            {
                $0.token(
                    header: #"{"alg":"ES256","kid":"ABCDE12345"}"#,
                    claims: #"{"iss":"OTHERTEAM0","iat":1800000000}"#
                )
            }
        ),
        ("another key's signature", { _ in TestSigner().token(issuedAt: 1_800_000_000) }),
        ("far in the future", { $0.token(issuedAt: 1_800_000_301) }),
    ]

    @Test("A-26 A provider token with any flaw answers InvalidProviderToken", arguments: flaws.indices)
    func flaw(_ index: Int) {
        var fixture = GatewayFixture()
        let flaw = Self.flaws[index]

        let outcome = fixture.send(["authorization": "bearer \(flaw.make(fixture.signer))"])

        #expect(outcome == .refused(403, "InvalidProviderToken"), "\(flaw.name)")
        #expect(!fixture.connection.isAuthenticated)
    }

    @Test("A-27 Raw and DER signatures verify", arguments: TestSigner.SignatureForm.allCases)
    func signatureForm(_ form: TestSigner.SignatureForm) {
        var fixture = GatewayFixture()
        let token = fixture.signer.token(issuedAt: 1_800_000_000, form: form)

        #expect(fixture.send(["authorization": "bearer \(token)"]) == .accepted)
    }

    @Test("A-27 Padded Base64 of the standard alphabet is accepted")
    func standardBase64() {
        var fixture = GatewayFixture()
        let token = fixture.signer.token(
            header: #"{"typ":"JWT","alg":"ES256","kid":"ABCDE12345"}"#,
            claims: fixture.signer.claims(issuedAt: 1_800_000_000),
            encode: { $0.base64EncodedString() }
        )

        #expect(token.contains("="))
        #expect(fixture.send(["authorization": "bearer \(token)"]) == .accepted)
    }

    @Test("A-28 A provider token is valid for an hour, on the simulator's clock")
    func lifetime() {
        var fixture = GatewayFixture()
        let start = fixture.now

        fixture.now = start.advanced(by: .seconds(3599))
        #expect(fixture.send() == .accepted)
        fixture.now = start.advanced(by: .seconds(3601))
        #expect(fixture.send() == .refused(403, "ExpiredProviderToken"))
    }

    @Test(
        "A provider token with any issue time is validated without a crash",
        arguments: [
            ("0", "ExpiredProviderToken"), ("-9223372036854775808", "ExpiredProviderToken"),
            ("9223372036854774784", "InvalidProviderToken"), ("1e300", "InvalidProviderToken"),
        ]
    )
    func extremeTime(_ issuedAt: String, _ reason: String) {
        var fixture = GatewayFixture()
        let token = fixture.signer.token(
            header: #"{"alg":"ES256","kid":"ABCDE12345"}"#,
            claims: #"{"iss":"TEAM567890","iat":\#(issuedAt)}"#
        )

        #expect(fixture.send(["authorization": "bearer \(token)"]) == .refused(403, reason))
    }

    @Test("A-29 The same provider token serves many connections for an hour")
    func reuse() {
        var fixture = GatewayFixture()

        for minute in 0..<60 {
            fixture.connection = ConnectionState()
            #expect(fixture.send() == .accepted)
            fixture.now = SimulatedTime(seconds: 1_800_000_000 + Int64(minute) * 60)
            #expect(fixture.send() == .accepted)
        }

        #expect(fixture.gateway.keys.distinctTokens == 1)
    }

    @Test("A-30 The second change of provider token in 20 minutes blocks the connection, and only it")
    func tooManyChanges() {
        var fixture = GatewayFixture()
        let tokens = (0..<4).map { fixture.signer.token(issuedAt: 1_800_000_000 - $0) }
        func authorization(_ index: Int) -> [String: String?] { ["authorization": "bearer \(tokens[index])"] }

        #expect(fixture.send(authorization(0)) == .accepted)
        #expect(fixture.send(authorization(1)) == .accepted)
        #expect(fixture.send(authorization(2)) == .refused(429, "TooManyProviderTokenUpdates"))
        #expect(fixture.send(authorization(1)) == .refused(429, "TooManyProviderTokenUpdates"))

        var other = fixture
        other.connection = ConnectionState()
        #expect(other.send(authorization(3)) == .accepted)

        fixture.now = fixture.now.advanced(by: .seconds(1199))
        #expect(fixture.send(authorization(2)) == .refused(429, "TooManyProviderTokenUpdates"))
        fixture.now = fixture.now.advanced(by: .seconds(1))
        #expect(fixture.send(authorization(2)) == .accepted)
    }

    @Test("A-30 Resetting the counts is not a change of provider token")
    func resetIsNoChange() {
        var fixture = GatewayFixture()
        for _ in 0..<4 {
            #expect(fixture.send() == .accepted)
            #expect(fixture.gateway.keys.distinctTokens == 1)
            fixture.gateway.reset()
            #expect(fixture.gateway.keys.distinctTokens == 0)
        }
    }

    @Test("A-30 Changes are measured by arrival, not by iat")
    func changesByArrival() {
        var fixture = GatewayFixture()

        for change in 0..<3 {
            let token = fixture.signer.token(issuedAt: 1_800_000_000 + Int64(change))
            #expect(fixture.send(["authorization": "bearer \(token)"]) == .accepted)
            fixture.now = fixture.now.advanced(by: .seconds(1200))
        }
    }

    @Test("A-31 Another team's provider token on a bound connection is invalid")
    func otherTeam() {
        var fixture = GatewayFixture()
        let other = TestSigner(keyID: "OTHERKEY00", teamID: "OTHERTEAM0")
        fixture.gateway.keys.add(other.key)
        fixture.send()

        let outcome = fixture.send(["authorization": "bearer \(other.token(issuedAt: 1_800_000_000))"])

        #expect(outcome == .refused(403, "InvalidProviderToken"))
        #expect(fixture.send() == .accepted)
    }

    @Test("A-31 A topic-specific key is not related to the connection's first")
    func unrelatedKey() {
        var fixture = GatewayFixture()
        let other = TestSigner(keyID: "TOPICKEY00")
        var key = other.key
        key.topics = ["com.example.app"]
        fixture.gateway.keys.add(key)
        fixture.send()

        let outcome = fixture.send(["authorization": "bearer \(other.token(issuedAt: 1_800_000_000))"])

        #expect(outcome == .refused(403, "UnrelatedKeyIdInToken"))
    }

    @Test("A-32 A key for the other environment answers BadEnvironmentKeyInToken")
    func otherEnvironment() {
        var fixture = GatewayFixture()
        var key = fixture.signer.key
        key.environment = .sandbox
        fixture.gateway.keys.add(key)

        #expect(fixture.send() == .refused(403, "BadEnvironmentKeyInToken"))
        key.environment = .production
        fixture.gateway.keys.add(key)
        #expect(fixture.send() == .accepted)
    }

    @Test("A-33 A topic-specific key answers TopicDisallowed for others")
    func topicOfKey() {
        var fixture = GatewayFixture()
        var key = fixture.signer.key
        key.topics = ["com.example.app"]
        fixture.gateway.keys.add(key)

        #expect(fixture.send() == .accepted)
        #expect(fixture.send(["apns-topic": "com.example.app.voip", "apns-push-type": "voip"]) == .accepted)
        #expect(fixture.send(["apns-topic": "com.example.other"]) == .refused(400, "TopicDisallowed"))
    }

    @Test("A-34 A revoked key is invalid at the next request, on open connections too")
    func revocation() {
        var fixture = GatewayFixture()
        #expect(fixture.send() == .accepted)

        let wasKnown = fixture.gateway.keys.revoke(keyID: fixture.signer.keyID)
        #expect(wasKnown)

        #expect(fixture.send() == .refused(403, "InvalidProviderToken"))
    }

    @Test("A provider token does not count as changed when another key is added")
    func unrelatedKeyAdded() {
        var fixture = GatewayFixture()

        for number in 0..<3 {
            #expect(fixture.send() == .accepted)
            fixture.gateway.keys.add(TestSigner(keyID: "ANOTHER\(number)").key)
        }

        #expect(fixture.gateway.keys.distinctTokens == 1)
    }

    @Test("Any key's provider token is accepted when keys are not checked, but known keys are")
    func anyKey() {
        var fixture = GatewayFixture { $0.providerTokens = .anyKey }
        let stranger = TestSigner(keyID: "STRANGER00", teamID: "STRANGERS0")

        let forged = TestSigner(keyID: fixture.signer.keyID, teamID: fixture.signer.teamID)
        #expect(
            fixture.send(["authorization": "bearer \(forged.token(issuedAt: 1_800_000_000))"])
                == .refused(403, "InvalidProviderToken")
        )
        #expect(fixture.send(["authorization": "bearer \(stranger.token(issuedAt: 1_800_000_000))"]) == .accepted)
    }
}
