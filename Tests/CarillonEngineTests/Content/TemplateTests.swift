import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

@Suite("Templates", .timeLimit(.minutes(5)))
struct TemplateTests {
    private func templates(_ world: DeliveryWorld) -> Templates {
        Templates(store: world.stores.templates, ids: world.ids, clock: world.time)
    }

    @Test("Templates are created, shown, listed, changed and deleted, within their App")
    func managesTemplates() async throws {
        let world = try await DeliveryWorld()
        let other = try await world.apps.create(AppRequest(name: "Other", bundleID: "com.example.other")).app.id
        let templates = templates(world)
        let message = DeliveryWorld.message("one")

        let one = try await templates.create(app: world.app, TemplateRequest(name: "one", message: message))
        let two = try await templates.create(app: world.app, TemplateRequest(name: "two", message: message))
        let theirs = try await templates.create(app: other, TemplateRequest(name: "one", message: message))

        #expect(try await templates.template(one.id, within: world.app) == one)
        #expect(try await templates.template(theirs.id, within: nil) == theirs)
        await #expect(throws: EngineError.notFound(.template)) {
            try await templates.template(theirs.id, within: world.app)
        }
        let page = try await templates.list(app: world.app, after: nil, limit: 1)
        #expect(page.items == [one] && page.nextCursor == one.id.description)
        #expect(
            try await templates.list(app: world.app, after: one.id, limit: 1) == Page(items: [two], nextCursor: nil)
        )
        await #expect(throws: EngineError.conflict("The App has a template of this name.")) {
            try await templates.create(app: world.app, TemplateRequest(name: "two", message: message))
        }
        await #expect(throws: EngineError.conflict("The App has a template of this name.")) {
            try await templates.replace(one.id, within: nil, with: TemplateRequest(name: "two", message: message))
        }
        world.time.advance(by: .seconds(1))
        let changed = try await templates.replace(
            one.id,
            within: world.app,
            with: TemplateRequest(name: "one", message: DeliveryWorld.message("new"))
        )
        #expect(changed.updatedAt == world.time.now() && changed.createdAt == one.createdAt)
        #expect(try await templates.template(one.id, within: nil) == changed)
        await #expect(throws: EngineError.notFound(.template)) { try await templates.delete(one.id, within: other) }
        try await templates.delete(one.id, within: world.app)
        await #expect(throws: EngineError.notFound(.template)) { try await templates.delete(one.id, within: nil) }
        await #expect(throws: EngineError.notFound(.app)) {
            try await templates.create(app: AppID(rawValue: 5), TemplateRequest(name: "x", message: message))
        }
    }

    @Test("A Campaign has the template's message at its acceptance, with the request's values")
    func copiesTheMessage() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1) { _ in .init(user: "u1") }
        try await world.set("name", .string("Kim"), of: "u1")
        let templates = templates(world)
        let template = try await templates.create(
            app: world.app,
            TemplateRequest(
                name: "order",
                message: DeliveryWorld.message("{{name}}: order {{value.order}} {{value.x | default: \"-\"}}")
            )
        )
        var request = world.request()
        request.template = template.id
        request.values = TemplateValues(["order": "17 {{"])

        let campaign = try await world.deliver(request)

        #expect(world.texts == [1: "default:Kim: order 17 {{ -"])
        #expect(campaign.template == template.id)
        try await templates.delete(template.id, within: nil)
        await #expect(
            throws: EngineError.invalid(FieldError(field: "template", problem: "must be a template of the App"))
        ) { try await world.campaigns.create(app: world.app, request) }
    }

    @Test("Templates are tested on one Device, with values, without quiet hours and counts")
    func testsTemplates() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2)
        var change = AppUpdate()
        change.sendingRules = SendingRules()
        // All day but one minute.
        change.sendingRules?.quietHours = QuietHours(
            from: try #require(.init("00:01")),
            until: try #require(.init("00:00"))
        )
        _ = try await world.apps.update(world.app, change)
        let template = try await templates(world).create(
            app: world.app,
            TemplateRequest(name: "order", message: DeliveryWorld.message("order {{value.order}}"))
        )
        var request = TestSendRequest(template: template.id, device: DeliveryWorld.id(2))
        await #expect(throws: EngineError.invalid(FieldError(field: "values.order", problem: "is required"))) {
            try await world.campaigns.test(app: world.app, request)
        }
        request.values = TemplateValues(["order": "17"])

        try await world.dispatching(world.dispatcher()) {
            let sent = try await world.campaigns.test(app: world.app, request)
            try await world.wait(for: .sent, of: sent.id)
        }

        #expect(world.texts == [2: "default:order 17"])
        request.template = TemplateID(rawValue: 5)
        await #expect(
            throws: EngineError.invalid(FieldError(field: "template", problem: "must be a template of the App"))
        ) { try await world.campaigns.test(app: world.app, request) }
    }

    @Test("A template without required values is refused") func requiresValues() async throws {
        let world = try await DeliveryWorld()
        let template = try await templates(world).create(
            app: world.app,
            TemplateRequest(name: "order", message: DeliveryWorld.message("{{value.order}}"))
        )
        var request = world.request()
        request.template = template.id

        await #expect(throws: EngineError.invalid(FieldError(field: "values.order", problem: "is required"))) {
            try await world.campaigns.create(app: world.app, request)
        }
        let dry = try await world.campaigns.dryRun(app: world.app, request, device: nil)
        #expect(dry.problems == [FieldError(field: "values.order", problem: "is required")])
    }
}
