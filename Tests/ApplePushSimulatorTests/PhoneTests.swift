import Testing

@testable import ApplePushSimulator

struct PhoneTests {
    private let feed = FeedID(rawValue: 1)
    private let device = [UInt8](repeating: 0xAB, count: 32)

    private func payload(_ occurrence: String, alert: String = "Hello") -> String {
        #"{"aps":{"alert":"\#(alert)"},"carillon":{"o":"\#(occurrence)"}}"#
    }

    private func follow(_ fixture: inout GatewayFixture) -> [Delivery] {
        guard case .success(let waiting) = fixture.gateway.follow([device], feed: feed, now: fixture.now) else {
            Issue.record("the device token is unknown")
            return []
        }
        return waiting
    }

    private func screen(_ fixture: GatewayFixture) -> [String] {
        fixture.gateway.phones.screen(of: 0, in: fixture.gateway.devices).map { delivery in
            delivery.map { String(decoding: $0.payload, as: UTF8.self) } ?? "?"
        }
    }

    // MARK: - Screens

    @Test("A repeat with the same collapse id replaces the first and alerts again")
    func collapse() {
        var fixture = GatewayFixture()

        for _ in 0..<3 {
            fixture.send(["apns-collapse-id": "c1"], body: payload("o1"))
        }

        #expect(screen(fixture).count == 1)
        #expect(fixture.gateway.counters.shownTwice == 0)
        #expect(fixture.gateway.counters.realerted == 1)
    }

    @Test("A repeat without a collapse id is shown twice, and counted once per device")
    func shownTwice() {
        var fixture = GatewayFixture()

        for token in [GatewayFixture.token, GatewayFixture.otherToken] {
            for _ in 0..<3 {
                fixture.send(token: token, body: payload("o1"))
            }
        }

        #expect(fixture.gateway.counters.shownTwice == 2)
        #expect(fixture.gateway.counters.realerted == 0)
    }

    @Test("Two collapse ids for one campaign leave two copies visible")
    func differentCollapseIDs() {
        var fixture = GatewayFixture()

        fixture.send(["apns-collapse-id": "c1"], body: payload("o1"))
        fixture.send(["apns-collapse-id": "c2"], body: payload("o1"))

        #expect(fixture.gateway.counters.shownTwice == 1)
    }

    @Test("A later campaign with the same collapse id is not a repeat")
    func update() {
        var fixture = GatewayFixture()

        fixture.send(["apns-collapse-id": "score"], body: payload("o1"))
        fixture.send(["apns-collapse-id": "score"], body: payload("o2"))

        #expect(screen(fixture).count == 1)
        #expect(fixture.gateway.counters.realerted == 0)
        #expect(fixture.gateway.counters.shownTwice == 0)
    }

    @Test("Different campaigns are visible together")
    func sideBySide() {
        var fixture = GatewayFixture()

        fixture.send(body: payload("o1"))
        fixture.send(body: payload("o2"))

        #expect(screen(fixture).count == 2)
        #expect(fixture.gateway.counters.shownTwice == 0)
    }

