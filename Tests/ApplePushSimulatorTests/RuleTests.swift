import Testing

@testable import ApplePushSimulator

/// What Apple has not settled, as settings.
struct RuleTests {
    @Test("The order of the checks after authentication is configurable (U-2)")
    func order() {
        let flawed: [String: String?] = ["apns-priority": "7", "apns-topic": nil]
        var usual = GatewayFixture()
        var turned = GatewayFixture { $0.order = $0.order.reversed() }
        var lenient = GatewayFixture { $0.order.removeAll { $0 == .priority } }

        #expect(usual.send(flawed, token: "zz", body: "") == .refused(400, "BadPriority"))
        #expect(turned.send(flawed, token: "zz", body: "") == .refused(400, "PayloadEmpty"))
        #expect(turned.send(flawed, token: "zz") == .refused(400, "BadDeviceToken"))
        #expect(turned.send(flawed) == .refused(400, "MissingTopic"))
        #expect(lenient.send(["apns-priority": "7"]) == .accepted)
    }

    @Test(
        "A-44 The reason for a topic that does not fit the push type is configurable (U-3)",
        arguments: [RejectionReason.badTopic, .topicDisallowed, .deviceTokenNotForTopic]
    )
    func mismatch(_ reason: RejectionReason) {
        var fixture = GatewayFixture { $0.mismatchedTopicReason = reason }

        let outcome = fixture.send(["apns-push-type": "pushtotalk", "apns-topic": "com.example.app.pushtotalk"])

        #expect(outcome == .refused(400, reason.rawValue))
        #expect(fixture.send(["apns-push-type": "pushtotalk", "apns-topic": "com.example.app.voip-ptt"]) == .accepted)
    }

    @Test("A-44 The check of topic and push type can be disabled")
    func noMatch() {
        var fixture = GatewayFixture { $0.matchesTopicToPushType = false }

        #expect(fixture.send(["apns-push-type": "voip"]) == .accepted)
    }

    @Test(
        "A-32 The reason for a key of the other environment is configurable (U-4)",
        arguments: [RejectionReason.badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken]
    )
    func environmentReason(_ reason: RejectionReason) {
        var fixture = GatewayFixture { $0.otherEnvironmentReason = reason }
        var key = fixture.signer.key
        key.environment = .sandbox
        fixture.gateway.keys.add(key)

        #expect(fixture.send() == .refused(403, reason.rawValue))
    }

    @Test("Malformed payloads are accepted by default (U-6)")
    func malformedPayload() {
        var lenient = GatewayFixture()
        var strict = GatewayFixture { $0.malformedPayloadReason = .badRequestPayload }

        #expect(lenient.send(body: "{") == .accepted)
        #expect(strict.send(body: "{") == .refused(400, "BadRequestPayload"))
        #expect(strict.send() == .accepted)
    }

    @Test("Generated ids are in upper case by default (U-8)")
    func lowerCase() {
        var fixture = GatewayFixture { $0.generatesLowerCaseIDs = true }

        let ids = (0..<20).map { _ in fixture.reply().id.text }

        #expect(ids.allSatisfy { $0 == $0.lowercased() })
        #expect(ids.contains { $0 != $0.uppercased() })
    }

    @Test("A background push with a priority other than 5 is refused if configured (U-9)")
    func backgroundPriority() {
        let background: [String: String?] = ["apns-push-type": "background"]
        var lenient = GatewayFixture()
        var strict = GatewayFixture { $0.requiresBackgroundPriority = true }

        #expect(lenient.send(background) == .accepted)
        #expect(strict.send(background) == .refused(400, "BadPriority"))
        #expect(strict.send(background.merging(["apns-priority": "5"]) { $1 }) == .accepted)
    }

    @Test("A provider token from the future is valid within the tolerance (U-10)", arguments: [(60, 200), (61, 403)])
    func tolerance(_ ahead: Int64, _ status: Int) {
        var fixture = GatewayFixture { $0.clockTolerance = .seconds(60) }
        let token = fixture.signer.token(issuedAt: 1_800_000_000 + ahead)

        #expect(fixture.send(["authorization": "bearer \(token)"]).status == status)
    }

    @Test("A-30 Changes of the provider token may be counted over all connections of an address (U-11)")
    func changesBySource() {
        var fixture = GatewayFixture { $0.providerTokenChangeScope = .source }
        let tokens = (0..<4).map { fixture.signer.token(issuedAt: 1_800_000_000 - $0) }
        func send(_ token: Int, _ connection: inout ConnectionState) -> Int {
            fixture.connection = connection
            defer { connection = fixture.connection }
            return fixture.send(["authorization": "bearer \(tokens[token])"]).status
        }
        var (first, second, third, elsewhere) = (
            ConnectionState(), ConnectionState(), ConnectionState(), ConnectionState()
        )
        first.source = "10.0.0.1"
        second.source = "10.0.0.1"
        third.source = "10.0.0.1"
        elsewhere.source = "10.0.0.2"

        // The same provider token everywhere is no change, and the first other one is allowed.
        #expect(send(0, &first) == 200)
        #expect(send(0, &second) == 200)
        #expect(send(1, &second) == 200)
        #expect(send(0, &first) == 200)
        #expect(send(2, &third) == 429)
        // Now the whole address has to wait, open connections included; other addresses do not.
        #expect(send(0, &first) == 429)
        #expect(send(3, &elsewhere) == 200)
        fixture.now = fixture.now.advanced(by: .seconds(1200))
        #expect(send(0, &first) == 200)
    }

