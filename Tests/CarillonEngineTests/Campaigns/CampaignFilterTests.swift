import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

/// Filters of Campaign lists.
@Suite(.timeLimit(.minutes(2)))
struct CampaignFilterTests {
    private func list(
        _ world: DeliveryWorld,
        limit: Int = 500,
        _ change: (inout CampaignFilter) -> Void
    ) async throws -> [String?] {
        var filter = CampaignFilter()
        change(&filter)
        var (found, cursor): ([Campaign], CampaignID?) = ([], nil)
        repeat {
            let page = try await world.campaigns.list(app: world.app, after: cursor, limit: limit, filter)
            found += page.items
            cursor = page.nextCursor.flatMap { CampaignID($0) }
        } while cursor != nil
        return found.map(\.name)
    }

    private func make(
        _ world: DeliveryWorld,
        _ name: String,
        _ change: (inout CampaignRequest) -> Void = { _ in }
    ) async throws -> Campaign {
        var request = world.request()
        request.name = name
        change(&request)
        return try await world.campaigns.create(app: world.app, request)
    }

    @Test("T-70 Campaigns are filtered by state, creation time and sending time; a hit has all its times")
    func filters() async throws {
        let world = try await DeliveryWorld()
        let start: Timestamp = world.time.now()
        func after(_ hours: Int) -> Timestamp { start.advanced(by: .seconds(3_600 * hours)) }
        _ = try await make(world, "draft") { $0.draft = true }
        world.time.advance(by: .seconds(3_600))
        _ = try await make(world, "once") { $0.sendAt = after(30) }
        world.time.advance(by: .seconds(3_600))
        let daily = try await make(world, "daily") { request in
            var schedule = Schedule(.daily, times: [TimeOfDay("09:00")].compactMap(\.self), zone: "UTC")
            schedule.until = CalendarDay("2026-03-20")
            request.schedule = schedule
        }
        _ = try await make(world, "groups") { request in
            request.sendAt = after(48)
            request.pace = .groups(3, every: 86_400)
        }

        #expect(try await list(world) { _ in } == ["groups", "daily", "once", "draft"])
        #expect(try await list(world) { $0.state = .draft } == ["draft"])
        #expect(try await list(world) { $0.state = .scheduled } == ["groups", "daily", "once"])
        #expect(try await list(world) { $0.createdFrom = after(1) } == ["groups", "daily", "once"])
        #expect(try await list(world) { $0.createdUntil = after(2) } == ["once", "draft"])
        #expect(
            try await list(world) { ($0.createdFrom, $0.createdUntil) = (after(1), after(2)) } == ["once"]
        )
        #expect(
            try await list(world) { ($0.dueFrom, $0.dueUntil) = (after(29), after(31)) } == ["once"]
        )
        // Days ahead of the next firing.
        let late = try #require(Timestamp("2026-03-19T08:59:00Z"))
        #expect(
            try await list(world) { ($0.dueFrom, $0.dueUntil) = (late, late.advanced(by: .seconds(120))) } == ["daily"]
        )
        #expect(
            try await list(world) { ($0.dueFrom, $0.dueUntil) = (after(95), after(97)) } == ["groups"]
        )
        #expect(try await list(world) { ($0.dueFrom, $0.dueUntil) = (after(9), after(8)) } == [])
        let hit = try await world.campaigns.campaign(daily.id, within: world.app)
        #expect(hit.schedule?.until == CalendarDay("2026-03-20"))
    }

    @Test("K-75 Campaigns are filtered by several states, and by a text of their name or message in any case")
    func filtersByText() async throws {
        let world = try await DeliveryWorld()
        let later: Timestamp = world.time.now().advanced(by: .seconds(3_600))
        _ = try await make(world, "Spring draft") { $0.draft = true }
        _ = try await make(world, "Later") { $0.sendAt = later }
        let stopped = try await make(world, "Stopped") { request in
            request.sendAt = later
            request.message = DeliveryWorld.message("The SPRING exhibition")
        }
        _ = try await world.campaigns.cancel(stopped.id, within: nil)

        #expect(try await list(world) { $0.states = [.draft, .cancelled] } == ["Stopped", "Spring draft"])
        #expect(try await list(world) { $0.states = [.sending] } == [])
        #expect(try await list(world) { $0.text = "spring" } == ["Stopped", "Spring draft"])
        #expect(try await list(world) { ($0.text, $0.states) = ("Spring", [.draft]) } == ["Spring draft"])
        #expect(try await list(world) { $0.text = "autumn" } == [])
    }

    @Test("A list with few hits continues after a page, however many Campaigns are in between")
    func continuesSparseLists() async throws {
        let world = try await DeliveryWorld()
        for number in 0..<450 {
            _ = try await make(world, "\(number)") { request in
                if number % 150 == 0 {
                    request.draft = true
                } else {
                    request.sendAt = world.time.now().advanced(by: .seconds(60))
                }
            }
        }
        #expect(try await list(world, limit: 1) { $0.state = .draft } == ["300", "150", "0"])
    }
}
