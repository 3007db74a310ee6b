import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct WebhookTests {
    private let backEnd = FakeBackEnd()

    @Test("Outcomes, events and the end of a Campaign are delivered to the webhooks with those topics")
    func deliversTopics() async throws {
        let sender = FakeSender { notification in
            notification.device.rawValue == 2
                ? .dropDeviceToken(FailureReason(rawValue: "Unregistered"), since: nil) : .accepted
        }
        let world = try await DeliveryWorld(sender: sender)
        try await world.addDevices(4) { .init(consent: $0 == 4 ? [] : .notifications, user: "user-\($0)") }
        let webhooks = world.webhooks(backEnd)
        let all = try await webhooks.create(app: world.app, .init(url: "https://a/all", topics: WebhookTopic.allCases))
        let failures = try await webhooks.create(
            app: world.app,
            .init(url: "https://a/bad", topics: [.deliveryFailed])
        )

        let campaign = try await world.send(world.request())
        try await world.report(.opened, of: campaign, device: 1)
        try await world.report(.action, of: campaign, device: 1, action: "buy", reply: "two")
        try await world.report(.action, of: campaign, device: 1, action: "buy", reply: "two")
        _ = await world.teller(backEnd, sender: AllTokens(inner: sender)).deliverDue()

        let told = try backEnd.posts.filter { $0.url == all.webhook.url }.flatMap { try $0.items() }
        let types = told.map(\.type).sorted()
        #expect(
            types == [
                "campaign.finished", "delivery.accepted", "delivery.accepted", "delivery.failed", "delivery.skipped",
                "event.action", "event.opened", "token.invalid",
            ]
        )
        #expect(told.allSatisfy { $0.campaign == campaign.id })
        let failed = try #require(told.first { $0.type == "delivery.failed" })
        #expect((failed.device, failed.user) == (DeliveryWorld.id(2), UserID(rawValue: "user-2")))
        #expect((failed.reason, failed.pushType) == ("Unregistered", .apns))
        let action = try #require(told.first { $0.type == "event.action" })
        #expect((action.action, action.reply) == ("buy", "two"))
        let end = try #require(told.first { $0.type == "campaign.finished" })
        #expect((end.state, end.figures?.accepted) == (.sent, 2))
        let bad = try backEnd.posts.filter { $0.url == failures.webhook.url }.flatMap { try $0.items() }
        #expect(bad.map(\.type) == ["delivery.failed"])
        #expect(try await world.count("SELECT count(*) FROM webhook_outbox") == 0)
        #expect(try await world.count("SELECT count(*) FROM webhook_messages") == 0)
    }

    @Test("O2-7 A webhook gets an item for a Campaign that an alarm pauses, once and with the alarm")
    func halt() async throws {
        let sender = FakeSender { _ in .halt(.noPushKey) }
        let world = try await DeliveryWorld(sender: sender)
        try await world.addDevices(4)
        let webhooks = world.webhooks(backEnd)
        _ = try await webhooks.create(app: world.app, .init(url: "https://a/", topics: [.campaignHalted]))

        let campaign = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(world.dispatcher()) { try await world.wait(for: .paused, of: campaign.id) }
        _ = await world.teller(backEnd).deliverDue()

        let told = try backEnd.posts.flatMap { try $0.items() }
        #expect(told.map(\.type) == ["campaign.halted"])
        #expect(told.map(\.campaign) == [campaign.id])
        #expect(told.map(\.state) == [.paused])
        #expect(told.map(\.reason) == ["NoPushKey"])
    }

    @Test("An App without webhooks, or without one for the topic, writes nothing")
    func writesNothingWithoutWebhooks() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10)
        let campaign = try await world.send(world.request())
        try await world.report(.opened, of: campaign, device: 1)
        let webhooks = world.webhooks(backEnd)
        _ = try await webhooks.create(app: world.app, .init(url: "https://a/", topics: [.eventReceived]))
        let disabled = try await webhooks.create(
            app: world.app,
            .init(url: "https://b/", topics: WebhookTopic.allCases)
        )
        _ = try await webhooks.update(disabled.webhook.id, within: nil, .init(state: .disabled))
        try await world.send(world.request())

        #expect(try await world.count("SELECT count(*) FROM webhook_outbox") == 0)
    }

    @Test("Messages are signed according to Standard Webhooks, with both secrets during a rotation")
    func signsMessages() async throws {
        let world = try await DeliveryWorld()
        let webhooks = world.webhooks(backEnd)
        let made = try await webhooks.create(app: world.app, .init(url: "https://a/", topics: [.campaignFinished]))
        try await world.send(world.request())
        _ = await world.teller(backEnd).deliverDue()
        let rotated = try await webhooks.rotate(made.webhook.id, within: nil)
        try await world.send(world.request())
        _ = await world.teller(backEnd).deliverDue()
        world.time.advance(by: .seconds(86_401))
        try await world.send(world.request())
        _ = await world.teller(backEnd).deliverDue()

        let posts = backEnd.posts
        try #require(posts.count == 3)
        func signature(_ post: WebhookPost, _ secrets: String...) -> String {
            WebhookSignature.value(id: post.id, timestamp: post.timestamp, body: post.body, secrets: secrets)
        }
        #expect(posts[0].signature == signature(posts[0], made.secret))
        #expect(posts[1].signature == signature(posts[1], rotated.secret, made.secret))
        #expect(posts[2].signature == signature(posts[2], rotated.secret))
        #expect(made.secret.hasPrefix("whsec_") && made.secret != rotated.secret)
    }

    @Test("The signature equals the published example") func matchesTheExample() {
        // From the specification "Standard Webhooks" and its libraries' tests.
        let body = Array(#"{"test": 2432232314}"#.utf8)
        let value = WebhookSignature.value(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp: Timestamp(rawValue: 1_614_265_330_000),
            body: body,
            secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "no secret"]
        )
        #expect(value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("Posts to a failing address are retried less and less often, under the same id, and catch up")
    func backsOff() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        let webhooks = world.webhooks(backEnd)
        let made = try await webhooks.create(app: world.app, .init(url: "https://a/", topics: [.deliveryAccepted]))
        backEnd.answer { _ in .answered(status: 503, retryAfter: nil) }
        try await world.send(world.request())
        let teller = world.teller(backEnd)

        var waits: [Duration] = []
        for _ in 0..<4 {
            _ = await teller.deliverDue()
            _ = await teller.deliverDue()
            let before: Timestamp = world.time.now()
            try await world.send(world.request())
            let resume = Timestamp(rawValue: Int64(try await world.count("SELECT resume_at FROM webhooks")))
            waits.append(before.duration(to: resume))
            world.time.advance(by: before.duration(to: resume))
        }
        #expect(waits == [.milliseconds(3_750), .milliseconds(7_500), .seconds(15), .seconds(30)])
        let failed = Set(backEnd.posts.map(\.id))
        #expect(backEnd.posts.count == 4)
        #expect(try await webhooks.webhook(made.webhook.id, within: nil).failures == 4)

        backEnd.answer { _ in .answered(status: 200, retryAfter: nil) }
        while await teller.deliverDue() {}
        #expect(try backEnd.posts.dropFirst(4).flatMap { try $0.items() }.count == 15)
        #expect(failed.isSubset(of: backEnd.posts.dropFirst(4).map(\.id)))
        #expect(try await webhooks.webhook(made.webhook.id, within: nil).failures == 0)
    }

    @Test("After a day without success a message is undeliverable and the webhook disabled; both can be revived")
    func disablesAfterADay() async throws {
        let world = try await DeliveryWorld()
        let webhooks = world.webhooks(backEnd)
        let id = try await webhooks.create(app: world.app, .init(url: "https://a/", topics: [.campaignFinished]))
            .webhook.id
        backEnd.answer { _ in .failed("There is no connection to the address.") }
        try await world.send(world.request())
        let teller = world.teller(backEnd)

        while try await webhooks.webhook(id, within: nil).state == .active {
            _ = await teller.deliverDue()
            world.time.advance(by: .seconds(1_800))
        }
        let webhook = try await webhooks.webhook(id, within: nil)
        let dead = try await webhooks.messages(of: id, within: nil, in: .dead, after: nil, limit: 10).items
        #expect(webhook.alarm == "Nothing was accepted for a day.")
        #expect(dead.map(\.lastError) == ["There is no connection to the address."])
        #expect(dead[0].attempts > 20 && dead[0].attempts < 60)

        backEnd.answer { _ in .answered(status: 200, retryAfter: nil) }
        let count = backEnd.posts.count
        _ = await teller.deliverDue()
        #expect(backEnd.posts.count == count)
        _ = try await webhooks.update(id, within: nil, .init(state: .active))
        _ = try await webhooks.replay(dead[0].id, of: id, within: nil)
        _ = await teller.deliverDue()
        #expect(backEnd.posts.last?.id == dead[0].id.description)
        #expect(try backEnd.posts.last?.items().map(\.type) == ["campaign.finished"])
        #expect(try await webhooks.messages(of: id, within: nil, in: .dead, after: nil, limit: 10).items.isEmpty)
        await #expect(throws: EngineError.notFound(.webhookMessage)) {
            try await webhooks.replay(dead[0].id, of: id, within: nil)
        }
    }

    @Test("An address that answers 410 is disabled at once") func disablesGoneAddresses() async throws {
        let world = try await DeliveryWorld()
        let webhooks = world.webhooks(backEnd)
        let id = try await webhooks.create(app: world.app, .init(url: "https://a/", topics: [.campaignFinished]))
            .webhook.id
        backEnd.answer { _ in .answered(status: 410, retryAfter: nil) }
        try await world.send(world.request())
        _ = await world.teller(backEnd).deliverDue()

        let webhook = try await webhooks.webhook(id, within: nil)
        #expect((webhook.state, webhook.alarm) == (.disabled, "The address answered 410 Gone."))
    }

    @Test("A message that is never accepted does not block others") func doesNotBlockOthers() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        let webhooks = world.webhooks(backEnd)
        _ = try await webhooks.create(app: world.app, .init(url: "https://a/", topics: [.deliveryAccepted]))
        try await world.send(world.request())
        let teller = world.teller(backEnd)
        backEnd.answer { _ in .answered(status: 400, retryAfter: nil) }
        _ = await teller.deliverDue()
        let poison = try #require(backEnd.posts.first?.id)
        backEnd.answer { .answered(status: $0.id == poison ? 400 : 200, retryAfter: nil) }

        for _ in 0..<60 {
            try await world.send(world.request())
            world.time.advance(by: .seconds(1_800))
            while await teller.deliverDue() {}
        }

        let taken = try backEnd.posts.filter { $0.id != poison }.flatMap { try $0.items() }
        #expect(taken.count >= 59)
        let dead = try await world.count("SELECT count(*) FROM webhook_messages WHERE is_dead = 1")
        #expect(dead == 1)
        #expect(try await world.count("SELECT is_active FROM webhooks") == 1)
    }

    @Test("Two nodes deliver each message once, and a lost node's webhooks are taken over")
    func sharesWebhooks() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        let webhooks = world.webhooks(backEnd)
        for number in 1...5 {
            _ = try await webhooks.create(app: world.app, .init(url: "https://\(number)/", topics: [.deliveryAccepted]))
        }
        for _ in 0..<3 { try await world.send(world.request()) }
        let due = try await world.stores.webhookOutbox.dueWebhooks(at: world.time.now(), limit: 10)
        #expect(due.count == 5)
        // This node ends with its claim.
        let now: Timestamp = world.time.now()
        let lost = try await world.stores.webhookOutbox.claim(due[0], as: world.ids.next(), at: now)
        let stale = try #require(lost)

        let (one, other) = (world.teller(backEnd), world.teller(backEnd))
        async let first = one.deliverDue()
        async let second = other.deliverDue()
        _ = await (first, second)
        #expect(backEnd.posts.count == 4)
        // The wall clock does not decide whether a node is lost.
        world.time.setWall(by: .seconds(86_000))
        _ = await one.deliverDue()
        world.time.advance(by: .seconds(59))
        _ = await one.deliverDue()
        #expect(backEnd.posts.count == 4)
        world.time.advance(by: .seconds(1))
        _ = await one.deliverDue()

        #expect(Set(backEnd.posts.map(\.id)).count == 5 && backEnd.posts.count == 5)
        #expect(backEnd.posts.last?.id == stale.message.id.description)
        // When it returns, its completion is refused.
        let late = try await world.stores.webhookOutbox.complete(stale, .taken, next: nil, at: world.time.now())
        #expect(!late.isKept)
    }

    @Test("An address without answers does not block others", .timeLimit(.minutes(5)))
    func isolatesSlowAddresses() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        let webhooks = world.webhooks(backEnd)
        for name in ["hangs", "answers"] {
            _ = try await webhooks.create(
                app: world.app,
                .init(url: "https://\(name)/", topics: [.deliveryAccepted])
            )
        }
        let client = HangingBackEnd(backEnd) { $0.url == "https://hangs/" }
        let teller = world.teller(client)

        try await world.withTimeRunning {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await teller.run() }
                for round in 1...3 {
                    try await world.send(world.request())
                    await backEnd.whenPosted(round, to: "https://answers/")
                }
                group.cancelAll()
                client.release()
            }
        }

        #expect(client.hangingCount == 1)
    }

    @Test("An erased delivery is not reported") func omitsErasedDeliveries() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2) { .init(user: "user-\($0)") }
        _ = try await world.webhooks(backEnd).create(
            app: world.app,
            .init(url: "https://a/", topics: [.deliveryAccepted])
        )
        try await world.send(world.request())
        _ = try await world.database.write { connection in
            try connection.run("DELETE FROM deliveries WHERE device_number = 1")
        }
        _ = await world.teller(backEnd).deliverDue()

        #expect(try backEnd.posts.flatMap { try $0.items() }.map(\.device) == [DeliveryWorld.id(2)])
    }
}

/// A service for which every reason concerns the token.
private struct AllTokens: Sender {
    let inner: FakeSender

    func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering { try inner.render(draft) }

    func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence] {
        await inner.send(batch, until: deadline)
    }

    func blamesToken(_ reason: FailureReason) -> Bool { true }
}
