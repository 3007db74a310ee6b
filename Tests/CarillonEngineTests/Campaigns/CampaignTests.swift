import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CampaignTests {
    @Test("A Campaign without a time begins when it is accepted") func beginsAtOnce() async throws {
        let world = try await DeliveryWorld()
        var request = world.request()
        request.name = "Spring"
        request.isAd = true
        request.sendAt = world.time.now().advanced(by: .seconds(-5))

        let campaign = try await world.campaigns.create(app: world.app, request)

        #expect((campaign.state, campaign.name, campaign.isAd) == (.sending, "Spring", true))
        #expect((campaign.createdAt, campaign.startedAt) == (world.time.now(), world.time.now()))
        #expect(campaign.occurrence != nil)
        #expect(try await world.campaigns.campaign(campaign.id, within: world.app) == campaign)
        #expect(try await world.campaigns.campaign(campaign.id, within: nil) == campaign)
    }

    @Test("A Campaign of another App is not found") func hidesOtherApps() async throws {
        let world = try await DeliveryWorld()
        let other = try await world.apps.create(AppRequest(name: "Other", bundleID: "com.example.other")).app.id
        let campaign = try await world.campaigns.create(app: world.app, world.request()).id

        let calls: [() async throws -> Void] = [
            { _ = try await world.campaigns.campaign(campaign, within: other) },
            { _ = try await world.campaigns.cancel(campaign, within: other) },
            { _ = try await world.campaigns.send(campaign, within: other) },
            { _ = try await world.campaigns.funnel(campaign, within: other) },
            { _ = try await world.campaigns.failures(campaign, within: other) },
            { _ = try await world.campaigns.deliveries(campaign, within: other, cursor: nil, limit: 1) },
            { _ = try await world.campaigns.progress(campaign, within: other) },
        ]
        for call in calls {
            await #expect(throws: EngineError.notFound(.campaign)) { try await call() }
        }
        let unknown = AppID(rawValue: 1)
        await #expect(throws: EngineError.notFound(.app)) {
            _ = try await world.campaigns.create(app: unknown, world.request())
        }
    }

    @Test("A message with a too large payload is refused") func refusesLargePayloads() async throws {
        let world = try await DeliveryWorld(sender: FakeSender(limit: 100))
        var message = DeliveryWorld.message()
        message.content["ja"] = LocalizedContent(body: String(repeating: "x", count: 98))

        let problem = FieldError(field: "message.content.ja", problem: "must render to at most 100 bytes, not 126")
        await #expect(throws: EngineError.invalid(problem)) {
            _ = try await world.campaigns.create(app: world.app, world.request(.all, message))
        }
        #expect(try await world.campaigns.list(app: nil, after: nil, limit: 10).items == [])
    }

    @Test("A time more than sixty days ahead is refused") func refusesDistantTimes() async throws {
        let world = try await DeliveryWorld()
        var request = world.request()
        request.sendAt = world.time.now().advanced(by: .seconds(60 * 86_400))
        #expect(try await world.campaigns.create(app: world.app, request).state == .scheduled)

        request.sendAt = world.time.now().advanced(by: .seconds(60 * 86_400 + 1))
        let problem = FieldError(field: "sendAt", problem: "must be at most 60 days ahead")
        await #expect(throws: EngineError.invalid(problem)) {
            _ = try await world.campaigns.create(app: world.app, request)
        }
    }

    @Test("S1-operators-20 A past time is refused unless it is asked for; a few minutes are the difference of clocks")
    func refusesPastTimes() async throws {
        let world = try await DeliveryWorld()
        var request = world.request()
        request.sendAt = world.time.now().advanced(by: .seconds(-301))
        let problem = FieldError(
            field: "sendAt",
            problem: "must not be past: leave it out to send now, or set sendsLate"
        )
        await #expect(throws: EngineError.invalid(problem)) {
            _ = try await world.campaigns.create(app: world.app, request)
        }
        request.sendsLate = true
        #expect(try await world.campaigns.create(app: world.app, request).state == .sending)
        request.sendsLate = false
        request.sendAt = world.time.now().advanced(by: .seconds(-300))
        #expect(try await world.campaigns.create(app: world.app, request).state == .sending)

        // The same holds for a change, and for a draft that is sent after its time.
        request.sendAt = world.time.now().advanced(by: .seconds(60))
        let later = try await world.campaigns.create(app: world.app, request)
        var update = CampaignUpdate()
        update.sendAt = Timestamp("2001-01-01T00:00:00Z")
        await #expect(throws: EngineError.invalid(problem)) {
            _ = try await world.campaigns.change(later.id, within: nil, update)
        }
        update.sendsLate = true
        let now = try await world.campaigns.change(later.id, within: nil, update).nextAt
        #expect(now == world.time.now())
    }

    @Test("Only drafts can be deleted, with their recipients")
    func deletesDrafts() async throws {
        let world = try await DeliveryWorld()
        var request = world.request()
        request.draft = true
        let draft = try await world.campaigns.create(app: world.app, request)
        let other = try await world.apps.create(AppRequest(name: "Other", bundleID: "com.example.other")).app.id
        await #expect(throws: EngineError.notFound(.campaign)) {
            try await world.campaigns.delete(draft.id, within: other)
        }
        try await world.campaigns.delete(draft.id, within: world.app)
        await #expect(throws: EngineError.notFound(.campaign)) {
            _ = try await world.campaigns.campaign(draft.id, within: nil)
        }
        request.draft = false
        let sending = try await world.campaigns.create(app: world.app, request)
        await #expect(throws: EngineError.conflict("The campaign is sending: only drafts can be deleted.")) {
            try await world.campaigns.delete(sending.id, within: nil)
        }
    }

    @Test("A paused Campaign is continued by resuming it alone")
    func resumesAlone() async throws {
        let world = try await DeliveryWorld()
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        _ = try await world.campaigns.pause(campaign.id, within: nil)
        await #expect(throws: EngineError.conflict("The campaign is paused, not a draft.")) {
            _ = try await world.campaigns.send(campaign.id, within: nil)
        }
        #expect(try await world.campaigns.resume(campaign.id, within: nil).state == .sending)
    }

    @Test("S1-operators-19 A test send to a Device that the App does not have is refused")
    func refusesTestsToNobody() async throws {
        let world = try await DeliveryWorld()
        let request = TestSendRequest(device: DeliveryWorld.id(9), message: DeliveryWorld.message())
        let problem = FieldError(field: "device", problem: "must be a Device of the App")
        await #expect(throws: EngineError.invalid(problem)) {
            _ = try await world.campaigns.test(app: world.app, request)
        }
    }

    @Test("A draft begins when it is sent") func sendsDrafts() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        var request = world.request()
        request.draft = true
        let draft = try await world.campaigns.create(app: world.app, request)
        #expect((draft.state, draft.occurrence) == (.draft, nil))

        let sending = try await world.campaigns.send(draft.id, within: world.app)
        #expect(sending.state == .sending)
        await #expect(throws: EngineError.conflict("The campaign is sending, not a draft.")) {
            _ = try await world.campaigns.send(draft.id, within: world.app)
        }
        try await world.dispatching(world.dispatcher()) { try await world.wait(for: .sent, of: draft.id) }
        #expect(world.sender.sent.count == 3)
    }

    @Test("A scheduled Campaign goes at its time to the Devices that exist then")
    func sendsScheduledCampaigns() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        var request = world.request()
        request.draft = true
        request.sendAt = world.time.now().advanced(by: .seconds(3_600))
        let draft = try await world.campaigns.create(app: world.app, request)
        let scheduled = try await world.campaigns.send(draft.id, within: world.app)
        #expect((scheduled.state, scheduled.occurrence) == (.scheduled, nil))

        try await world.dispatching(world.dispatcher()) {
            await world.time.sleepers(1)
            world.time.advance(by: .seconds(3_599))
            await world.time.sleepers(1)
            #expect(world.sender.sent.isEmpty)
            try await world.addDevices(2, from: 4)
            world.time.advance(by: .seconds(1))
            try await world.wait(for: .sent, of: draft.id)
        }

        #expect(world.sender.sent.count == 5)
        #expect(try await world.campaigns.campaign(draft.id, within: nil).startedAt == request.sendAt)
    }

    @Test("Devices that register after the start are not included") func excludesLaterDevices() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        try await world.addDevices(3, from: 4)

        try await world.dispatching(world.dispatcher()) { try await world.wait(for: .sent, of: campaign.id) }

        #expect(Set(world.sender.sent.map(\.device.rawValue)) == [1, 2, 3])
    }

    @Test("A list of Users reaches all their Devices once") func sendsToUsers() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(100) { .init(user: "u\($0 % 10)") }
        let users = ["u3", "u3", "u7", "nobody"].compactMap(UserID.init(rawValue:))
        let campaign = try await world.campaigns.create(app: world.app, world.request(.users(users)))

        try await world.dispatching(world.dispatcher { $0.chunkSize = 6 }) {
            try await world.wait(for: .sent, of: campaign.id)
        }

        let numbers = world.sender.sent.map(\.device.rawValue)
        #expect(numbers.sorted() == (1...100).filter { [3, 7].contains($0 % 10) })
        #expect(campaign.audience == .users(users))
    }

    @Test("A list of Devices reaches those that exist") func sendsToDevices() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(50) { .init(tokenState: $0 == 20 ? .dropped : .active) }
        let devices = [40, 10, 999, 20, 10].map(DeliveryWorld.id)
        let campaign = try await world.campaigns.create(app: world.app, world.request(.devices(devices)))
        try await world.dispatching(world.dispatcher { $0.chunkSize = 1 }) {
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(world.sender.sent.map(\.device.rawValue).sorted() == [10, 40])
        #expect(try await world.funnel(campaign.id).targeted == 2)
    }

    @Test("A Campaign without matching Devices is sent at once") func completesEmptyCampaigns() async throws {
        let world = try await DeliveryWorld()
        let all = try await world.campaigns.create(app: world.app, world.request())
        let nobody = try await world.campaigns.create(
            app: world.app,
            world.request(.devices([DeliveryWorld.id(1)]))
        )

        try await world.dispatching(world.dispatcher()) {
            try await world.wait(for: .sent, of: all.id)
            try await world.wait(for: .sent, of: nobody.id)
        }
        #expect(try await world.funnel(all.id) == Funnel())
    }

    @Test("A test send is in no list") func hidesTestSends() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(5)
        let shown = try await world.campaigns.create(app: world.app, world.request())
        let test = try await world.campaigns.test(
            app: world.app,
            TestSendRequest(device: DeliveryWorld.id(2), message: DeliveryWorld.message())
        )

        try await world.dispatching(world.dispatcher()) {
            try await world.wait(for: .sent, of: test.id)
            try await world.wait(for: .sent, of: shown.id)
        }

        #expect(try await world.campaigns.list(app: world.app, after: nil, limit: 10).items.map(\.id) == [shown.id])
        #expect(try await world.campaigns.list(app: nil, after: nil, limit: 10).items.map(\.id) == [shown.id])
        #expect(try await world.funnel(test.id).accepted == 1)
        #expect(try await world.funnel(shown.id).accepted == 5)
    }

    @Test("Campaigns are listed in pages, newest first") func listsCampaigns() async throws {
        let world = try await DeliveryWorld()
        var ids: [CampaignID] = []
        for _ in 0..<5 { ids.insert(try await world.campaigns.create(app: world.app, world.request()).id, at: 0) }

        let first = try await world.campaigns.list(app: world.app, after: nil, limit: 2)
        #expect(first.items.map(\.id) == Array(ids[0..<2]))
        let cursor = try #require(first.nextCursor.flatMap { CampaignID($0) })
        let second = try await world.campaigns.list(app: world.app, after: cursor, limit: 3)
        #expect(second.items.map(\.id) == Array(ids[2...]))
        #expect(second.nextCursor == nil)
    }

    @Test("Deliveries are listed in pages") func listsDeliveries() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(25) { .init(pushType: $0.isMultiple(of: 2) ? .apns : .apnsSandbox) }
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(world.dispatcher()) { try await world.wait(for: .sent, of: campaign.id) }

        var cursor: String?
        var devices: [DeviceID?] = []
        repeat {
            let page = try await world.campaigns.deliveries(
                campaign.id,
                within: world.app,
                cursor: cursor,
                limit: 10
            )
            devices += page.items.map(\.device)
            cursor = page.nextCursor
        } while cursor != nil
        #expect(devices == (1...25).map(DeliveryWorld.id))
        for cursor in ["", "x", "1.apns.2", "-1.apns", "zzzzzzzzzzzzzzzzzzzzzzz.apns"] {
            let problem = FieldError(field: "cursor", problem: "must be the nextCursor of a page")
            await #expect(throws: EngineError.invalid(problem)) {
                _ = try await world.campaigns.deliveries(campaign.id, within: nil, cursor: cursor, limit: 1)
            }
        }
    }

    @Test("Each language gets its content, and each Device its receipt") func rendersLanguagesAndReceipts() async throws
    {
        let world = try await DeliveryWorld()
        try await world.addDevices(4) { .init(language: ["ja-JP", "zh-Hant-TW", "fr", nil][$0 - 1]) }
        var message = DeliveryWorld.message("fallback")
        message.content["ja"] = LocalizedContent(body: "ja")
        message.content["zh-Hant"] = LocalizedContent(body: "zh")
        let campaign = try await world.campaigns.create(app: world.app, world.request(.all, message))
        let sent = try await world.dispatching(world.dispatcher()) {
            try await world.wait(for: .sent, of: campaign.id)
        }

        let occurrence = try #require(sent.occurrence)
        let key = try await world.apps.receiptKey(for: world.app)
        let payloads = Dictionary(
            uniqueKeysWithValues: world.sender.sent.map {
                ($0.device.rawValue, String(decoding: $0.payload, as: UTF8.self))
            }
        )
        let starts = ["ja:ja:", "zh-Hant:zh:", "default:fallback:", "default:fallback:"]
        for (index, start) in starts.enumerated() {
            let device = DeviceNumber(rawValue: Int64(index + 1))
            let receipt = key.receipt(occurrence: occurrence, device: device)
            #expect(payloads[device.rawValue] == start + receipt.rawValue)
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct CancelTests {
    @Test("Cancelling a Campaign that has not begun completes it at once") func cancelsBeforeTheBegin() async throws {
        let world = try await DeliveryWorld()
        var request = world.request()
        request.draft = true
        let draft = try await world.campaigns.create(app: world.app, request).id
        request.draft = false
        request.sendAt = world.time.now().advanced(by: .seconds(60))
        let scheduled = try await world.campaigns.create(app: world.app, request).id
        let sending = try await world.campaigns.create(app: world.app, world.request()).id

        for campaign in [draft, scheduled, sending] {
            let cancelled = try await world.campaigns.cancel(campaign, within: world.app)
            #expect((cancelled.state, cancelled.finishedAt) == (.cancelled, world.time.now()))
            #expect(try await world.campaigns.cancel(campaign, within: world.app) == cancelled)
        }
        #expect(try await world.rowCount(.waveCount) == 0)
    }

    @Test("Cancelling while sending stops between batches and counts what was sent")
    func cancelsWhileSending() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10_000)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()

        try await world.dispatching(world.dispatcher { $0.chunksAtOnce = 1 }) {
            await world.sender.batches(3)
            let cancelling = try await world.campaigns.cancel(campaign.id, within: world.app)
            #expect(cancelling.state == .cancelling)
            world.sender.release()
            try await world.wait(for: .cancelled, of: campaign.id)
        }

        #expect(world.sender.sent.count == 3_000)
        let funnel = try await world.funnel(campaign.id)
        #expect((funnel.targeted, funnel.accepted) == (3_000, 3_000))
        #expect(try await world.rowCount(.chunkCount) == 0)
        #expect(try await world.rowCount(.waveCount) == 0)
    }

    @Test("A paused Campaign can be cancelled") func cancelsPausedCampaigns() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10)
        world.sender.answer { _ in .halt(.noPushKey) }
        let campaign = try await world.campaigns.create(app: world.app, world.request())

        try await world.dispatching(world.dispatcher()) {
            try await world.wait(for: .paused, of: campaign.id)
        }

        #expect(try await world.campaigns.cancel(campaign.id, within: world.app).state == .cancelled)
    }

    @Test("A sent Campaign cannot be cancelled") func refusesToCancelSentCampaigns() async throws {
        let world = try await DeliveryWorld()
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(world.dispatcher()) { try await world.wait(for: .sent, of: campaign.id) }

        await #expect(throws: EngineError.conflict("The campaign is sent.")) {
            _ = try await world.campaigns.cancel(campaign.id, within: world.app)
        }
    }

    @Test("A Campaign cancelled without a running dispatcher completes when one starts")
    func completesCancellationsLater() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(100)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()
        // A dispatcher ends without releasing a Chunk.
        let store = FaultyStore(world.stores.deliveries)
        var dependencies = world.dispatcher().dependencies
        dependencies.work = store
        dependencies.outcomes = store
        dependencies.sessions = store
        try await world.dispatching(Dispatcher(dependencies)) {
            await world.sender.batches(1)
            store.fail { _ in .before(.unavailable("killed")) }
            world.sender.release()
            await world.time.sleepers(1)
        }
        #expect(try await world.campaigns.cancel(campaign.id, within: world.app).state == .cancelling)

        try await world.dispatching(world.dispatcher()) {
            await world.time.sleepers(1)
            world.time.advance(by: .seconds(10))
            try await world.wait(for: .cancelled, of: campaign.id)
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct ProgressTests {
    @Test("A Campaign's progress is reported until it is complete") func followsCampaigns() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(500)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        // Only the follower sleeps on this clock, between two looks.
        let time = TestTime()
        let campaigns = world.campaigns(timer: time)
        world.sender.hold()

        let steps = try await world.dispatching(world.dispatcher { $0.chunkSize = 100 }) {
            try await time.running {
                var steps: [CampaignProgress] = []
                for await step in try await campaigns.progress(campaign.id, within: world.app) {
                    steps.append(step)
                    world.sender.release()
                }
                return steps
            }
        }

        #expect(steps.first?.state == .sending)
        #expect(steps.first?.funnel.accepted == 0)
        #expect(steps.last?.state == .sent)
        #expect(steps.last?.funnel.accepted == 500)
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.funnel.accepted <= $1.funnel.accepted && $0 != $1 })
    }

    @Test("A change without a signal is seen a second later") func polls() async throws {
        let world = try await DeliveryWorld()
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        let time = TestTime()
        let campaigns = world.campaigns(timer: time)

        var steps = try await campaigns.progress(campaign.id, within: world.app).makeAsyncIterator()
        #expect(await steps.next()?.state == .sending)
        // As another process does it: without this one's signal.
        let start: ContinuousClock.Instant = time.now()
        _ = try await world.stores.campaigns.cancel(campaign.id, within: world.app, at: world.time.now())
        let last = try await time.running { await steps.next() }

        #expect(last?.state == .cancelled)
        let end: ContinuousClock.Instant = time.now()
        #expect(end - start == .seconds(1))
        #expect(await steps.next() == nil)
    }

    @Test("A complete Campaign has one progress report") func reportsCompleteCampaignsOnce() async throws {
        let world = try await DeliveryWorld()
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        _ = try await world.campaigns.cancel(campaign.id, within: world.app)

        var states: [Campaign.State] = []
        for await step in try await world.campaigns.progress(campaign.id, within: world.app) {
            states.append(step.state)
        }
        #expect(states == [.cancelled])
    }
}