    @Test(
        "A push without an alert, or of another type than alert, is not shown",
        arguments: [
            ("background", "com.example.app", #"{"aps":{"content-available":1},"carillon":{"o":"o1"}}"#),
            ("voip", "com.example.app.voip", #"{"aps":{"alert":"Hello"}}"#),
            ("alert", "com.example.app", #"{"aps":{"badge":1}}"#),
            ("alert", "com.example.app", #"{"alert":"Hello"}"#),
            ("alert", "com.example.app", #"{"aps":{"alert":"Hello"}"#),
            ("alert", "com.example.app", "not JSON"),
        ]
    )
    func invisible(type: String, topic: String, body: String) {
        var fixture = GatewayFixture()

        #expect(fixture.send(["apns-push-type": type, "apns-topic": topic], body: body) == .accepted)
        #expect(screen(fixture).isEmpty)
    }

    @Test("A screen has a maximum number of notifications, the newest")
    func boundedScreen() {
        var fixture = GatewayFixture()
        _ = fixture.send(body: payload("first"))
        _ = follow(&fixture)

        for number in 0..<100 {
            fixture.send(body: payload("o\(number)"))
        }

        #expect(screen(fixture).count == Screens.limit)
        #expect(screen(fixture).first == payload("o99"))
        #expect(screen(fixture).last == payload("o\(100 - Screens.limit)"))
    }

    // MARK: - Online and offline

    @Test("A followed phone gets accepted notifications with all fields")
    func delivery() throws {
        var fixture = GatewayFixture()
        #expect(follow(&fixture).isEmpty)

        _ = fixture.reply([
            "apns-id": "123e4567-e89b-12d3-a456-426614174000", "apns-collapse-id": "c1", "apns-priority": "5",
        ])

        let (feed, delivery) = try #require(fixture.gateway.outbox.first)
        #expect(feed == self.feed)
        #expect(
            delivery
                == Delivery(
                    token: device,
                    id: "123e4567-e89b-12d3-a456-426614174000",
                    topic: "com.example.app",
                    pushType: "alert",
                    priority: 5,
                    collapseID: "c1",
                    payload: Array(GatewayFixture.alert.utf8),
                    at: fixture.now
                )
        )
        #expect(fixture.gateway.counters.delivered == 1)
    }

    @Test("The phone and the sender get the same generated id")
    func generatedID() {
        var fixture = GatewayFixture()
        _ = follow(&fixture)

        let reply = fixture.reply()

        #expect(fixture.gateway.outbox.first?.delivery.id == reply.id.text)
    }

    @Test("A phone that comes online gets only the newest stored notification")
    func storage() {
        var fixture = GatewayFixture()
        _ = follow(&fixture)
        fixture.gateway.phones.endFeed(feed)

        for number in 0..<3 {
            #expect(fixture.delivery(body: payload("o\(number)")) == nil)
        }

        #expect(screen(fixture).isEmpty)
        #expect(follow(&fixture).map(\.payload) == [Array(payload("o2").utf8)])
        #expect(screen(fixture) == [payload("o2")])
        #expect(follow(&fixture).isEmpty)
        #expect(fixture.gateway.counters.stored == 3)
        #expect(fixture.gateway.counters.replacedInStore == 2)
    }

    @Test("An expiration of 0 is never stored")
    func neverStored() {
        var fixture = GatewayFixture()
        _ = follow(&fixture)
        fixture.gateway.phones.endFeed(feed)

        #expect(fixture.send(["apns-expiration": "0"]) == .accepted)

        #expect(follow(&fixture).isEmpty)
        #expect(fixture.gateway.counters.notStored == 1)
    }

    @Test("A stored notification expires", arguments: [59, 61])
    func storedUntil(seconds: Int) {
        var fixture = GatewayFixture()
        _ = follow(&fixture)
        fixture.gateway.phones.endFeed(feed)

        fixture.send(["apns-expiration": "1800000060"])
        fixture.now = fixture.now.advanced(by: .seconds(seconds))

        #expect(follow(&fixture).count == (seconds < 60 ? 1 : 0))
    }

    @Test("Without an expiration a notification is stored for 30 days", arguments: [29, 31])
    func longestStorage(days: Int) {
        var fixture = GatewayFixture()
        _ = follow(&fixture)
        fixture.gateway.phones.endFeed(feed)

        fixture.send()
        fixture.now = fixture.now.advanced(by: .seconds(days * 86_400))

        #expect(follow(&fixture).count == (days < 30 ? 1 : 0))
    }

    @Test("An expired notification is accepted and not delivered")
    func pastExpiration() {
        var fixture = GatewayFixture()
        _ = follow(&fixture)

        let reply = fixture.reply(["apns-expiration": "1799999999"])

        #expect(reply.status == 200)
        #expect(fixture.gateway.outbox.isEmpty)
        #expect(screen(fixture).isEmpty)
        #expect(fixture.gateway.counters.expired == 1)
    }

    @Test("An offline phone shows nothing, so nothing is shown twice")
    func offlineScreen() {
        var fixture = GatewayFixture()
        _ = follow(&fixture)
        fixture.gateway.phones.endFeed(feed)

        fixture.send(body: payload("o1"))
        fixture.send(body: payload("o1"))
        _ = follow(&fixture)

        #expect(fixture.gateway.counters.shownTwice == 0)
        fixture.send(body: payload("o1"))
        #expect(fixture.gateway.counters.shownTwice == 1)
    }

    @Test("A phone is in one feed only, the last that followed it")
    func oneFeed() {
        var fixture = GatewayFixture()
        _ = follow(&fixture)
        let second = FeedID(rawValue: 2)
        _ = fixture.gateway.follow([device], feed: second, now: fixture.now)

        fixture.gateway.phones.endFeed(feed)

        #expect(fixture.delivery()?.feed == second)
    }

    @Test("Following an unknown device token fails in strict mode without effect")
    func unknownToken() {
        var fixture = GatewayFixture { $0.deviceTokens = .strict }
        fixture.issue(topic: nil, environment: .production)

        let result = fixture.gateway.follow([device, [UInt8](repeating: 1, count: 32)], feed: feed, now: fixture.now)

        #expect(throws: SimulatorHandle.Failure.unknownToken(1)) { try result.get() }
        #expect(fixture.delivery() == nil)
    }

    @Test("A reset removes counts and screens, but not tokens and feeds")
    func reset() {
        var fixture = GatewayFixture(recording: 10)
        fixture.issue(topic: nil, environment: .production)
        _ = follow(&fixture)
        fixture.send(body: payload("o1"))
        fixture.send(body: payload("o1"))
        fixture.gateway.faults.add(Fault(.answer, status: 500))

        fixture.gateway.reset()

        #expect(fixture.gateway.counters == Counters())
        #expect(screen(fixture).isEmpty)
        #expect(fixture.gateway.recorder.last(10).isEmpty)
        #expect(fixture.gateway.devices.registration(of: 0).isIssued)
        #expect(fixture.delivery(body: payload("o1"))?.feed == feed)
        #expect(fixture.gateway.counters.shownTwice == 0)
        #expect(fixture.gateway.counters.distinctTokensAccepted == 1)
    }
}
