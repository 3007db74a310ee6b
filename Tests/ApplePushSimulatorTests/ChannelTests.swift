import Foundation
import Testing

@testable import ApplePushSimulator

/// Broadcast channels, as their management and senders of broadcasts see them.
struct ChannelTests {
    private typealias Outcome = GatewayFixture.Outcome
    private static let update = #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#
    private static let creation = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
    private let feed = FeedID(rawValue: 1)
    private let device = [UInt8](repeating: 0xAB, count: 32)

    @Test("A-57 Creating a channel answers 201 and its id, in Base64")
    func create() throws {
        var fixture = GatewayFixture()

        let reply = fixture.manage("POST", body: Self.creation)

        #expect(reply.status == 201)
        #expect(reply.body.isEmpty)
        let channel = try #require(reply.rare?.channel)
        #expect(Data(base64Encoded: channel)?.isEmpty == false)
    }

    @Test("A-57 An app has at most 10,000 channels in an environment")
    func limit() {
        var fixture = GatewayFixture()
        for _ in 0..<10_000 {
            guard fixture.manage("POST", body: Self.creation).status == 201 else {
                Issue.record("a channel was refused too early")
                return
            }
        }

        #expect(fixture.outcome("POST", body: Self.creation) == .refused(400, "CannotCreateChannelConfig"))
        #expect(fixture.manage("POST", app: "com.example.other", body: Self.creation).status == 201)
    }

