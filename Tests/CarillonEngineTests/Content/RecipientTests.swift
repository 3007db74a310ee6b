import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import Testing

@Suite("S1-operators-5 Recipients with values of their own", .timeLimit(.minutes(5)))
struct RecipientTests {
    private func world() async throws -> DeliveryWorld {
        let world = try await DeliveryWorld()
        try await world.addDevices(5) { number in
            switch number {
            case 1, 2: .init(user: "u1")
            case 3: .init(user: "u2")
            case 4: .init(user: "u3")
            default: .init()
            }
        }
        return world
    }

    private func recipient(_ user: String, _ values: [String: String] = [:]) throws -> CampaignRecipient {
        CampaignRecipient(user: try #require(UserID(rawValue: user)), values: TemplateValues(values))
    }

    private func request(
        _ text: String,
        _ recipients: [CampaignRecipient],
        in world: DeliveryWorld
    ) -> CampaignRequest {
        var request = world.request(.users(recipients.map(\.user)), DeliveryWorld.message(text))
        request.recipients = recipients
        return request
    }

    @Test("S1-operators-5 each recipient's Devices get that User's values, and no others get anything")
    func delivers() async throws {
        let world = try await world()
        let recipients = [
            try recipient("u1", ["order": "A \"1\"", "shop": "渋谷"]), try recipient("u2", ["order": "B\\2"]),
        ]

        let campaign = try await world.deliver(
            request("{{recipient.order}} {{recipient.shop | default: \"-\" | max: 1}} {{user}}", recipients, in: world)
        )

        #expect(
            world.texts == [
                1: #"default:A \"1\" 渋 u1"#, 2: #"default:A \"1\" 渋 u1"#, 3: #"default:B\\2 - u2"#,
            ]
        )
        #expect(campaign.audience == .users(recipients.map(\.user)))
        #expect(try await world.funnel(campaign.id).skipped.isEmpty)
    }

    @Test("S1-operators-5 recipients of a long list, and of the one that replaced it, get their values")
    func longLists() async throws {
        let world = try await world()
        let others = try (0..<2_500).map { try recipient("x\($0)", ["order": "x"]) }
        let ours = try ["u1", "u2", "u3"].map { try recipient($0, ["order": "old \($0)"]) }
        var draft = request("{{recipient.order}}", others + ours, in: world)
        draft.draft = true
        let id = try await world.campaigns.create(app: world.app, draft).id
        var update = CampaignUpdate()
        update.recipients = others + (try [recipient("u1", ["order": "new 1"]), recipient("u2", ["order": "new 2"])])
        update.audience = update.recipients.map { .users($0.map(\.user)) }
        _ = try await world.campaigns.change(id, within: nil, update)

        try await world.dispatching(world.dispatcher()) {
            _ = try await world.campaigns.send(id, within: nil)
            try await world.wait(for: .sent, of: id)
        }

        #expect(world.texts == [1: "default:new 1", 2: "default:new 1", 3: "default:new 2"])
        let inbox = try await world.inboxes.inbox(
            app: world.app,
            device: DeliveryWorld.id(3),
            secret: DeliveryWorld.secret
        )
        #expect(inbox.messages.map(\.body) == ["new 2"])
    }

    @Test("S1-operators-5 two Campaigns to one User have separate values, in inboxes too")
    func inboxes() async throws {
        let world = try await world()
        for order in ["1", "2"] {
            _ = try await world.deliver(
                request("Order {{recipient.order}}", [try recipient("u1", ["order": order])], in: world)
            )
        }
        _ = try await world.deliver(world.request(.all, DeliveryWorld.message("All")))

        let inbox = try await world.inboxes.inbox(
            app: world.app,
            device: DeliveryWorld.id(2),
            secret: DeliveryWorld.secret
        )

        #expect(inbox.messages.map(\.body).contains("Order 1") && inbox.messages.map(\.body).contains("Order 2"))
        #expect(inbox.messages.count == 3)
    }

