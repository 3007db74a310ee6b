import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite("Personal fields", .timeLimit(.minutes(5)))
struct PersonalTests {
    private func world(_ sender: FakeSender = FakeSender()) async throws -> DeliveryWorld {
        let world = try await DeliveryWorld(sender: sender)
        try await world.addDevices(4) { number in
            switch number {
            case 1: .init(language: "ko-KR", user: "u1")
            case 2: .init(user: "u2")
            case 3: .init(user: "u3")
            default: .init()
            }
        }
        try await world.set("name", .string("민수 \"M\""), of: "u1")
        try await world.set("age", .integer(41), of: "u1")
        try await world.set("name", .string("Ada\nL\\"), of: "u2")
        try await world.set("age", .number(1.5), of: "u2")
        try await world.set("name", .string(""), of: "u3")
        return world
    }

    @Test("Fields are filled in for each Device and escaped as JSON; without value and default they are empty")
    func fillsFields() async throws {
        let world = try await world()
        var message = DeliveryWorld.message("Hi {{name}}, {{attribute.age | default: \"?\"}}")
        message.content["ko"] = LocalizedContent(body: "{{name | max: 2}}님 {{user}} {{language}}")

        let campaign = try await world.deliver(world.request(.all, message))

        #expect(world.texts == [1: "ko:민수님 u1 ko-KR", 2: #"default:Hi Ada\nL\\, 1.5"#])
        let funnel = try await world.funnel(campaign.id)
        #expect((funnel.accepted, funnel.skipped) == (2, ["MissingValue": 2]))
        #expect(try await world.deliveries(campaign.id)[3]?.reason == "MissingValue")
    }

    @Test("The receipt is right at any position") func placesReceipts() async throws {
        let world = try await world()
        let message = DeliveryWorld.message("{{name | default: \"you\"}}")
        let campaign = try await world.deliver(world.request(.all, message))

        let key = try await world.apps.receiptKey(for: world.app)
        let occurrence = try #require(campaign.occurrence)
        #expect(world.sender.sent.count == 4)
        for notification in world.sender.sent {
            let receipt = Array(String(decoding: notification.payload.suffix(24), as: UTF8.self).utf8)
            var expected = [UInt8](repeating: 0, count: 24)
            expected.withUnsafeMutableBytes { key.write(occurrence: occurrence, device: notification.device, into: $0) }
            #expect(receipt == expected)
        }
        #expect(Set(world.texts.values) == ["default:민수 \\\"M\\\"", "default:Ada\\nL\\\\", "default:you"])
    }

    @Test("A value that makes the payload too large fails that Device alone, with that reason")
    func failsLargePayloads() async throws {
        let world = try await world(FakeSender(limit: 60))
        try await world.set("bio", .string(String(repeating: "x", count: 40)), of: "u1")
        try await world.set("bio", .string("short"), of: "u2")

        let campaign = try await world.deliver(world.request(.all, DeliveryWorld.message("{{attribute.bio}}")))

        #expect(world.texts == [2: "default:short"])
        let funnel = try await world.funnel(campaign.id)
        #expect((funnel.failed, funnel.skipped) == (["PayloadTooLarge": 1], ["MissingValue": 2]))
    }

    @Test("Values are read again for a retry") func readsValuesForRetries() async throws {
        let world = try await world()
        world.sender.answer { _ in .retryLater(.notSent, after: nil) }
        try await world.dispatching(world.dispatcher()) {
            let campaign = try await world.campaigns.create(
                app: world.app,
                world.request(.devices([DeliveryWorld.id(2)]), DeliveryWorld.message("{{name}}"))
            )
            try await world.wait(of: campaign.id) { $0.retrying == 1 }
            try await world.database.write { connection in
                _ = try connection.run(
                    "UPDATE user_attributes SET text = 'Grace' WHERE user_id = 'u2' AND name = 'name'"
                )
            }
            world.sender.answer { _ in .accepted }
            #expect(try await world.advanceToNextRetry(of: campaign.id))
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(
            world.sender.sent.map { String(decoding: $0.payload.dropLast(25), as: UTF8.self) } == [
                "default:Ada\\nL\\\\", "default:Grace",
            ]
        )
    }

    @Test("Without fields no values are read") func readsNothingWithoutFields() async throws {
        let world = try await world()
        let store = FaultyStore(world.stores.deliveries)
        let facts = OccurrenceFacts(
            app: world.app,
            campaign: CampaignID(rawValue: 1),
            occurrence: OccurrenceID(rawValue: 2),
            audience: .all,
            message: DeliveryWorld.message("plain"),
            isAd: false,
            startedAt: world.time.now(),
            retryUntil: world.time.now()
        )
        let context = OccurrenceContext(facts: facts, sender: world.sender)

        #expect(context.personalFields.isEmpty && context.split == nil)
        #expect(try context.rendering(at: 0, for: .apns).template == nil)
        #expect(store.calls == 0)
    }

    @Test("A Campaign whose shortest payload is too large is refused") func refusesLargePayloads() async throws {
        let world = try await world(FakeSender(limit: 60))
        let text = String(repeating: "x", count: 50) + "{{name}}"

        await #expect(
            throws: EngineError.invalid(
                FieldError(field: "message.content.default", problem: "must render to at most 60 bytes, not 84")
            )
        ) { try await world.campaigns.create(app: world.app, world.request(.all, DeliveryWorld.message(text))) }
        let many = (0..<5).map { index in "b\(index)" }
        var message = DeliveryWorld.message()
        for name in many { message.data[name] = .string(String(repeating: "{{name}}", count: 16)) }
        await #expect(throws: EngineError.self) {
            try await world.campaigns.create(app: world.app, world.request(.all, message))
        }
    }

    @Test("Inboxes show the values at the time of reading") func fillsInboxes() async throws {
        let world = try await world()
        var content = LocalizedContent(
            title: "For {{name | default: \"you\"}}",
            body: "{{attribute.age | default: \"-\"}}"
        )
        content.link = "https://a.example/?n={{name | default: \"a b\"}}"
        _ = try await world.deliver(world.request(.all, Message(content: ["default": content])))

        let one = try await world.inboxes.inbox(
            app: world.app,
            device: DeliveryWorld.id(1),
            secret: DeliveryWorld.secret
        ).messages[0]
        let four = try await world.inboxes.inbox(
            app: world.app,
            device: DeliveryWorld.id(4),
            secret: DeliveryWorld.secret
        ).messages[0]
        #expect([one.title, one.body] == ["For 민수 \"M\"", "41"])
        #expect(one.link == "https://a.example/?n=%EB%AF%BC%EC%88%98%20%22M%22")
        #expect([four.title, four.body, four.link] == ["For you", "-", "https://a.example/?n=a%20b"])
    }

    @Test("T-64 the date of the consent to ads is in the phone's local time")
    func consentDate() async throws {
        let world = try await world()
        try await world.database.write { connection in
            _ = try connection.run("UPDATE devices SET ads_since = 1700000000000 WHERE number <= 2")
            _ = try connection.run("UPDATE devices SET time_zone = NULL WHERE number = 2")
        }

        _ = try await world.deliver(world.request(.all, DeliveryWorld.message("{{consent.ads}}")))

        #expect(world.texts == [1: "default:2023-11-15 07:13", 2: "default:2023-11-14 22:13 UTC"])
    }
}
