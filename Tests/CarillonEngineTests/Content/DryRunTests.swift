import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

@Suite("A dry run", .timeLimit(.minutes(5)))
struct DryRunTests {
    @Test("A dry run shows every payload with its sizes, and saves nothing") func showsPayloads() async throws {
        let world = try await DeliveryWorld()
        var request = world.request(.all, DeliveryWorld.message("Hi {{name | max: 10}}"))
        request.message.content["ko"] = LocalizedContent(body: "K")
        request.variants = [Variant(name: "a"), Variant(name: "b", content: ["default": LocalizedContent(body: "B")])]
        request.isAd = true
        request.adWording = AdWording(contact: "1", removeGuide: "G", position: .body)

        let answer = try await world.campaigns.dryRun(app: world.app, request, device: nil)

        #expect(answer.problems.isEmpty && answer.sample == nil)
        #expect(
            answer.renderings.map { [$0.variant, $0.language, $0.hasAdWords ? "ad" : nil] } == [
                ["a", "default", nil], ["a", "default", "ad"], ["a", "ko", nil], ["a", "ko", "ad"],
                ["b", "default", nil],
                ["b", "default", "ad"],
            ]
        )
        let zeros = String(repeating: "0", count: 24)
        #expect(answer.renderings[0].payload == "default:Hi {{attribute.name}}:" + zeros)
        #expect((answer.renderings[0].bytes, answer.renderings[0].mostBytes) == (37, 86))
        #expect(answer.renderings[3].payload == "ko:(광고) 1\nK\nG:" + zeros)
        #expect(answer.renderings[4].bytes == answer.renderings[4].mostBytes)
        #expect(try await world.campaigns.list(app: world.app, after: nil, limit: 10).items.isEmpty)
        #expect(world.sender.sent.isEmpty)
    }

    @Test("C-47, C-48 an App's limit may be below Apple's; the largest language is reported first")
    func sizes() async throws {
        let world = try await DeliveryWorld()
        _ = try await world.apps.update(world.app, AppUpdate(payloadLimit: 256))
        // The test's payload is the key, two colons, the text and the receipt.
        var request = world.request(.all, DeliveryWorld.message(String(repeating: "d", count: 256 - 24 - 9)))
        let fits = try await world.campaigns.dryRun(app: world.app, request, device: nil)
        #expect(fits.problems.isEmpty && fits.renderings.map(\.bytes) == [256])

        request.message.content["ja"] = LocalizedContent(body: String(repeating: "j", count: 300))
        request.message.content["ko"] = LocalizedContent(body: String(repeating: "k", count: 400))
        let answer = try await world.campaigns.dryRun(app: world.app, request, device: nil)

        #expect(
            answer.problems == [
                FieldError(field: "message.content.ko", problem: "must render to at most 256 bytes, not 428"),
                FieldError(field: "message.content.ja", problem: "must render to at most 256 bytes, not 328"),
            ]
        )
        #expect(answer.renderings.map(\.language) == ["default"])
        await #expect(throws: EngineError.invalidFields(answer.problems)) {
            try await world.campaigns.create(app: world.app, request)
        }
    }

    @Test("A dry run shows what a Device would get, or its skip reason") func showsDevices() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(4) { number in
            switch number {
            case 1: .init(language: "ko", user: "u1")
            case 2: .init(consent: [])
            case 3: .init(tokenState: .none)
            default: .init()
            }
        }
        try await world.set("name", .string("Kim"), of: "u1")
        var request = world.request(.all, DeliveryWorld.message("Hi {{name}}"))
        request.message.content["ko"] = LocalizedContent(body: "{{name}}님")
        func sample(_ number: Int) async throws -> DryRun.Sample? {
            try await world.campaigns.dryRun(app: world.app, request, device: DeliveryWorld.id(number)).sample
        }

        let one = try await sample(1)
        #expect(one?.reason == nil && one?.language == "ko")
        #expect(one?.payload == "ko:Kim님:" + String(repeating: "0", count: 24))
        #expect(one?.bytes == one?.payload?.utf8.count)
        #expect(try await sample(2)?.reason == "NoConsent")
        #expect(try await sample(3)?.reason == "NoToken")
        #expect(try await sample(4)?.reason == "MissingValue")
        #expect(try await sample(4)?.payload == nil)
        await #expect(throws: EngineError.notFound(.device)) { _ = try await sample(9) }
    }

    @Test(
        "S1-operators-4 a dry run reports every problem that creating refuses",
        arguments: [
            ("audience.rule", "must name what the App has, not tag:\"none\""),
            ("audience.saved", "must be a saved audience of the App"),
            ("statisticsID", "must be a statistics id of the App"),
            ("sendAt", "must be at most 60 days ahead"),
            ("schedule", "must have a time that is still to come"),
        ]
    )
    func findsWhatCreatingRefuses(_ field: String, _ problem: String) async throws {
        let world = try await DeliveryWorld()
        var request = world.request()
        switch field {
        case "audience.rule": request.audience = .rule(.term(.tagName("none")))
        case "audience.saved": request.audience = .saved(world.ids.next())
        case "statisticsID": request.statisticsID = world.ids.next()
        case "sendAt": request.sendAt = Timestamp("2030-01-01T00:00:00Z")
        default: request.schedule = Schedule(.at([try #require(WallTime("2020-01-01T00:00"))]), zone: "Asia/Seoul")
        }
        let expected = FieldError(field: field, problem: problem)

        let answer = try await world.campaigns.dryRun(app: world.app, request, device: nil)

        #expect(answer.problems == [expected] && answer.startsAt == nil)
        await #expect(throws: EngineError.invalid(expected)) {
            try await world.campaigns.create(app: world.app, request)
        }
    }

    @Test("S1-operators-4 a dry run reports all problems at once, and when a Campaign would begin")
    func showsAllProblems() async throws {
        let world = try await DeliveryWorld()
        var request = world.request()
        let later = (world.time.now() as Timestamp).advanced(by: .seconds(60))
        request.sendAt = later
        #expect(try await world.campaigns.dryRun(app: world.app, request, device: nil).startsAt == later)
        request.sendAt = nil
        let now: Timestamp = world.time.now()
        #expect(try await world.campaigns.dryRun(app: world.app, request, device: nil).startsAt == now)

        request.sendAt = Timestamp("2030-01-01T00:00:00Z")
        request.statisticsID = world.ids.next()
        let answer = try await world.campaigns.dryRun(app: world.app, request, device: nil)
        #expect(answer.problems.map(\.field) == ["statisticsID", "sendAt"])
    }

    @Test("S1-operators-7 an App without a push key refuses Campaigns at once, and accepts drafts")
    func refusesWithoutPushKey() async throws {
        let world = try await DeliveryWorld()
        let other = try await world.apps.create(AppRequest(name: "Other", bundleID: "com.example.other")).app.id
        let missing = FieldError(
            field: "app",
            problem: "must have a push key: set it with PUT /v1/apps/{app}/push-key"
        )
        var request = world.request()
        #expect(try await world.campaigns.dryRun(app: other, request, device: nil).problems == [missing])
        await #expect(throws: EngineError.invalid(missing)) { try await world.campaigns.create(app: other, request) }

        request.draft = true
        let draft = try await world.campaigns.create(app: other, request)
        await #expect(throws: EngineError.invalid(missing)) { try await world.campaigns.send(draft.id, within: other) }
        let now: Timestamp = world.time.now()
        _ = try await world.stores.apps.setPushKey(other, keyID: "K", teamID: "T", sealedPrivateKey: [1], at: now)
        #expect(try await world.campaigns.send(draft.id, within: other).state == .sending)
    }

    @Test("S1-operators-7 Campaigns that an alarm paused are counted until somebody resumes or cancels them")
    func countsHalted() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        world.sender.answer { _ in .halt(.noPushKey) }
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        #expect(await world.campaigns.haltedCount() == 0)
        try await world.dispatching(world.dispatcher()) { try await world.wait(for: .paused, of: campaign.id) }
        #expect(await world.campaigns.haltedCount() == 1)
        let halted = try await world.campaigns.halted(app: world.app, limit: 5)
        #expect(halted.map(\.id) == [campaign.id])
        #expect(halted.first?.alarm?.hasPrefix("NoPushKey") == true)

        _ = try await world.campaigns.cancel(campaign.id, within: nil)
        #expect(await world.campaigns.haltedCount() == 0)
    }

    @Test("S1-M6 personal messages in an open App require its explicit setting")
    func refusesPersonalMessagesInOpenApps() async throws {
        let world = try await DeliveryWorld()
        let open = try await world.apps.create(AppRequest(name: "o", bundleID: "com.example.o", identity: .open)).app.id
        let now: Timestamp = world.time.now()
        _ = try await world.stores.apps.setPushKey(open, keyID: "K", teamID: "T", sealedPrivateKey: [1], at: now)
        let user = try #require(UserID(rawValue: "u1"))
        let personal = [
            world.request(.users([user])),
            world.request(.rule(.not(.term(.user(.isEqual(user)))))),
            world.request(.all, DeliveryWorld.message("Hi {{name}}")),
        ]
        for request in personal {
            let problem = try #require(
                try await world.campaigns.dryRun(app: open, request, device: nil).problems.first
            )
            #expect(problem.problem.contains("personalMessages"))
            await #expect(throws: EngineError.invalid(problem)) { try await world.campaigns.create(app: open, request) }
        }
        var plain = world.request()
        plain.draft = true
        let draft = try await world.campaigns.create(app: open, plain)
        await #expect(throws: EngineError.self) {
            var change = CampaignUpdate()
            change.audience = .users([user])
            _ = try await world.campaigns.change(draft.id, within: open, change)
        }

        var update = AppUpdate()
        update.personalMessages = true
        #expect(try await world.apps.update(open, update).personalMessages)
        for request in personal { _ = try await world.campaigns.create(app: open, request) }
    }
}