    @Test(
        "A-57 A malformed request to create a channel is refused",
        arguments: [
            ("", "PayloadEmpty"), ("[]", "BadRequestPayload"), ("{", "BadRequestPayload"),
            (#"{"push-type":"LiveActivity"}"#, "MissingChannelQueueSize"),
            (#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#, "MissingChannelQueueSize"),
            (#"{"message-storage-policy":"1","push-type":"LiveActivity"}"#, "MissingChannelQueueSize"),
            (#"{"message-storage-policy":0}"#, "MissingPushType"),
            (#"{"message-storage-policy":0,"push-type":"alert"}"#, "InvalidPushType"),
        ]
    )
    func badCreation(_ body: String, _ reason: String) {
        var fixture = GatewayFixture()

        #expect(fixture.outcome("POST", body: body) == .refused(400, reason))
    }

    @Test("A-58 A channel is read, listed and deleted", arguments: [0, 1])
    func lifetime(_ policy: Int) throws {
        var fixture = GatewayFixture()
        let body = #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#
        let first = try #require(fixture.manage("POST", body: body).rare?.channel)
        let second = try #require(fixture.manage("POST", body: Self.creation).rare?.channel)

        let settings = fixture.manage("GET", channel: first)
        let list = fixture.manage("GET", path: "/1/apps/com.example.app/all-channels")
        let deletion = fixture.manage("DELETE", channel: first)
        let shorter = fixture.manage("GET", path: "/1/apps/com.example.app/all-channels")

        #expect(settings.status == 200)
        #expect(String(decoding: settings.body, as: UTF8.self) == body)
        #expect(String(decoding: list.body, as: UTF8.self) == #"{"channels":["\#(first)","\#(second)"]}"#)
        #expect(deletion.status == 204)
        #expect(deletion.body.isEmpty)
        #expect(String(decoding: shorter.body, as: UTF8.self) == #"{"channels":["\#(second)"]}"#)
    }

    @Test("A-58 A deleted channel, another app's or another environment's is not registered")
    func foreignChannel() throws {
        var fixture = GatewayFixture()
        let channel = try #require(fixture.manage("POST", body: Self.creation).rare?.channel)
        let refusal = Outcome.refused(400, "ChannelNotRegistered")

        #expect(fixture.outcome("GET", app: "com.example.other", channel: channel) == refusal)
        fixture.rules { $0.environment = .sandbox }
        #expect(fixture.outcome("GET", channel: channel) == refusal)
        fixture.rules { $0.environment = .production }
        #expect(fixture.outcome("DELETE", channel: channel).status == 204)
        #expect(fixture.outcome("GET", channel: channel) == refusal)
        #expect(fixture.outcome("DELETE", channel: channel) == refusal)
        #expect(fixture.broadcast(channel) == refusal)
    }

    @Test(
        "A-58 A missing channel id and malformed Base64 have their reasons",
        arguments: [
            (nil, "MissingChannelId"), ("", "MissingChannelId"), ("***", "BadChannelId"), ("abc", "BadChannelId"),
            (String(repeating: "QUFB", count: 40), "BadChannelId"),
        ] as [(String?, String)]
    )
    func badChannelID(_ channel: String?, _ reason: String) {
        var fixture = GatewayFixture()

        #expect(fixture.outcome("GET", channel: channel) == .refused(400, reason))
        #expect(fixture.broadcast(channel) == .refused(400, reason))
    }

    @Test("A-58 The methods of each path, after authentication")
    func methods() {
        var fixture = GatewayFixture()
        let list = "/1/apps/com.example.app/all-channels"

        #expect(fixture.outcome("PUT") == .refused(405, "MethodNotAllowed"))
        #expect(fixture.outcome("POST", path: list) == .refused(405, "MethodNotAllowed"))
        #expect(fixture.outcome("PUT", changes: ["authorization": nil]) == .refused(403, "MissingProviderToken"))
        #expect(fixture.outcome("GET", changes: ["authorization": nil]) == .refused(403, "MissingProviderToken"))
        let broadcast = "/4/broadcasts/apps/com.example.app"
        #expect(
            fixture.outcome("GET", path: broadcast, changes: ["authorization": nil])
                == .refused(405, "MethodNotAllowed")
        )
    }

    @Test(
        "A-59 Each missing or malformed field of a broadcast has its own reason",
        arguments: [
            ("apns-push-type", nil, "MissingPushType"), ("apns-push-type", "alert", "InvalidPushType"),
            ("apns-expiration", nil, "BadExpirationDate"), ("apns-expiration", "1.5", "BadExpirationDate"),
            ("apns-priority", nil, "BadPriority"), ("apns-priority", "7", "BadPriority"),
            ("apns-channel-id", nil, "MissingChannelId"), ("apns-request-id", "no", "BadMessageId"),
        ] as [(String, String?, String)]
    )
    func missingFields(_ field: String, _ value: String?, _ reason: String) throws {
        var fixture = GatewayFixture()
        let channel = try #require(fixture.manage("POST", body: Self.creation).rare?.channel)

        #expect(fixture.broadcast(channel, changes: [field: value]) == .refused(400, reason))
    }

    @Test("A-59 The push type of a broadcast is case-insensitive", arguments: ["liveactivity", "Liveactivity"])
    func pushTypeCase(_ type: String) throws {
        var fixture = GatewayFixture()
        let channel = try #require(fixture.manage("POST", body: Self.creation).rare?.channel)

        #expect(fixture.broadcast(channel, changes: ["apns-push-type": type]) == .accepted)
        #expect(fixture.gateway.counters.broadcasts == 1)
        #expect(fixture.gateway.counters.accepted == 0)
    }

    @Test("A-60 A channel that stores nothing accepts only the expiration 0")
    func expiration() throws {
        var fixture = GatewayFixture()
        let body = #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#
        let channel = try #require(fixture.manage("POST", body: body).rare?.channel)

        #expect(fixture.broadcast(channel, changes: ["apns-expiration": "0"]) == .accepted)
        let later = fixture.broadcast(channel, changes: ["apns-expiration": "1800003600"])
        #expect(later == .refused(400, "BadExpirationDate"))
    }

    @Test("A-61 A bundle identifier with a suffix is disallowed", arguments: [".voip", ".push-type.liveactivity"])
    func suffix(_ suffix: String) {
        var fixture = GatewayFixture()
        let app = "com.example.app" + suffix

        #expect(fixture.outcome("POST", app: app, body: Self.creation) == .refused(400, "TopicDisallowed"))
        let path = "/4/broadcasts/apps/" + app
        #expect(fixture.broadcast("QUFBQQ==", changes: [":path": path]) == .refused(400, "TopicDisallowed"))
    }

    @Test("A-61 Without the capability channels are disabled, and enabling it again begins without any")
    func feature() throws {
        var fixture = GatewayFixture()
        let channel = try #require(fixture.manage("POST", body: Self.creation).rare?.channel)
        let refusal = Outcome.refused(400, "FeatureNotEnabled")

        fixture.gateway.channels.setEnabled(false, for: "com.example.app")
        #expect(fixture.outcome("POST", body: Self.creation) == refusal)
        #expect(fixture.outcome("GET", channel: channel) == refusal)
        #expect(fixture.outcome("GET", path: "/1/apps/com.example.app/all-channels") == refusal)
        #expect(fixture.broadcast(channel) == refusal)
        fixture.gateway.channels.setEnabled(true, for: "com.example.app")

        let list = fixture.manage("GET", path: "/1/apps/com.example.app/all-channels")
        #expect(String(decoding: list.body, as: UTF8.self) == #"{"channels":[]}"#)
    }

    @Test("A-62 apns-request-id is echoed or generated, and there is no apns-id")
    func requestID() {
        var fixture = GatewayFixture()
        let own = "123e4567-e89b-12d3-a456-426614174000"

        let echoed = fixture.manage("POST", changes: ["apns-request-id": own], body: Self.creation)
        let generated = fixture.manage("GET")
        let other = fixture.manage("GET", changes: ["apns-id": own])

        #expect(echoed.id.text == own && echoed.isOfChannels)
        #expect(generated.isOfChannels && generated.reason == "MissingChannelId")
        #expect(FieldSyntax.isUUID(Array(generated.id.text.utf8)[...]))
        #expect(other.id.text != own)
        #expect(echoed.uniqueID == nil)
    }

    @Test(
        "A-51 A broadcast may have 5120 bytes",
        arguments: [(5120, nil), (5121, "PayloadTooLarge")] as [(Int, String?)]
    )
    func payloadLimit(_ size: Int, _ reason: String?) throws {
        var fixture = GatewayFixture()
        let channel = try #require(fixture.manage("POST", body: Self.creation).rare?.channel)

        let outcome = fixture.broadcast(channel, body: String(repeating: "x", count: size))

        #expect(outcome == (reason.map { .refused(413, $0) } ?? .accepted))
        #expect(fixture.broadcast(channel, body: "") == .refused(400, "PayloadEmpty"))
    }

    @Test("A topic-specific key manages the channels of its apps only")
    func topicOfKey() {
        var fixture = GatewayFixture()
        var key = fixture.signer.key
        key.topics = ["com.example.app"]
        fixture.gateway.keys.add(key)

        #expect(fixture.outcome("POST", body: Self.creation).status == 201)
        let other = fixture.outcome("POST", app: "com.example.other", body: Self.creation)
        #expect(other == .refused(400, "TopicDisallowed"))
    }

    @Test("A broadcast reaches only subscribed phones")
    func delivery() throws {
        var fixture = GatewayFixture()
        let channel = try #require(fixture.manage("POST", body: Self.creation).rare?.channel)
        let other = [UInt8](repeating: 0xCD, count: 32)
        _ = fixture.gateway.follow([device, other], feed: feed, now: fixture.now)
        fixture.subscribe(device, to: channel)

        #expect(fixture.broadcast(channel, body: Self.update) == .accepted)

        #expect(fixture.gateway.outbox.map(\.delivery.token) == [device])
        let delivery = try #require(fixture.gateway.outbox.first?.delivery)
        #expect(delivery.channel == channel)
        #expect(delivery.topic == "com.example.app.push-type.liveactivity")
        #expect(delivery.payload == Array(Self.update.utf8))
        let line = String(decoding: delivery.line, as: UTF8.self)
        #expect(line.contains(#""channel":"\#(channel)""#))
    }

    @Test("An offline phone gets a channel's last stored broadcast, once and for eight hours")
    func storage() throws {
        var fixture = GatewayFixture()
        let channel = try #require(fixture.manage("POST", body: Self.creation).rare?.channel)
        _ = fixture.gateway.follow([device], feed: feed, now: fixture.now)
        fixture.subscribe(device, to: channel)
        fixture.gateway.phones.endFeed(feed)
        let week = ["apns-expiration": "1800604800"]

        fixture.broadcast(channel, changes: week, body: #"{"n":1}"#)
        fixture.broadcast(channel, changes: week, body: #"{"n":2}"#)
        let back = try fixture.gateway.follow([device], feed: feed, now: fixture.now).get()
        let again = try fixture.gateway.follow([device], feed: feed, now: fixture.now).get()
        fixture.gateway.phones.endFeed(feed)
        fixture.broadcast(channel, changes: week, body: #"{"n":3}"#)
        fixture.now = fixture.now.advanced(by: .seconds(8 * 3600))
        let tooLate = try fixture.gateway.follow([device], feed: feed, now: fixture.now).get()

        #expect(back.map { String(decoding: $0.payload, as: UTF8.self) } == [#"{"n":2}"#])
        #expect(back.map(\.token) == [device])
        #expect(again.isEmpty)
        #expect(tooLate.isEmpty)
    }

    @Test("An unsubscribed phone gets no broadcast")
    func unsubscription() throws {
        var fixture = GatewayFixture()
        let channel = try #require(fixture.manage("POST", body: Self.creation).rare?.channel)
        _ = fixture.gateway.follow([device], feed: feed, now: fixture.now)
        fixture.subscribe(device, to: channel)
        let name = Channels.Name(owner: .init(bundleID: "com.example.app", environment: .production), id: channel)
        let found = try #require(fixture.gateway.devices.find(device))

        let wasThere = fixture.gateway.channels.unsubscribe([found], from: name)

        #expect(wasThere)
        #expect(fixture.broadcast(channel) == .accepted)
        #expect(fixture.gateway.outbox.isEmpty)
        #expect(fixture.gateway.channels.reports.map(\.subscribers) == [0])
        #expect(fixture.gateway.channels.reports.map(\.broadcasts) == [1])
    }
}
