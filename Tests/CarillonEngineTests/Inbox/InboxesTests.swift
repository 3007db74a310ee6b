import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct InboxesTests {
    private func inbox(_ world: DeliveryWorld, _ device: Int = 1) async throws -> Inbox {
        try await world.inboxes.inbox(app: world.app, device: DeliveryWorld.id(device), secret: DeliveryWorld.secret)
    }

    private func read(_ world: DeliveryWorld, _ reading: InboxReading, _ device: Int = 1) async throws -> Int {
        try await world.inboxes.read(
            app: world.app,
            device: DeliveryWorld.id(device),
            secret: DeliveryWorld.secret,
            reading
        )
    }

    /// Sends Campaigns one after another, a second apart.
    private func send(_ world: DeliveryWorld, _ requests: [CampaignRequest]) async throws -> [Campaign] {
        try await world.dispatching(world.dispatcher()) {
            var campaigns: [Campaign] = []
            for request in requests {
                world.time.advance(by: .seconds(1))
                let campaign = try await world.campaigns.create(app: world.app, request)
                campaigns.append(try await world.wait(for: .sent, of: campaign.id))
            }
            return campaigns
        }
    }

    @Test("An inbox shows messages in the Device's language") func showsTheLanguage() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2) { .init(language: $0 == 1 ? "ja-JP" : "en") }
        var content = LocalizedContent(title: "Title", body: "Body")
        content.link = "https://example.com/survey?id=1"
        content.media = Media(kind: .image, source: "a.png")
        var japanese = LocalizedContent(title: "題")
        japanese.link = "https://example.com/ja?id=1"
        var request = world.request()
        request.message = Message(content: ["default": content, "ja": japanese])
        request.message.isSurvey = true
        let plain = world.request(.devices([DeliveryWorld.id(1)]), DeliveryWorld.message("later"))

        let campaigns = try await send(world, [request, plain])

        let messages = try await inbox(world).messages
        #expect(messages.map(\.occurrence) == [campaigns[1].occurrence, campaigns[0].occurrence])
        #expect(messages.map(\.sentAt) == [campaigns[1].startedAt, campaigns[0].startedAt])
        #expect(messages.map(\.title) == [nil, "題"])
        #expect(messages.map(\.body) == ["later", "Body"])
        #expect(messages.map(\.link) == [nil, "https://example.com/ja?id=1"])
        #expect(messages.map(\.isSurvey) == [false, true])
        #expect(messages.map(\.isRead) == [false, false])
        let other = try await inbox(world, 2).messages
        #expect(other.map(\.title) == ["Title"])
        #expect(other.map(\.link) == ["https://example.com/survey?id=1"])
    }

    @Test("Reading some or all messages lowers the count") func countsUnread() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2)
        let campaigns = try await send(world, (0..<4).map { _ in world.request() })
        let occurrences = campaigns.compactMap(\.occurrence)
        let foreign = OccurrenceID(milliseconds: world.time.now().rawValue, sequence: 77)

        #expect(try await inbox(world).unread == 4)
        #expect(try await read(world, InboxReading(occurrences: [occurrences[1], foreign])) == 3)
        #expect(try await read(world, InboxReading(occurrences: [occurrences[1]])) == 3)
        #expect(try await inbox(world).messages.map(\.isRead) == [false, false, true, false])
        #expect(try await inbox(world, 2).unread == 4)
        #expect(try await read(world, .everything) == 0)
        #expect(try await inbox(world).unread == 0)
        // Messages outside the inbox leave no mark.
        #expect(try await world.rowCount("SELECT count(*) FROM device_reads") == 4)
    }

    @Test("An inbox has the latest hundred messages of thirty days") func limitsInboxes() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        let old = try await send(world, [world.request()])
        world.time.advance(by: .seconds(30 * 86_400 - 3_600))
        #expect(try await inbox(world).messages.map(\.occurrence) == old.map(\.occurrence))
        let campaigns = try await send(world, (0..<104).map { _ in world.request() })

        let full = try await inbox(world)
        world.time.advance(by: .seconds(3_600))

        #expect(full.messages.map(\.occurrence) == campaigns.suffix(100).reversed().map(\.occurrence))
        #expect(full.unread == 100)
        #expect(try await read(world, .everything) == 0)
        world.time.advance(by: .seconds(30 * 86_400))
        #expect(try await inbox(world).messages.isEmpty)
    }

    @Test("Refused notifications are not in the inbox") func hidesRefusedNotifications() async throws {
        let world = try await DeliveryWorld(sender: FakeSender { _ in .dropMessage(FailureReason(rawValue: "Bad")) })
        try await world.addDevices(1)
        _ = try await send(world, [world.request(), world.request(.devices([DeliveryWorld.id(1)]))])

        #expect(try await inbox(world).messages.isEmpty)
    }

    @Test("A retry that is accepted is in the inbox") func showsRetries() async throws {
        let world = try await DeliveryWorld(sender: FakeSender { _ in .retryLater(.noAnswer, after: nil) })
        try await world.addDevices(1)

        try await world.dispatching(world.dispatcher()) {
            let campaign = try await world.campaigns.create(
                app: world.app,
                world.request(.devices([DeliveryWorld.id(1)]))
            )
            try await world.wait(of: campaign.id) { $0.retrying == 1 }
            #expect(try await inbox(world).messages.isEmpty)
            world.sender.answer { _ in .accepted }
            try await world.advanceToNextRetry(of: campaign.id)
            try await world.wait(for: .sent, of: campaign.id)
            #expect(try await inbox(world).messages.map(\.occurrence) == [campaign.occurrence])
        }
    }

    @Test("Only the Device itself can read its inbox") func requiresTheSecret() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        let (app, device) = (world.app, DeliveryWorld.id(1))

        await #expect(throws: EngineError.refused(.wrongDeviceSecret)) {
            _ = try await world.inboxes.inbox(app: app, device: device, secret: "no")
        }
        await #expect(throws: EngineError.refused(.wrongDeviceSecret)) {
            _ = try await world.inboxes.read(app: app, device: device, secret: "no", .everything)
        }
        await #expect(throws: EngineError.notFound(.device)) { _ = try await inbox(world, 2) }
    }

    @Test("Erased messages are removed and still count") func erasesMessages() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2)
        let campaign = try await send(world, [world.request(.devices([1, 2].map(DeliveryWorld.id)))])[0]
        let occurrence = try #require(campaign.occurrence)
        let key = try await world.apps.receiptKey(for: world.app)
        let events = (1...2).map { number in
            let device = DeviceNumber(rawValue: Int64(number))
            let receipt = key.receipt(occurrence: occurrence, device: device)
            return Event(.opened, occurrence: occurrence, receipt: receipt, at: world.time.now())
        }
        let room = Events(store: world.stores.events, apps: world.apps, clock: world.time)
        _ = try await room.record(app: world.app, events)

        try await world.inboxes.erase(app: world.app, device: DeliveryWorld.id(1), user: nil)

        #expect(try await inbox(world, 1).messages.isEmpty)
        #expect(try await inbox(world, 2).messages.count == 1)
        #expect(try await world.rowCount("SELECT count(*) FROM events") == 1)
        #expect(try await world.funnel(campaign.id).opened == 2)
    }
}