    @Test("A-53 The rate of a device token is limited separately from others (U-12)")
    func deviceTokenRate() {
        var fixture = GatewayFixture { $0.deviceTokenRate = DeviceTokenRate(count: 3, span: .seconds(10)) }

        for _ in 0..<3 {
            #expect(fixture.send() == .accepted)
        }
        #expect(fixture.send() == .refused(429, "TooManyRequests"))
        #expect(fixture.send(token: GatewayFixture.otherToken) == .accepted)
        fixture.now = fixture.now.advanced(by: .milliseconds(9999))
        #expect(fixture.send() == .refused(429, "TooManyRequests"))
        fixture.now = fixture.now.advanced(by: .milliseconds(1))
        #expect(fixture.send() == .accepted)
        #expect(fixture.gateway.counters.accepted == 5)
    }

    @Test("A-53 Without a rate a device token is not limited")
    func noRate() {
        var fixture = GatewayFixture()

        for _ in 0..<1000 {
            guard fixture.send() == .accepted else {
                Issue.record("refused")
                return
            }
        }
    }

    @Test("New rules apply to open connections at the next request")
    func newRules() {
        var fixture = GatewayFixture()
        #expect(fixture.send() == .accepted)

        fixture.rules { $0.topics = ["com.example.other"] }
        #expect(fixture.send() == .refused(400, "TopicDisallowed"))
        fixture.rules { $0.topics = [] }
        #expect(fixture.send() == .accepted)
        fixture.rules { $0.providerTokenLifetime = .seconds(-1) }
        #expect(fixture.send() == .refused(403, "ExpiredProviderToken"))
        #expect(fixture.gateway.keys.distinctTokens == 1)
    }

    @Test("A host for one family answers BadPath to the others, and 405 or 403 first as it does")
    func families() {
        var push = GatewayFixture { $0.families = .pushHost }
        var management = GatewayFixture { $0.families = .managementHost }
        let channels = "/1/apps/com.example.app/channels"

        #expect(push.send() == .accepted)
        #expect(push.send([":path": channels]) == .refused(404, "BadPath"))
        #expect(push.outcome("GET", changes: ["authorization": nil]) == .refused(405, "MethodNotAllowed"))
        #expect(push.broadcast("QUFBQQ==") == .refused(404, "BadPath"))
        #expect(management.send() == .refused(404, "BadPath"))
        #expect(management.outcome("GET", path: "/", changes: ["authorization": nil]).reason == "MissingProviderToken")
        #expect(management.outcome("GET", path: "/") == .refused(404, "BadPath"))
        #expect(management.outcome("GET", path: "/1/apps/com.example.app/all-channels").status == 200)
    }

    @Test("A-36 A client with a certificate needs no provider token and no topic")
    func certificate() {
        var fixture = GatewayFixture()
        fixture.connection.certificate = PushCertificate(topics: ["com.example.app"])

        #expect(fixture.send(["authorization": nil]) == .accepted)
        #expect(fixture.send(["authorization": "bearer nonsense"]) == .accepted)
        #expect(fixture.send(["authorization": nil, "apns-topic": nil]) == .accepted)
        #expect(fixture.send(["authorization": nil, "apns-topic": "com.example.other"]) == .refused(400, "BadTopic"))
        let voip: [String: String?] = ["apns-topic": "com.example.app.voip", "apns-push-type": "voip"]
        #expect(fixture.send(voip) == .refused(400, "BadTopic"))
    }

    @Test("A-36 A device token of the certificate's topic needs no topic, another one does")
    func certificateAndDevice() throws {
        var fixture = GatewayFixture { $0.deviceTokens = .strict }
        fixture.connection.certificate = PushCertificate(topics: ["com.example.app"])
        for (byte, topic) in [(UInt8(0xAB), "com.example.app"), (0xCD, "com.example.other")] {
            let device = fixture.gateway.devices.insert([UInt8](repeating: byte, count: 32))
            _ = fixture.gateway.devices.issue(device, topic: topic, environment: .production)
        }

        #expect(fixture.send(["apns-topic": nil]) == .accepted)
        let other = fixture.send(["apns-topic": nil], token: GatewayFixture.otherToken)
        #expect(other == .refused(400, "DeviceTokenNotForTopic"))
    }

    @Test("A-37 A certificate for several topics does not imply one")
    func severalTopics() {
        var fixture = GatewayFixture()
        fixture.connection.certificate = PushCertificate(topics: ["com.example.app", "com.example.app.voip"])

        #expect(fixture.send(["apns-topic": nil]) == .refused(400, "MissingTopic"))
        #expect(fixture.send() == .accepted)
        #expect(fixture.send(["apns-topic": "com.example.app.voip", "apns-push-type": "voip"]) == .accepted)
    }

    @Test("A certificate manages only channels of its own app, and sends no location pushes")
    func certificateAndChannels() {
        var fixture = GatewayFixture()
        let topics = ["com.example.app", "com.example.app.location-query"]
        fixture.connection.certificate = PushCertificate(topics: topics)

        let list = fixture.outcome("GET", path: "/1/apps/com.example.app/all-channels")
        let other = fixture.outcome("GET", path: "/1/apps/com.example.other/all-channels")
        let location: [String: String?] = ["apns-topic": topics[1], "apns-push-type": "location"]

        #expect(list.status == 200)
        #expect(other == .refused(403, "TopicMismatch"))
        #expect(fixture.send(location) == .refused(400, "TopicDisallowed"))
    }
}

extension PushCertificate {
    init?(topics: [String]) {
        guard let first = topics.first else { return nil }
        self.init(baseTopic: first, topics: Set(topics), environments: Set(PushEnvironment.allCases))
    }
}
