import Testing

@testable import ApplePushSimulator

struct FieldValidationTests {
    @Test("A-38 Without a topic MissingTopic is answered")
    func missingTopic() {
        var fixture = GatewayFixture()

        #expect(fixture.send(["apns-topic": nil]) == .refused(400, "MissingTopic"))
        #expect(fixture.send(["apns-topic": ""]) == .refused(400, "MissingTopic"))
    }

    @Test("A malformed topic is a BadTopic", arguments: ["com.exa mple", "com/example", "com.exämple"])
    func badTopic(_ topic: String) {
        var fixture = GatewayFixture()

        #expect(fixture.send(["apns-topic": topic]) == .refused(400, "BadTopic"))
    }

    @Test(
        "A-39 An apns-id that is not a UUID answers BadMessageId",
        arguments: [
            "", "1", "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-4266141740000",
            "123e4567ee89b-12d3-a456-426614174000", "g23e4567-e89b-12d3-a456-426614174000",
            "123e4567e89b12d3a456426614174000",
        ]
    )
    func messageID(_ id: String) {
        var fixture = GatewayFixture()

        let reply = fixture.reply(["apns-id": id])

        #expect(reply.reason == "BadMessageId")
        #expect(reply.id.text != id)
    }

    @Test("A-39 A UUID in either case is a valid apns-id")
    func upperCaseMessageID() {
        var fixture = GatewayFixture()

        #expect(fixture.send(["apns-id": "123e4567-e89b-12d3-a456-426614174000"]) == .accepted)
        #expect(fixture.send(["apns-id": "123E4567-E89B-12D3-A456-426614174000"]) == .accepted)
    }

    @Test("A-40 Priorities are 1, 5 and 10", arguments: ["1", "5", "10"])
    func priority(_ value: String) {
        var fixture = GatewayFixture()

        #expect(fixture.send(["apns-priority": value]) == .accepted)
    }

    @Test(
        "A-40 Any other priority answers BadPriority",
        arguments: ["0", "2", "11", "05", "010", "high", "", " 5", "5.0"]
    )
    func badPriority(_ value: String) {
        var fixture = GatewayFixture()

        #expect(fixture.send(["apns-priority": value]) == .refused(400, "BadPriority"))
    }

    @Test("A-41 Expiration is a whole number, past or future", arguments: ["0", "1", "1700000000", "1900000000"])
    func expiration(_ value: String) {
        var fixture = GatewayFixture()

        #expect(fixture.send(["apns-expiration": value]) == .accepted)
    }

    @Test(
        "A-41 Any other expiration answers BadExpirationDate",
        arguments: ["-1", "1.5", "1e3", "soon", "", "9223372036854775808"]
    )
    func badExpiration(_ value: String) {
        var fixture = GatewayFixture()

        #expect(fixture.send(["apns-expiration": value]) == .refused(400, "BadExpirationDate"))
    }

    @Test("A-42 A collapse id has at most 64 bytes, which are not characters")
    func collapseID() {
        var fixture = GatewayFixture()
        func send(_ id: String) -> GatewayFixture.Outcome { fixture.send(["apns-collapse-id": id]) }

        #expect(send(String(repeating: "a", count: 64)) == .accepted)
        #expect(send(String(repeating: "a", count: 65)) == .refused(400, "BadCollapseId"))
        #expect(send(String(repeating: "鐘", count: 21)) == .accepted)
        #expect(send(String(repeating: "鐘", count: 22)) == .refused(400, "BadCollapseId"))
    }

    @Test("A-43 Every push type of Apple's is accepted with its topic", arguments: PushType.allCases)
    func pushType(_ type: PushType) {
        var fixture = GatewayFixture()

        let topic = "com.example.app" + type.topicSuffix
        #expect(fixture.send(["apns-push-type": type.rawValue, "apns-topic": topic]) == .accepted)
    }

    @Test("A-43 An unknown push type is invalid, an absent one is not", arguments: ["", "Alert", "silent", "alert "])
    func unknownPushType(_ type: String) {
        var fixture = GatewayFixture()

        #expect(fixture.send(["apns-push-type": type]) == .refused(400, "InvalidPushType"))
        #expect(fixture.send(["apns-push-type": nil]) == .accepted)
    }

    @Test(
        "A-44 A topic whose suffix is not the push type's is a BadTopic",
        arguments: [
            ("voip", "com.example.app"), ("alert", "com.example.app.voip"), ("pushtotalk", "com.example.app.voip"),
            ("pushtotalk", "com.example.app.pushtotalk"), ("background", "com.example.app.push-type.liveactivity"),
            ("liveactivity", "com.example.app"), ("voip", ".voip"),
        ]
    )
    func topicSuffix(_ type: String, _ topic: String) {
        var fixture = GatewayFixture()
        var lenient = GatewayFixture { $0.matchesTopicToPushType = false }

        #expect(fixture.send(["apns-push-type": type, "apns-topic": topic]) == .refused(400, "BadTopic"))
        #expect(lenient.send(["apns-push-type": type, "apns-topic": topic]) == .accepted)
    }

    @Test("A topic that does not exist is disallowed when topics are listed")
    func unlistedTopic() {
        var fixture = GatewayFixture { $0.topics = ["com.example.app"] }

        #expect(fixture.send() == .accepted)
        #expect(fixture.send(["apns-topic": "com.example.app.voip", "apns-push-type": "voip"]) == .accepted)
        #expect(fixture.send(["apns-topic": "com.example"]) == .refused(400, "TopicDisallowed"))
    }

    @Test("A background push with priority 10 is counted, and refused when configured")
    func backgroundPriority() {
        var fixture = GatewayFixture()
        var strict = GatewayFixture { $0.requiresBackgroundPriority = true }

        #expect(fixture.send(["apns-push-type": "background"]) == .accepted)
        #expect(fixture.send(["apns-push-type": "background", "apns-priority": "5"]) == .accepted)
        #expect(fixture.gateway.counters.backgroundAtHighPriority == 1)
        #expect(strict.send(["apns-push-type": "background"]) == .refused(400, "BadPriority"))
    }

    @Test("Authentication precedes the fields, the fields the topic, the topic the token")
    func order() {
        var fixture = GatewayFixture()
        var changes: [String: String?] = [
            "authorization": nil, "apns-id": "x", "apns-topic": nil, ":path": "/3/device/zz",
        ]
        func reason() -> String? { fixture.send(changes, body: "").reason }

        #expect(reason() == "MissingProviderToken")
        changes.removeValue(forKey: "authorization")
        #expect(reason() == "BadMessageId")
        changes.removeValue(forKey: "apns-id")
        #expect(reason() == "MissingTopic")
        changes.removeValue(forKey: "apns-topic")
        #expect(reason() == "BadDeviceToken")
        changes.removeValue(forKey: ":path")
        #expect(reason() == "PayloadEmpty")
    }
}
