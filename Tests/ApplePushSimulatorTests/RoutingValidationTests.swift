import Testing

@testable import ApplePushSimulator

struct RoutingValidationTests {
    private typealias Outcome = GatewayFixture.Outcome

    @Test(
        "A-16 A method other than POST answers 405 before all other checks",
        arguments: ["GET", "PUT", "DELETE", "post"]
    )
    func method(_ method: String) {
        var fixture = GatewayFixture()

        let outcome = fixture.send([":method": method, "authorization": nil, ":path": "/nowhere"])

        #expect(outcome == .refused(405, "MethodNotAllowed"))
    }

    @Test(
        "A-17 An unknown path answers 404, after authentication",
        arguments: ["/", "/3/device", "/3/devices/\(GatewayFixture.token)", "/2/device/\(GatewayFixture.token)"]
    )
    func unknownPath(_ path: String) {
        var fixture = GatewayFixture()

        #expect(fixture.send([":path": path, "authorization": nil]) == .refused(403, "MissingProviderToken"))
        #expect(fixture.send([":path": path]) == .refused(404, "BadPath"))
    }

    @Test("A-18 A path without a device token answers MissingDeviceToken")
    func missingDeviceToken() {
        var fixture = GatewayFixture()

        #expect(fixture.send([":path": "/3/device/"]) == .refused(400, "MissingDeviceToken"))
    }

    @Test("A-19 Success is 200 with an empty body")
    func success() {
        var fixture = GatewayFixture()

        let reply = fixture.reply()

        #expect(reply.status == 200)
        #expect(reply.body.isEmpty)
        #expect(FieldSyntax.isUUID(Array(reply.id.text.utf8)[...]))
    }

    @Test("A-20 A given apns-id is echoed, an absent one generated")
    func notificationID() {
        var fixture = GatewayFixture()

        let own = "123e4567-E89B-12d3-a456-426614174000"

        #expect(fixture.reply(["apns-id": own]).id.text == own)
        let first = fixture.reply().id.text
        let second = fixture.reply().id.text

        #expect(first != second)
        #expect(FieldSyntax.isUUID(Array(first.utf8)[...]))
    }

    @Test("A-21 An error body has only the reason, a 410 also its timestamp")
    func errorBody() {
        var fixture = GatewayFixture()
        fixture.send()
        fixture.gateway.devices.end(0, Registration.End(since: SimulatedTime(milliseconds: 1_709_251_200_123)))

        let refused = fixture.reply(["apns-topic": nil])
        let gone = fixture.reply()

        #expect(String(decoding: refused.body, as: UTF8.self) == #"{"reason":"MissingTopic"}"#)
        #expect(
            String(decoding: gone.body, as: UTF8.self) == #"{"reason":"Unregistered","timestamp":1709251200123}"#
        )
    }

    @Test("A-22 Only the sandbox sends apns-unique-id", arguments: PushEnvironment.allCases)
    func uniqueID(environment: PushEnvironment) {
        var fixture = GatewayFixture { $0.environment = environment }

        #expect((fixture.reply().uniqueID != nil) == (environment == .sandbox))
    }

    @Test(
        "A-23 A duplicate field of Apple's answers DuplicateHeaders",
        arguments: ["apns-id", "apns-topic", "apns-priority", "apns-push-type", "apns-expiration", "apns-collapse-id"]
    )
    func duplicates(_ name: String) {
        let good = [
            "apns-id": "123e4567-e89b-12d3-a456-426614174000", "apns-topic": "com.example.app", "apns-priority": "10",
            "apns-push-type": "alert", "apns-expiration": "0", "apns-collapse-id": "one",
        ]
        var fixture = GatewayFixture()

        #expect(fixture.send([name: good[name]]) == .accepted)
        #expect(fixture.send([name: good[name]], also: [(name, good[name] ?? "")]) == .refused(400, "DuplicateHeaders"))
    }

    @Test("A-23 A second authorization answers DuplicateHeaders") func secondAuthorization() {
        var fixture = GatewayFixture()
        let authorization = "bearer \(fixture.providerToken)"

        #expect(fixture.send(also: [("authorization", authorization)]) == .refused(400, "DuplicateHeaders"))
    }

    @Test("A-45 Unknown fields and any content type are ignored")
    func unknownFields() {
        var fixture = GatewayFixture()

        let outcome = fixture.send(also: [
            ("content-type", "application/x-www-form-urlencoded"), ("x-anything", "at all"), ("x-anything", "twice"),
            ("priority", "u=0"), ("user-agent", "test"), ("apns-unknown", "1"),
        ])

        #expect(outcome == .accepted)
    }
}