    @Test(
        "S1-operators-5 values that do not match the fields are refused before anything is saved",
        arguments: [
            ("{{recipient.order}}", ["order": ""], "recipients.1.values.order"),
            ("{{recipient.order}}", [:], "recipients.1.values.order"),
            ("{{recipient.order}}", ["order": "1", "odrer": "2"], "recipients.1.values.odrer"),
            ("no place", ["order": "1"], "recipients.0.values.order"),
        ]
    )
    func refuses(_ text: String, _ values: [String: String], _ field: String) async throws {
        let world = try await world()
        let recipients = [try recipient("u1", ["order": "1"]), try recipient("u2", values)]
        let request = request(text, recipients, in: world)

        let answer = try await world.campaigns.dryRun(app: world.app, request, device: nil)
        #expect(answer.problems.map(\.field) == [field])
        let problem = try #require(answer.problems.first)
        await #expect(throws: EngineError.invalid(problem)) {
            try await world.campaigns.create(app: world.app, request)
        }
        #expect(try await world.campaigns.list(app: world.app, after: nil, limit: 10).items.isEmpty)
    }

    @Test("S1-operators-5 a field of a recipient needs recipients, or a default")
    func audienceWithPlaces() async throws {
        let world = try await world()
        let message = DeliveryWorld.message("{{recipient.order}}")
        let problem = FieldError(field: "recipients", problem: "is required: a text has a place for recipient.order")
        await #expect(throws: EngineError.invalid(problem)) {
            try await world.campaigns.create(app: world.app, world.request(.all, message))
        }

        _ = try await world.deliver(
            world.request(.all, DeliveryWorld.message("{{recipient.order | default: \"none\"}}"))
        )
        #expect(Set(world.texts.values) == ["default:none"] && world.texts.count == 5)
    }

    @Test("S1-operators-5 a draft's recipients can be replaced, and another audience deletes them")
    func changes() async throws {
        let world = try await world()
        var draft = request("{{recipient.order}}", [try recipient("u1", ["order": "1"])], in: world)
        draft.draft = true
        let id = try await world.campaigns.create(app: world.app, draft).id

        var update = CampaignUpdate()
        update.recipients = [try recipient("u2", [:])]
        update.audience = .users([try recipient("u2").user])
        await #expect(throws: EngineError.self) { try await world.campaigns.change(id, within: nil, update) }
        update = CampaignUpdate()
        update.message = DeliveryWorld.message("{{recipient.other}}")
        await #expect(throws: EngineError.self) { try await world.campaigns.change(id, within: nil, update) }
        update = CampaignUpdate()
        update.audience = .all
        let problem = FieldError(field: "recipients", problem: "is required: a text has a place for recipient.order")
        await #expect(throws: EngineError.invalid(problem)) {
            try await world.campaigns.change(id, within: nil, update)
        }

        update = CampaignUpdate()
        update.recipients = [try recipient("u2", ["order": "2"])]
        update.audience = .users([try recipient("u2").user])
        #expect(try await world.campaigns.change(id, within: nil, update).audience == update.audience)
        #expect(try await world.stores.campaigns.recipients(of: id, app: world.app) == update.recipients)
        try await world.dispatching(world.dispatcher()) {
            _ = try await world.campaigns.send(id, within: nil)
            try await world.wait(for: .sent, of: id)
        }
        #expect(world.texts == [3: "default:2"])
    }

    @Test("S1-operators-5 a test send fills the fields with sample values, and a dry run with the sample's User")
    func tries() async throws {
        let world = try await world()
        let message = DeliveryWorld.message("Order {{recipient.order}}")
        var test = TestSendRequest(device: DeliveryWorld.id(5), message: message)
        await #expect(
            throws: EngineError.invalid(FieldError(field: "recipientValues.order", problem: "is required"))
        ) { try await world.campaigns.test(app: world.app, test) }
        test.recipientValues = TemplateValues(["order": "7"])
        try await world.dispatching(world.dispatcher()) {
            let campaign = try await world.campaigns.test(app: world.app, test)
            try await world.wait(for: .sent, of: campaign.id)
        }
        #expect(world.texts == [5: "default:Order 7"])

        let request = request("Order {{recipient.order}}", [try recipient("u2", ["order": "8"])], in: world)
        func sample(_ number: Int) async throws -> DryRun.Sample? {
            try await world.campaigns.dryRun(app: world.app, request, device: DeliveryWorld.id(number)).sample
        }
        #expect(try await sample(3)?.payload?.hasPrefix("default:Order 8:") == true)
        #expect(try await sample(4)?.reason == "MissingValue")
    }

    @Test("S1-operators-5 values are erased and exported with their User, and deleted with the Campaign's list")
    func ends() async throws {
        let world = try await world()
        let users = Users(store: world.stores.users, apps: world.apps, clock: world.time)
        let recipients = [try recipient("u1", ["order": "mark1"]), try recipient("u2", ["order": "mark2"])]
        let campaign = try await world.deliver(request("{{recipient.order}}", recipients, in: world)).id
        func kept() async throws -> [CampaignRecipient] {
            try await world.stores.campaigns.recipients(of: campaign, app: world.app)
        }

        var export = try await users.export(recipients[0].user, app: world.app)
        var text = ""
        while let part = try await export.next() { text += String(decoding: part, as: UTF8.self) }
        #expect(text.contains(#""kind":"recipientValues""#) && text.contains("mark1") && !text.contains("mark2"))
        try await users.erase(recipients[0].user, app: world.app)
        #expect(try await kept() == [recipients[1]])

        world.time.advance(by: .seconds(100 * 86_400))
        var options = Retention.Options()
        options.pause = .zero
        let retention = Retention(
            options: options,
            store: world.stores.retention,
            apps: world.stores.apps,
            users: users,
            clock: world.time,
            timer: world.time,
            logger: world.log.logger
        )
        #expect(await retention.round())
        #expect(try await kept().isEmpty)
    }

    @Test("S2-6 a change that was read before another change or an erasure overwrites nothing")
    func outdatedChange() async throws {
        let world = try await world()
        var draft = request("{{recipient.order}}", [try recipient("u1", ["order": "1"])], in: world)
        draft.draft = true
        let id = try await world.campaigns.create(app: world.app, draft).id
        let read = try #require(try await world.stores.campaigns.planned(id, within: nil))
        var first = CampaignUpdate()
        first.recipients = [try recipient("u2", ["order": "2"])]
        first.audience = .users([try recipient("u2").user])
        _ = try await world.campaigns.change(id, within: nil, first)

        var second = read
        second.campaign.name = "late"
        var update = CampaignUpdate()
        update.name = .some("late")
        let change = try await world.stores.campaigns.change(
            PlannedChange(second, from: read, update, list: CampaignID(rawValue: 1)),
            at: world.time.now()
        )

        #expect(change?.isOutdated == true)
        let stored = try await world.campaigns.campaign(id, within: nil)
        #expect(stored.name == nil && stored.audience == first.audience)
        #expect(try await world.stores.campaigns.recipients(of: id, app: world.app) == first.recipients)
    }

    @Test("S2-6 stored values may lack a field in the message, but no field may lack a value")
    func messageChange() async throws {
        let world = try await world()
        let recipients = [try recipient("u1", ["order": "1", "shop": "s"])]
        var draft = request("{{recipient.order}} {{recipient.shop}}", recipients, in: world)
        draft.draft = true
        let id = try await world.campaigns.create(app: world.app, draft).id
        for (text, isRefused) in [("{{recipient.order}}", false), ("plain", false), ("{{recipient.x}}", true)] {
            var update = CampaignUpdate()
            update.message = DeliveryWorld.message(text)
            let campaign = try? await world.campaigns.change(id, within: nil, update)
            #expect((campaign == nil) == isRefused)
        }
    }

    @Test("S2-9 an encoded request has recipients or an audience")
    func encoding() async throws {
        let world = try await world()
        let request = request("{{recipient.order}}", [try recipient("u1", ["order": "1"])], in: world)
        let data = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode([String: JSONValue].self, from: data)["audience"] == nil)
        #expect(try JSONDecoder().decode(CampaignRequest.self, from: data) == request)
        let plain = world.request(.all, DeliveryWorld.message())
        let written = try JSONDecoder().decode(CampaignRequest.self, from: JSONEncoder().encode(plain))
        #expect(written == plain)
    }
}
