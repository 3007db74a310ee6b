import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@testable import CarillonConsole

/// Forms of the composer about Campaigns that are no drafts any more.
@Suite(.timeLimit(.minutes(2)))
struct TakenBackTests {
    /// A draft, and the form of its content as it was opened.
    private struct Draft {
        let campaign: Campaign
        let device: DeviceID
        let path: String
        let form: PageForm
    }

    private func draft(_ world: PageWorld, isLater: Bool = true) async throws -> Draft {
        let app = try await world.makeApp()
        let device = try await world.addDevice(1, of: app)
        let author = CampaignAuthor.operator(try #require(OperatorID("opr_000000000001")))
        let made = try await world.engine.campaigns.newDraft(app: app, name: "Show", by: author)
        var update = CampaignUpdate()
        (update.audience, update.isAd) = (.all, false)
        update.message = Message(content: ["default": LocalizedContent(title: "Exhibition", body: "Come and see")])
        if isLater { update.sendAt = world.clock.now().advanced(by: .seconds(7_200)) }
        let campaigns = world.engine.campaigns
        _ = try await campaigns.saveDraft(made.id, within: app, update, version: made.version, by: author)
        let path = "/apps/\(app)/campaigns/\(made.id)"
        let form = PageForm(try await world.get(path + "/edit/content").text)
        let saved = try await campaigns.campaign(made.id, within: app)
        return Draft(campaign: saved, device: device, path: path, form: form)
    }

    private func confirm(_ draft: Draft, _ world: PageWorld) async throws {
        let page = try await world.get(draft.path + "/edit/review").text
        let answer = try await PageForm(page, ticksAll: true).send(world, to: draft.path + "/confirm")
        #expect(answer.status == 303)
    }

    /// Sends the form of the content with a body.
    private func send(
        _ form: PageForm,
        _ draft: Draft,
        _ world: PageWorld,
        _ body: String,
        do button: String = "save",
        device: String? = nil
    ) async throws -> PageForm.Answer {
        try await form.send(
            world,
            to: draft.path + "/edit/content",
            [
                "language": "default", "message.content.default.title": "Exhibition",
                "message.content.default.body": body, "do": button, "testDevice": device,
            ]
        )
    }

    private func stored(_ draft: Draft, _ world: PageWorld) async throws -> Campaign {
        try await world.engine.campaigns.campaign(draft.campaign.id, within: draft.campaign.app)
    }

    @Test("K-57 A form from before the confirmation takes nothing back, and taking back needs a tick")
    func confirmedMeanwhile() async throws {
        try await PageWorld.run { world in
            let draft = try await self.draft(world)
            try await self.confirm(draft, world)
            let conflict = try await self.send(draft.form, draft, world, "Typed later")
            #expect(conflict.status == 409)
            #expect(conflict.text.contains("Typed later") && conflict.text.contains("it is now: Scheduled"))
            #expect(try await self.stored(draft, world).state == .scheduled)

            let unticked = try await PageForm(conflict.text).send(world, to: draft.path + "/edit/content")
            #expect(unticked.status == 422 && unticked.text.contains("Tick that the Campaign becomes a draft"))
            #expect(unticked.text.contains("Typed later"))
            #expect(try await self.stored(draft, world).state == .scheduled)

            let form = PageForm(conflict.text, ticksAll: true)
            #expect(try await form.send(world, to: draft.path + "/edit/content").status == 303)
            let after = try await self.stored(draft, world)
            #expect((after.state, after.message.content["default"]?.body) == (.draft, "Typed later"))
        }
    }

    @Test("K-38 A test of a scheduled Campaign sends what is typed, and takes nothing back")
    func test() async throws {
        try await PageWorld.run { world in
            let draft = try await self.draft(world)
            let device = TestDeviceRequest(device: draft.device, name: "Phone")
            _ = try await world.engine.testDevices.add(device, app: draft.campaign.app)
            let id = draft.device.description
            // What is stored already is not saved again.
            let same = try await self.send(draft.form, draft, world, "Come and see", do: "test", device: id)
            #expect(same.status == 303)
            #expect(try await self.stored(draft, world).version == draft.campaign.version)

            try await self.confirm(draft, world)
            let form = PageForm(try await world.get(draft.path + "/edit/content").text)
            let tested = try await self.send(form, draft, world, "Typed later", do: "test", device: id)
            #expect(tested.status == 200)
            #expect(tested.text.contains("data-waiting") && tested.text.contains("Typed later"))
            let after = try await self.stored(draft, world)
            #expect((after.state, after.version) == (.scheduled, draft.campaign.version))
            #expect(after.message.content["default"]?.body == "Come and see")
        }
    }

    @Test("K-57 What was typed about a Campaign that has begun is shown with 409, and the audit log has the refusal")
    func begun() async throws {
        try await PageWorld.run { world in
            let draft = try await self.draft(world, isLater: false)
            try await self.confirm(draft, world)
            for (body, button) in [("Typed later", "save"), ("Typed later", "add-language"), ("Typed later", "test")] {
                let answer = try await self.send(draft.form, draft, world, body, do: button)
                #expect(answer.status == 409, "\(button)")
                #expect(answer.text.contains("Typed later") && answer.text.contains("Open the Campaign"), "\(button)")
                #expect(!answer.text.contains("Keep mine"), "\(button)")
            }
            #expect(try await self.stored(draft, world).message.content["default"]?.body == "Come and see")
            let query = AuditQuery(app: draft.campaign.app, subject: .object(draft.campaign.id.description))
            let entries = try await world.engine.audit.entries(query, limit: 10).items
            #expect(entries.contains { $0.status == 409 })
        }
    }
}
