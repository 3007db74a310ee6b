import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct UserMessageTests {
    private let backEnd = FakeBackEnd()

    private func room(_ world: DeliveryWorld) -> UserMessages {
        UserMessages(
            store: world.stores.userMessages,
            apps: world.apps,
            campaigns: world.campaigns,
            client: backEnd,
            vault: DeliveryWorld.vault,
            ids: world.ids,
            clock: world.time,
            timer: world.time
        )
    }

    private func world() async throws -> DeliveryWorld {
        let world = try await DeliveryWorld()
        try await world.addDevices(3) { .init(user: $0 == 3 ? nil : "user-\($0)") }
        return world
    }

    /// Sends the latest message completely or until another state.
    private func finish(_ world: DeliveryWorld, in state: Campaign.State = .sent) async throws {
        let latest = try #require(try await room(world).list(app: world.app, before: nil, limit: 1).items.first)
        let signal = world.signals.changes(of: latest.id)
        try await world.dispatching(world.dispatcher()) {
            while true {
                let count = signal.count
                if try await room(world).list(app: world.app, before: nil, limit: 1).items.first?.state == state {
                    return
                }
                await signal.wait(after: count)
                try Task.checkCancellation()
            }
        }
    }

    private func caller(
        _ world: DeliveryWorld,
        _ device: Int = 1,
        secret: String = DeliveryWorld.secret
    ) -> DeviceCaller {
        DeviceCaller(app: world.app, device: DeliveryWorld.id(device), secret: secret)
    }

    private func message(_ body: String = "hello", to user: String = "user-2") throws -> UserMessage {
        UserMessage(to: try #require(UserID(rawValue: user)), title: "From me", body: body)
    }

    private func allow(
        _ world: DeliveryWorld,
        _ change: (inout UserMessageRules) -> Void = { _ in }
    ) async throws
        -> UserMessageRulesAnswer
    {
        var rules = UserMessageRules()
        rules.isAllowed = true
        change(&rules)
        return try await room(world).setRules(rules, of: world.app)
    }

    @Test("A User's message goes only to the other User, with the sender's id") func sendsToOneUser() async throws {
        let world = try await world()
        _ = try await allow(world)

        #expect(try await room(world).send(try message(), from: caller(world)) == nil)

        let sent = try #require(try await room(world).list(app: world.app, before: nil, limit: 1).items.first)
        #expect((sent.from, sent.to) == (UserID(rawValue: "user-1"), UserID(rawValue: "user-2")))
        #expect((sent.title, sent.body) == ("From me", "hello"))
        try await finish(world)
        #expect(world.sender.sent.map(\.device.rawValue) == [2])
        // The answer does not reveal whether the User exists.
        #expect(try await room(world).send(try message(to: "nobody"), from: caller(world)) == nil)
    }

    @Test("S1-M4 messages between Users are in no list, count, webhook or log, and have no readable id")
    func isNoCampaign() async throws {
        let world = try await world()
        _ = try await allow(world)
        _ = try await world.webhooks(backEnd).create(
            app: world.app,
            .init(url: "https://a/", topics: WebhookTopic.allCases)
        )
        #expect(try await room(world).send(try message(), from: caller(world)) == nil)
        try await finish(world)
        let id = try #require(try await room(world).list(app: world.app, before: nil, limit: 1).items.first).id

        #expect(try await world.campaigns.list(app: world.app, after: nil, limit: 10).items == [])
        #expect(try await world.campaigns.list(app: nil, after: nil, limit: 10).items == [])
        let campaigns = world.campaigns
        let asked: [() async throws -> Void] = [
            { _ = try await campaigns.campaign(id, within: nil) }, { _ = try await campaigns.funnel(id, within: nil) },
            { _ = try await campaigns.cancel(id, within: nil) }, { _ = try await campaigns.pause(id, within: nil) },
            { _ = try await campaigns.progress(id, within: nil) },
        ]
        for ask in asked { await #expect(throws: EngineError.notFound(.campaign)) { try await ask() } }
        _ = await world.teller(backEnd).deliverDue()
        #expect(try backEnd.posts.flatMap { try $0.items() } == [])
        let log = MessageLog(store: world.stores.messageLog, apps: world.apps)
        var query = MessageLogQuery(app: world.app, subject: .device(DeliveryWorld.id(2)))
        #expect(try await log.page(query, cursor: nil, limit: 10).items.isEmpty)
        query.hasUserMessages = true
        #expect(try await log.page(query, cursor: nil, limit: 10).items.map(\.campaign) == [id])
    }

    @Test("S1-M4 a message that an alarm pauses is reported to no webhook")
    func tellsNoHalt() async throws {
        let world = try await world()
        _ = try await allow(world)
        world.sender.answer { _ in .halt(.noPushKey) }
        _ = try await world.webhooks(backEnd).create(
            app: world.app,
            .init(url: "https://a/", topics: WebhookTopic.allCases)
        )
        #expect(try await room(world).send(try message(), from: caller(world)) == nil)

        try await finish(world, in: .paused)

        #expect(try await world.count("SELECT count(*) FROM campaigns WHERE alarm IS NOT NULL AND kind = 1") == 1)
        #expect(try await world.count("SELECT count(*) FROM webhook_outbox") == 0)
        _ = await world.teller(backEnd).deliverDue()
        #expect(try backEnd.posts.flatMap { try $0.items() } == [])
        // It is not counted among paused Campaigns either.
        #expect(await world.campaigns.haltedCount() == 0)
    }

    @Test("S2-3 a message of an erased User is removed from the other's inbox, also without deliveries")
    func erasesInboxWithoutDeliveries() async throws {
        let world = try await world()
        _ = try await allow(world)
        #expect(try await room(world).send(try message(), from: caller(world)) == nil)
        try await finish(world)
        #expect(try await world.count("SELECT count(*) FROM inbox_rows") == 1)
        // As retention does where deliveries have fewer days than inboxes.
        _ = try await world.database.write { connection in
            try connection.run("DELETE FROM deliveries WHERE app_id = $1", world.app)
        }
        // The Device that it was sent to is deleted too.
        _ = try await world.stores.devices.delete(
            app: world.app,
            device: DeliveryWorld.id(2),
            secretHash: nil,
            at: world.time.now()
        )
        #expect(try await world.count("SELECT count(*) FROM inbox_rows") == 1)

        let users = Users(store: world.stores.users, apps: world.apps, clock: world.time)
        try await users.erase(try #require(UserID(rawValue: "user-1")), app: world.app)
        while try await users.continueErasures() {}

        #expect(try await world.count("SELECT count(*) FROM inbox_rows") == 0)
    }

    @Test("S1-M4 messages are deleted after their own days, with their deliveries and inbox rows")
    func dropsMessages() async throws {
        let world = try await world()
        _ = try await allow(world)
        #expect(try await room(world).send(try message(), from: caller(world)) == nil)
        try await finish(world)
        let ordinary = try await world.send(world.request())
        var days = RetentionDays()
        days.userMessages = 3
        var options = Retention.Options()
        options.pause = .zero
        let retention = Retention(
            options: options,
            store: world.stores.retention,
            apps: world.stores.apps,
            users: Users(store: world.stores.users, apps: world.apps, clock: world.time),
            clock: world.time,
            timer: world.time,
            logger: world.log.logger
        )
        _ = try await retention.setDays(days, of: world.app)
        world.time.advance(by: .seconds(86_400 * 2))
        #expect(await retention.round())
        #expect(try await world.count("SELECT count(*) FROM inbox_rows") == 1)

        world.time.advance(by: .seconds(86_400 * 2))
        #expect(await retention.round())

        #expect(try await room(world).list(app: world.app, before: nil, limit: 1).items == [])
        #expect(try await world.count("SELECT count(*) FROM campaigns") == 1)
        #expect(try await world.count("SELECT count(*) FROM occurrences") == 1)
        #expect(try await world.count("SELECT count(*) FROM inbox_rows") == 0)
        #expect(try await world.count("SELECT count(DISTINCT occurrence_id) FROM deliveries") == 1)
        #expect(try await world.funnel(ordinary.id).accepted == 3)
    }

    @Test("S1-M4 a message of an erased User is removed from the other's inbox, and is not sent")
    func erasesWithTheSender() async throws {
        let world = try await world()
        _ = try await allow(world)
        #expect(try await room(world).send(try message(), from: caller(world)) == nil)
        try await finish(world)
        let other = DeliveryWorld.id(2)
        let secret = DeliveryWorld.secret
        #expect(try await world.inboxes.inbox(app: world.app, device: other, secret: secret).messages.count == 1)
        #expect(try await room(world).send(try message("not yet sent"), from: caller(world)) == nil)
        let users = Users(store: world.stores.users, apps: world.apps, clock: world.time)

        try await users.erase(try #require(UserID(rawValue: "user-1")), app: world.app)

        #expect(try await world.inboxes.inbox(app: world.app, device: other, secret: secret).messages.isEmpty)
        let left = try await room(world).list(app: world.app, before: nil, limit: 10).items
        #expect(left.map(\.state) == [.cancelled, .sent])
        #expect(left.allSatisfy { $0.from == nil && $0.to == nil && $0.title == nil && $0.body == nil })
    }

    @Test("A person's text is not a template, and neither quiet hours nor control groups apply")
    func isLiteral() async throws {
        let world = try await world()
        _ = try await allow(world) { $0.perDevice = 60 }
        var change = AppUpdate()
        change.sendingRules = SendingRules()
        change.sendingRules?.quietHours = QuietHours(
            from: try #require(TimeOfDay("00:01")),
            until: try #require(TimeOfDay("00:00"))
        )
        change.sendingRules?.controlGroup = 50
        _ = try await world.apps.update(world.app, change)

        for user in 1...20 {
            try await world.addDevices(1, from: 100 + user) { _ in .init(user: "friend-\(user)") }
            let text = "{{attribute.plan}} {{user}} {{"
            #expect(try await room(world).send(try message(text, to: "friend-\(user)"), from: caller(world)) == nil)
            try await finish(world)
        }

        #expect(world.sender.sent.count == 20)
        #expect(world.texts.values.allSatisfy { $0 == "default:{{attribute.plan}} {{user}} {{" })
    }

    @Test("The App must allow messages, its Users must be proved, and the secret must match")
    func requiresPermission() async throws {
        let world = try await world()
        await #expect(throws: EngineError.refused(.userMessagesOff)) {
            try await room(world).send(try message(), from: caller(world))
        }
        _ = try await allow(world) { $0.isAllowed = false }
        await #expect(throws: EngineError.refused(.userMessagesOff)) {
            try await room(world).send(try message(), from: caller(world))
        }
        _ = try await allow(world)
        await #expect(throws: EngineError.refused(.wrongDeviceSecret)) {
            try await room(world).send(try message(), from: caller(world, secret: String(repeating: "x", count: 43)))
        }
        await #expect(throws: EngineError.refused(.userRequired)) {
            try await room(world).send(try message(), from: caller(world, 3))
        }
        let open = try await world.apps.create(AppRequest(name: "o", bundleID: "com.example.o", identity: .open)).app.id
        var rules = UserMessageRules()
        rules.isAllowed = true
        await #expect(throws: EngineError.self) { try await room(world).setRules(rules, of: open) }
        #expect(try await room(world).list(app: world.app, before: nil, limit: 1).items.isEmpty)
    }

    @Test("The App limits length and rate, per Device and per recipient") func appliesLimits() async throws {
        let world = try await world()
        _ = try await allow(world) {
            $0.titleLength = 0
            $0.bodyLength = 5
            $0.perDevice = 3
            $0.perTarget = 4
        }
        let room = room(world)
        func send(_ device: Int, to user: String) async throws -> Duration? {
            try await room.send(
                UserMessage(to: try #require(UserID(rawValue: user)), body: "hello"),
                from: caller(world, device)
            )
        }
        await #expect(
            throws: EngineError.invalid(FieldError(field: "title", problem: "must have at most 0 characters"))
        ) {
            try await room.send(try message(), from: caller(world))
        }
        await #expect(throws: EngineError.invalid(FieldError(field: "body", problem: "must have at most 5 characters")))
        {
            try await room.send(
                UserMessage(to: try #require(UserID(rawValue: "u")), body: "longer"),
                from: caller(world)
            )
        }
        for _ in 0..<3 { #expect(try await send(1, to: "user-2") == nil) }
        #expect(try await send(1, to: "user-9") == .seconds(20))
        #expect(try await send(2, to: "user-2") == nil)
        #expect(try await send(2, to: "user-2") == .seconds(15))
        world.time.advance(by: .seconds(20))
        #expect(try await send(1, to: "user-2") == nil)
    }

    @Test("S1-M4 a User with many Devices sends no more than one with a single Device")
    func limitsSenders() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(5) { .init(user: $0 == 5 ? "user-2" : "user-1") }
        _ = try await allow(world) { $0.perDevice = 3 }
        let room = room(world)

        for device in 1...3 { #expect(try await room.send(try message(), from: caller(world, device)) == nil) }

        #expect(try await room.send(try message(), from: caller(world, 4)) == .seconds(20))
        #expect(try await room.send(try message(to: "user-1"), from: caller(world, 5)) == nil)
    }

    @Test("The App's back end gets a signed request, and no answer refuses the message")
    func asksTheBackEnd() async throws {
        let world = try await world()
        let answer = try await allow(world) { $0.checkURL = "https://backend.example.com/may" }
        let secret = try #require(answer.secret)

        #expect(try await room(world).send(try message(), from: caller(world)) == nil)
        let post = try #require(backEnd.posts.first)
        #expect(
            post.signature
                == WebhookSignature.value(id: post.id, timestamp: post.timestamp, body: post.body, secrets: [secret])
        )
        let body = try #require(try JSONSerialization.jsonObject(with: Data(post.body)) as? [String: Any])
        #expect(body["from"] as? String == "user-1")
        #expect((body["message"] as? [String: Any])?["to"] as? String == "user-2")

        for no in [
            WebhookAnswer.answered(status: 403, retryAfter: nil), .answered(status: 302, retryAfter: nil), .failed("x"),
        ] {
            backEnd.answer { _ in no }
            await #expect(throws: EngineError.refused(.userMessageRefused)) {
                try await room(world).send(try message(), from: caller(world))
            }
        }
        #expect(try await room(world).list(app: world.app, before: nil, limit: 10).items.count == 1)
    }
}
