import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// An operator's lookups of single notifications.
@Suite(.timeLimit(.minutes(2)))
struct MessageLogTests {
    private func log(_ world: DeliveryWorld, window: Int = 1_000) -> MessageLog {
        MessageLog(store: MessageLogRepository(database: world.database, window: window), apps: world.apps)
    }

    /// All pages, one after another.
    private func all(
        _ world: DeliveryWorld,
        _ query: MessageLogQuery,
        window: Int = 1_000,
        limit: Int = 200
    ) async throws -> [LoggedMessage] {
        var (messages, cursor): ([LoggedMessage], String?) = ([], nil)
        repeat {
            let page = try await log(world, window: window).page(query, cursor: cursor, limit: limit)
            #expect(page.items.count <= limit)
            messages += page.items
            cursor = page.nextCursor
        } while cursor != nil
        return messages
    }

    private func query(
        _ world: DeliveryWorld,
        _ subject: MessageLogQuery.Subject,
        _ campaign: CampaignID? = nil
    ) -> MessageLogQuery {
        MessageLogQuery(app: world.app, subject: subject, campaign: campaign)
    }

    @Test("T-43 notifications are found by Device, User and Campaign, with the phone's events and their times")
    func looksUp() async throws {
        let world = try await DeliveryWorld(
            sender: FakeSender {
                $0.device.rawValue == 3 ? .dropMessage(FailureReason(rawValue: "TooLarge")) : .accepted
            }
        )
        try await world.addDevices(4) { number in
            .init(consent: number == 4 ? [] : .notifications, user: number < 3 ? "u1" : nil)
        }
        let first = try await world.send(world.request())
        world.time.advance(by: .seconds(60))
        let second = try await world.send(world.request(.devices([DeliveryWorld.id(1)])))
        let now: Timestamp = world.time.now()
        world.time.advance(by: .seconds(60))
        try await world.report(.received, of: first, device: 1, after: .seconds(-59))
        try await world.report(.opened, of: first, device: 1, after: .seconds(-58))
        try await world.report(.action, of: first, device: 1, after: .seconds(-56), action: "reply", reply: "no")
        try await world.report(.action, of: first, device: 1, after: .seconds(-57), action: "map")
        let device = try await all(world, query(world, .device(DeliveryWorld.id(1))))
        #expect(device.map(\.campaign) == [second.id, first.id])
        #expect(device.map(\.outcome) == [.accepted, .accepted])
        #expect(device[0].receivedAt == nil && device[0].openedAt == nil && device[0].actions == nil)
        #expect(device[1].occurrence == first.occurrence && device[1].device == DeliveryWorld.id(1))
        #expect(device[1].receivedAt == now.advanced(by: .seconds(1)))
        #expect(device[1].openedAt == now.advanced(by: .seconds(2)))
        #expect(device[1].actions?.map(\.action) == ["map", "reply"])

        let user = try await all(world, query(world, .user(UserID(rawValue: "u1")!)))
        #expect(user.map(\.device) == [1, 1, 2].map { DeliveryWorld.id($0) })
        let one = try await all(world, query(world, .user(UserID(rawValue: "u1")!), first.id))
        #expect(one.map(\.device) == [1, 2].map { DeliveryWorld.id($0) })
        let everybody = try await all(world, query(world, .everybody, first.id), limit: 3)
        #expect(everybody.map(\.outcome) == [.accepted, .accepted, .failed, .skipped])
        #expect(everybody.map(\.reason) == [nil, nil, "TooLarge", "NoConsent"])
        #expect(everybody[0].openedAt != nil && everybody[1].openedAt == nil)
    }

