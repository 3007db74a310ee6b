import Testing

@testable import ApplePushSimulator

struct DeviceValidationTests {
    @Test(
        "A-46 A malformed device token answers BadDeviceToken",
        arguments: [
            "zz", String(repeating: "z", count: 64), String(repeating: "a", count: 63), "ab",
            String(repeating: "ab", count: 31), String(repeating: "ab", count: 257),
            String(repeating: "ab", count: 32) + "/more", String(repeating: "ab", count: 31) + "?a",
        ]
    )
    func malformed(_ token: String) {
        var fixture = GatewayFixture()

        #expect(fixture.send(token: token) == .refused(400, "BadDeviceToken"))
    }

    @Test("A-46 Longer tokens are accepted, in either case")
    func longAndUpperCase() {
        var fixture = GatewayFixture()

        #expect(fixture.send(token: String(repeating: "0f", count: 80)) == .accepted)
        #expect(fixture.send(token: String(repeating: "aB", count: 32)) == .accepted)
        #expect(fixture.send(token: String(repeating: "Ab", count: 32)) == .accepted)
        #expect(fixture.gateway.counters.distinctTokensAccepted == 2)
    }

    @Test("A-47 A device token of the other environment answers BadDeviceToken")
    func otherEnvironment() {
        var fixture = GatewayFixture()
        fixture.issue(topic: nil, environment: .sandbox)

        #expect(fixture.send() == .refused(400, "BadDeviceToken"))
    }

    @Test("A-48 A device token of another topic answers DeviceTokenNotForTopic")
    func otherTopic() {
        var fixture = GatewayFixture()
        fixture.issue(topic: "com.example.other", environment: .production)

        #expect(fixture.send() == .refused(400, "DeviceTokenNotForTopic"))
        #expect(fixture.send(["apns-topic": "com.example.other"]) == .accepted)
    }

    @Test("A-49 An invalid device token answers 410 with its time, until it is registered again")
    func dead() {
        var fixture = GatewayFixture()
        fixture.issue(topic: nil, environment: .production)
        let since = SimulatedTime(milliseconds: 1_799_999_999_123)

        fixture.gateway.devices.end(0, Registration.End(since: since))
        let unregistered = fixture.reply()
        fixture.gateway.devices.end(0, Registration.End(since: since, isExpiry: true))
        let expired = fixture.reply()
        fixture.gateway.devices.end(0, nil)

        #expect(unregistered.status == 410)
        #expect(unregistered.reason == "Unregistered")
        #expect(unregistered.timestamp == since)
        #expect(expired.reason == "ExpiredToken")
        #expect(expired.timestamp == since)
        #expect(fixture.send() == .accepted)
    }

    @Test("A-50 Open mode accepts unknown device tokens, strict mode those that were issued")
    func modes() {
        var open = GatewayFixture()
        var strict = GatewayFixture { $0.deviceTokens = .strict }
        strict.issue(topic: nil, environment: .production)

        #expect(open.send() == .accepted)
        #expect(strict.send() == .accepted)
        #expect(strict.send(token: GatewayFixture.otherToken) == .refused(400, "BadDeviceToken"))
    }

    @Test("A-51 An empty body answers PayloadEmpty")
    func empty() {
        var fixture = GatewayFixture()

        #expect(fixture.send(body: "") == .refused(400, "PayloadEmpty"))
    }

    @Test(
        "A-51 A payload has at most 4096 bytes, that of a call 5120",
        arguments: [
            ("alert", "com.example.app", 4096), ("background", "com.example.app", 4096),
            ("liveactivity", "com.example.app.push-type.liveactivity", 4096), ("voip", "com.example.app.voip", 5120),
            (nil, "com.example.app", 4096), (nil, "com.example.app.voip", 5120),
        ] as [(String?, String, Int)]
    )
    func size(type: String?, topic: String, limit: Int) {
        var fixture = GatewayFixture()
        let changes = ["apns-push-type": type, "apns-topic": topic]

        #expect(fixture.send(changes, body: String(repeating: "x", count: limit)) == .accepted)
        #expect(
            fixture.send(changes, body: String(repeating: "x", count: limit + 1)) == .refused(413, "PayloadTooLarge")
        )
    }

    @Test("A-52 At most the limit and one byte of a body are stored")
    func boundedBody() {
        var request = IncomingRequest()
        let part = [UInt8](repeating: 1, count: 1000)

        for _ in 0..<1000 {
            part.withUnsafeBufferPointer { request.appendBody($0) }
        }

        #expect(request.body.count == IncomingRequest.bodyLimit + 1)
        #expect(request.bodyLength == 1_000_000)
    }
}

extension GatewayFixture {
    /// Issues the usual device token.
    mutating func issue(topic: String?, environment: PushEnvironment) {
        let device = gateway.devices.insert([UInt8](repeating: 0xAB, count: 32))
        let isIssued = gateway.devices.issue(device, topic: topic, environment: environment)
        #expect(isIssued)
    }
}
