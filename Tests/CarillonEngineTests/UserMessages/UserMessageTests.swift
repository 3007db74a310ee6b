import CarillonEngine
import CarillonModel
import CarillonOperatorModel
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

    @Test func `a User's message goes to the other User alone, and says from whom`() async throws {
        let world = try await world()
        _ = try await allow(world)

        #expect(try await room(world).send(try message(), from: caller(world)) == nil)

        let campaign = try #require(try await world.campaigns.list(app: world.app, after: nil, limit: 1).items.first)
        #expect(campaign.audience == .users([UserID(rawValue: "user-2")!]))
        #expect(campaign.message.data["from"] == .string("user-1"))
        #expect(campaign.message.content[Message.defaultLanguage]?.title == "From me")
        try await world.dispatching(world.dispatcher()) { try await world.wait(for: .sent, of: campaign.id) }
        #expect(world.sender.sent.map(\.device.rawValue) == [2])
        // Whether somebody is there is not told.
        #expect(try await room(world).send(try message(to: "nobody"), from: caller(world)) == nil)
    }

    @Test func `what a person types is no template, and quiet hours and control groups do not keep it back`()
        async throws
    {
        let world = try await world()
        _ = try await allow(world) { $0.perDevice = 60 }
        var change = AppUpdate()
        change.sendingRules = SendingRules()
        change.sendingRules?.quietHours = QuietHours(
            from: try #require(TimeOfDay("00:01")),
            to: try #require(TimeOfDay("00:00"))
        )
        change.sendingRules?.controlGroup = 50
        _ = try await world.apps.update(world.app, change)

        for user in 1...20 {
            try await world.addDevices(1, from: 100 + user) { _ in .init(user: "friend-\(user)") }
            let text = "{{attribute.plan}} {{user}} {{"
            #expect(try await room(world).send(try message(text, to: "friend-\(user)"), from: caller(world)) == nil)
            let campaign = try #require(
                try await world.campaigns.list(app: world.app, after: nil, limit: 1).items.first
            )
            try await world.dispatching(world.dispatcher()) { try await world.wait(for: .sent, of: campaign.id) }
        }

        #expect(world.sender.sent.count == 20)
        #expect(world.texts.values.allSatisfy { $0 == "default:{{attribute.plan}} {{user}} {{" })
    }

    @Test func `nothing goes unless the App allows it, its Users are proved and the Device is who it says`()
        async throws
    {
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
        #expect(try await world.campaigns.list(app: world.app, after: nil, limit: 1).items.isEmpty)
    }

    @Test func `the App bounds length and rate, of each Device and to each User`() async throws {
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

    @Test("S1-M4 who has many Devices sends no more than who has one")
    func limitsSenders() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(5) { .init(user: $0 == 5 ? "user-2" : "user-1") }
        _ = try await allow(world) { $0.perDevice = 3 }
        let room = room(world)

        for device in 1...3 { #expect(try await room.send(try message(), from: caller(world, device)) == nil) }

        #expect(try await room.send(try message(), from: caller(world, 4)) == .seconds(20))
        #expect(try await room.send(try message(to: "user-1"), from: caller(world, 5)) == nil)
    }

    @Test func `the App's back end is asked, signed, and no answer means no`() async throws {
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
        #expect(try await world.campaigns.list(app: world.app, after: nil, limit: 10).items.count == 1)
    }
}