    @Test(
        "Pages follow each other without gap or repetition, however few firings one read covers",
        arguments: [1, 2, 3, 7]
    )
    func pagesWithoutGaps(
        limit: Int
    ) async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3) { _ in .init(user: "u1") }
        var sent: [CampaignID] = []
        for round in 0..<7 {
            world.time.advance(by: .seconds(1))
            // Every other one is sent only to somebody else.
            let audience: Audience = round % 2 == 0 ? .all : .devices([DeliveryWorld.id(3)])
            sent.insert(try await world.send(world.request(audience)).id, at: 0)
        }

        for window in [2, 3, 100] {
            let user = try await all(world, query(world, .user(UserID(rawValue: "u1")!)), window: window, limit: limit)
            #expect(
                user.map(\.campaign)
                    == sent.enumerated().flatMap { index, id in
                        Array(repeating: id, count: index % 2 == 0 ? 3 : 1)
                    }
            )
            #expect(Set(user.map { [$0.campaign.description, $0.device?.description] }).count == user.count)
            let device = try await all(
                world,
                query(world, .device(DeliveryWorld.id(1))),
                window: window,
                limit: limit
            )
            #expect(device.map(\.campaign) == sent.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
            let everybody = try await all(world, query(world, .everybody, sent[0]), window: window, limit: limit)
            #expect(everybody.count == 3)
        }
    }

    @Test("A range selects firings by their begin") func selectsByTime() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        var times: [Timestamp] = []
        for _ in 0..<3 {
            world.time.advance(by: .seconds(3_600))
            times.append(world.time.now())
            try await world.send(world.request())
        }
        var asked = query(world, .device(DeliveryWorld.id(1)))
        asked.first = OccurrenceID(milliseconds: times[1].rawValue, sequence: 0)
        #expect(try await all(world, asked).count == 2)
        asked.end = OccurrenceID(milliseconds: times[2].rawValue, sequence: 0)
        #expect(try await all(world, asked).count == 1)
    }

    @Test("An unknown Device or User is not found, and another App sees nothing") func separatesApps() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1) { _ in .init(user: "u1") }
        let sent = try await world.send(world.request())
        let other = try await world.apps.create(AppRequest(name: "Other", bundleID: "com.example.other")).app.id
        let subjects: [(MessageLogQuery.Subject, EngineError.Subject)] = [
            (.device(DeliveryWorld.id(1)), .device), (.user(UserID(rawValue: "u1")!), .user), (.everybody, .campaign),
        ]
        for (subject, missing) in subjects {
            let asked = MessageLogQuery(app: other, subject: subject, campaign: sent.id)
            await #expect(throws: EngineError.notFound(missing)) {
                try await log(world).page(asked, cursor: nil, limit: 10)
            }
        }
        for cursor in ["", "x!", "-1", "1-", "1-2", "1-2.sms", String(repeating: "1", count: 65)] {
            await #expect(throws: EngineError.self) {
                try await log(world).page(query(world, .everybody, sent.id), cursor: cursor, limit: 10)
            }
        }
        await #expect(throws: EngineError.self) {
            try await log(world).page(query(world, .everybody), cursor: nil, limit: 10)
        }
    }

    @Test("A Device that changed its User has its whole history, a User only their part")
    func separatesUsers() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1, from: 7) { _ in .init(user: "u1") }
        let before = try await world.send(world.request())
        let devices = Devices(store: world.stores.devices, apps: world.apps, inboxes: world.inboxes, clock: world.time)
        let registration = try #require(
            try await world.stores.devices.device(app: world.app, device: DeliveryWorld.id(7))?.registration
        )
        var alone = registration
        alone.user = nil
        _ = try await devices.register(
            app: world.app,
            device: DeliveryWorld.id(7),
            secret: DeliveryWorld.secret,
            alone
        )
        world.time.advance(by: .seconds(1))
        let after = try await world.send(world.request())

        #expect(
            try await all(world, query(world, .device(DeliveryWorld.id(7)))).map(\.campaign) == [after.id, before.id]
        )
        #expect(try await all(world, query(world, .user(UserID(rawValue: "u1")!))).map(\.campaign) == [before.id])
    }
}
