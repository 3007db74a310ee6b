import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OccurrenceTests {
    private func request(
        _ world: DeliveryWorld,
        _ recurrence: Schedule.Recurrence = .daily,
        _ times: [String] = ["09:00"],
        until: String? = nil,
        isLocal: Bool = false
    ) -> CampaignRequest {
        var request = world.request()
        var schedule = Schedule(
            recurrence,
            times: times.compactMap { TimeOfDay($0) },
            zone: "Asia/Seoul",
            isLocal: isLocal
        )
        schedule.until = until.flatMap { CalendarDay($0) }
        request.schedule = schedule
        return request
    }

    private func occurrences(_ world: DeliveryWorld, _ campaign: CampaignID) async throws -> [Occurrence] {
        try await world.campaigns.occurrences(campaign, within: world.app, cursor: nil, limit: 500).items
    }

    @Test(
        "T-68 T-73 C-58 each firing begins at its time and is listed with its counts, and the last completes the Campaign"
    )
    func goesOutAgainAndAgain() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        // It is 21:00 in Seoul.
        let campaign = try await world.campaigns.create(app: world.app, request(world, until: "2026-03-04"))
        #expect((campaign.state, campaign.nextAt) == (.scheduled, Timestamp("2026-03-02T09:00:00+09:00")))
        #expect(try await occurrences(world, campaign.id).map(\.state) == [.planned, .planned, .planned])

        try await world.dispatching(world.dispatcher()) {
            for day in 1...3 {
                try await world.wait(for: .scheduled, of: campaign.id)
                #expect(world.sender.sent.count == 3 * (day - 1))
                world.sender.hold()
                try await world.advanceToNextWork(of: campaign.id)
                await world.sender.batches(day)
                let states = Array(repeating: Occurrence.State.sent, count: day - 1) + [.sending]
                #expect(
                    try await occurrences(world, campaign.id).map(\.state)
                        == states + Array(repeating: .planned, count: 3 - day)
                )
                world.sender.release()
                let due = try #require(Timestamp("2026-03-0\(day + 1)T09:00:00+09:00"))
                let now: Timestamp = world.time.now()
                #expect(now == due)
                try await world.wait(for: day == 3 ? .sent : .scheduled, of: campaign.id) { $0.startedAt == due }
            }
        }

        let listed = try await occurrences(world, campaign.id)
        #expect(listed.map { $0.at?.description } == (2...4).map { "2026-03-0\($0)T09:00" })
        #expect(listed.allSatisfy { $0.state == .sent && $0.funnel.accepted == 3 && $0.startedAt == $0.plannedAt })
        #expect(Set(listed.map(\.id)).count == 3)
        #expect(try await world.funnel(campaign.id).accepted == 9)
        let over = try await world.campaigns.campaign(campaign.id, within: nil)
        #expect((over.state, over.nextAt, over.occurrence) == (.sent, nil, listed.last?.id))
        #expect(world.sender.counts.values.allSatisfy { $0 == 3 })
    }

    @Test("A number that is no group is not found, however small or large")
    func refusesNumbers() async throws {
        let world = try await DeliveryWorld()
        var request = world.request()
        request.sendAt = world.time.now().advanced(by: .seconds(600))
        request.pace = .groups(2, every: 60)
        let campaign = try await world.campaigns.create(app: world.app, request)
        for name in ["\(Int64.min)", "\(Int64.max)", "0", "3", "-1", "x"] {
            await #expect(throws: EngineError.notFound(.occurrence), "\(name)") {
                _ = try await world.campaigns.cancelOccurrence(name, of: campaign.id, within: nil)
            }
        }
        #expect(try await world.campaigns.cancelOccurrence("2", of: campaign.id, within: nil).state == .cancelled)
    }

    @Test("T-67 a listed time more than 60 days ahead is refused, day 60 at 23:59 is accepted")
    func sixtyDays() async throws {
        let world = try await DeliveryWorld()
        func create(_ recurrence: Schedule.Recurrence, until: String? = nil) async throws -> Campaign {
            try await world.campaigns.create(app: world.app, request(world, recurrence, ["23:59"], until: until))
        }
        func times(_ text: String) -> Schedule.Recurrence { .at([WallTime(text)].compactMap(\.self)) }
        // Today is 1 March in Seoul.
        #expect(try await create(times("2026-04-30T23:59")).state == .scheduled)
        let daily = try await create(.daily)
        #expect((daily.schedule?.from, daily.schedule?.until) == (CalendarDay("2026-03-01"), nil))
        // Days of a recurrence may be later, or never end.
        #expect(try await create(.daily, until: "2027-04-30").state == .scheduled)
        await #expect(throws: wrong("schedule.at", "must be at most 60 days ahead")) {
            _ = try await create(times("2026-05-01T00:00"))
        }
        await #expect(throws: wrong("schedule", "must have a time that is still to come")) {
            _ = try await create(times("2026-03-01T20:59"))
        }
        var unknown = request(world)
        unknown.schedule?.zone = "Mars/Phobos"
        await #expect(throws: wrong("schedule.zone", "must be an IANA time zone")) {
            _ = try await world.campaigns.create(app: world.app, unknown)
        }
    }

    @Test("All that is wrong with the times is said at once") func namesAllTimes() async throws {
        let world = try await DeliveryWorld()
        var request = request(world)
        request.schedule?.zone = "Mars/Phobos"
        request.pace = .groups(2, every: 60)
        let problems = [
            FieldError(field: "pace.groups", problem: "must be missing: there is a schedule"),
            FieldError(field: "schedule.zone", problem: "must be an IANA time zone"),
        ]
        await #expect(throws: EngineError.invalidFields(problems)) {
            _ = try await world.campaigns.create(app: world.app, request)
        }
    }

    private func wrong(_ field: String, _ problem: String) -> EngineError {
        .invalid(FieldError(field: field, problem: problem))
    }

    @Test("Of several firings that were missed, only the last begins") func beginsTheLastMissedFiring() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2)
        let campaign = try await world.campaigns.create(app: world.app, request(world, until: "2026-03-05"))
        // Every node is down for three days.
        world.time.advance(by: .seconds(3 * 86_400))

        try await world.finish(campaign.id)

        let listed = try await occurrences(world, campaign.id)
        #expect(listed.map(\.state) == [.missed, .missed, .sent, .sent])
        #expect(listed.map(\.funnel.accepted) == [0, 0, 2, 2])
        #expect(listed[0].startedAt == nil && listed[2].startedAt == Timestamp("2026-03-04T21:00:00+09:00"))
        #expect(world.sender.counts.values.allSatisfy { $0 == 2 })
    }

    @Test("A firing begins once, whatever node sees it and whatever its clock is") func beginsFiringsOnce() async throws
    {
        let world = try await DeliveryWorld()
        try await world.addDevices(50)
        let campaign = try await world.campaigns.create(app: world.app, request(world, until: "2026-03-03"))
        // A second node, whose clock is three minutes ahead.
        let ahead = TestTime("2026-03-01T12:03:00Z")
        let first = world.dispatcher { $0.chunkSize = 7 }
        var other = first.dependencies
        (other.clock, other.timer) = (ahead, ahead)

        let start: Timestamp = world.time.now()
        try await world.dispatching(first, Dispatcher(other)) {
            while try await world.campaigns.campaign(campaign.id, within: nil).state != .sent {
                try Task.checkCancellation()
                if try await world.rowCount(.chunkCount) == 0 {
                    await ahead.advanceToNextSleeper()
                } else if other.figures.snapshot.chunksUnderWay > 0 {
                    // Time stands still while a Chunk is sent, so that its holder does not seem lost.
                    await Task.yield()
                } else {
                    // A lease that came after its time belongs to nobody until it expires.
                    ahead.advance(by: .seconds(1))
                }
                let now: ContinuousClock.Instant = ahead.now()
                world.time.catchUp(with: now)
            }
        }

        #expect(start < world.time.now())
        #expect(try await occurrences(world, campaign.id).map(\.funnel.accepted) == [50, 50])
        #expect(world.sender.counts.values.allSatisfy { $0 == 2 })
    }

    @Test("T-72 one Occurrence is cancelled before its time, the others are sent")
    func cancelsOne() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2)
        let campaign = try await world.campaigns.create(app: world.app, request(world, until: "2026-03-05"))
        for day in ["2026-03-02T09:00", "2026-03-04T09:00"] {
            let cancelled = try await world.campaigns.cancelOccurrence(day, of: campaign.id, within: world.app)
            #expect((cancelled.state, cancelled.at?.description) == (.cancelled, day))
        }
        await #expect(throws: EngineError.notFound(.occurrence)) {
            _ = try await world.campaigns.cancelOccurrence("2026-03-02T10:00", of: campaign.id, within: world.app)
        }
        await #expect(throws: EngineError.conflict("The occurrence is over, or has just changed.")) {
            _ = try await world.campaigns.cancelOccurrence("2026-03-02T09:00", of: campaign.id, within: world.app)
        }
        #expect(
            try await world.campaigns.campaign(campaign.id, within: nil).nextAt
                == Timestamp("2026-03-03T09:00:00+09:00")
        )

        try await world.finish(campaign.id)

        #expect(
            try await occurrences(world, campaign.id).map(\.state) == [.cancelled, .sent, .cancelled, .sent]
        )
        #expect(world.sender.counts.values.allSatisfy { $0 == 2 })
    }

    @Test("T-72 cancelling a partly sent Campaign stops only the rest")
    func cancelsTheRest() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2)
        let campaign = try await world.campaigns.create(app: world.app, request(world, until: "2026-03-05"))
        try await world.dispatching(world.dispatcher()) {
            try await world.advanceToNextWork(of: campaign.id)
            try await world.wait(for: .scheduled, of: campaign.id) { $0.occurrence != nil }
        }

        let cancelled = try await world.campaigns.cancel(campaign.id, within: world.app)

        #expect((cancelled.state, cancelled.nextAt) == (.cancelled, nil))
        #expect(try await world.funnel(campaign.id).accepted == 2)
        #expect(try await occurrences(world, campaign.id).map(\.state) == [.sent])
    }

    @Test("T-71 a change keeps the time of creation; times change until the end, content until the begin")
    func changes() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        let campaign = try await world.campaigns.create(app: world.app, request(world, until: "2026-03-03"))
        world.time.advance(by: .seconds(60))
        var update = CampaignUpdate()
        update.message = DeliveryWorld.message("changed")
        update.schedule = request(world, .daily, ["10:00"], until: "2026-03-03").schedule
        let changed = try await world.campaigns.change(campaign.id, within: world.app, update)
        #expect((changed.createdAt, changed.updatedAt) == (campaign.createdAt, world.time.now()))
        #expect(changed.nextAt == Timestamp("2026-03-02T10:00:00+09:00"))

        try await world.dispatching(world.dispatcher()) {
            try await world.advanceToNextWork(of: campaign.id)
            try await world.wait(for: .scheduled, of: campaign.id) { $0.occurrence != nil }
            await #expect(
                throws: EngineError.conflict(
                    "The campaign has begun: its audience and content cannot change."
                )
            ) { _ = try await world.campaigns.change(campaign.id, within: world.app, update) }
            update.message = nil
            update.schedule = request(world, .daily, ["10:00", "11:30"], until: "2026-03-02").schedule
            _ = try await world.campaigns.change(campaign.id, within: world.app, update)
            while try await world.advanceToNextWork(of: campaign.id) {}
        }

        #expect(
            try await occurrences(world, campaign.id).map { $0.at?.description } == [
                "2026-03-02T10:00", "2026-03-02T11:30",
            ]
        )
        let payloads = Set(world.sender.sent.map { String(decoding: $0.payload, as: UTF8.self).prefix(16) })
        #expect(payloads == ["default:changed:"])
        await #expect(throws: EngineError.conflict("The campaign is sent.")) {
            _ = try await world.campaigns.change(campaign.id, within: world.app, CampaignUpdate())
        }
    }

    @Test("C-55 each group has its own id, and the total is their sum")
    func groups() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(100)
        var request = world.request()
        request.pace = .groups(4, every: 600)
        let campaign = try await world.campaigns.create(app: world.app, request)
        #expect(campaign.state == .sending)

        try await world.finish(campaign.id)

        let listed = try await occurrences(world, campaign.id)
        #expect(listed.map(\.group) == [1, 2, 3, 4] && Set(listed.compactMap(\.id)).count == 4)
        #expect(listed.map(\.funnel.accepted) == [25, 25, 25, 25])
        let starts = listed.compactMap(\.startedAt)
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $0.duration(to: $1) == .seconds(600) })
        #expect(try await world.funnel(campaign.id).accepted == 100)
        #expect(world.sender.counts.count == 100 && world.sender.counts.values.allSatisfy { $0 == 1 })
    }

    @Test("C-61 a pause while sending keeps the rest, and resuming sends it")
    func pausesAndResumes() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10_000)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()

        try await world.dispatching(world.dispatcher { ($0.chunksAtOnce, $0.chunkSize) = (1, 2_500) }) {
            await world.sender.batches(3)
            let before = try #require(await occurrences(world, campaign.id).first?.remaining)
            #expect(try await world.campaigns.pause(campaign.id, within: world.app).state == .paused)
            #expect(try await world.campaigns.pause(campaign.id, within: world.app).state == .paused)
            world.sender.release()
            try await world.wait(of: campaign.id) { $0.accepted == 2_500 }
            #expect(try await occurrences(world, campaign.id).map(\.state) == [.paused])
            #expect(before == 7_500)
            #expect(try await world.campaigns.campaign(campaign.id, within: world.app).state == .paused)
            #expect(try await world.campaigns.resume(campaign.id, within: world.app).state == .sending)
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(try await world.funnel(campaign.id).accepted == 10_000)
        #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
        #expect(try await occurrences(world, campaign.id).map(\.remaining) == [0])
    }

    @Test("C-61, K-64 cancelling while sending stops the rest, and sent batches are awaited and counted")
    func cancelsInMidFlight() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10_000)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()

        try await world.dispatching(world.dispatcher { ($0.chunksAtOnce, $0.chunkSize) = (1, 2_500) }) {
            await world.sender.batches(3)
            let state = try await world.campaigns.cancel(campaign.id, within: world.app).state
            #expect([.cancelling, .cancelled].contains(state))
            world.sender.release()
            try await world.wait(for: .cancelled, of: campaign.id)
        }

        let sent = world.sender.sent.count
        #expect(sent <= 2_500 && world.sender.counts.values.allSatisfy { $0 == 1 })
        #expect(try await world.funnel(campaign.id).accepted == sent)
        await #expect(throws: EngineError.conflict("The campaign is cancelled, not paused.")) {
            _ = try await world.campaigns.resume(campaign.id, within: world.app)
        }
    }

    @Test("C-61 a node that ends while sending leaves the rest to the next one")
    func resumesByItself() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10_000)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        func node() -> Dispatcher { world.dispatcher { ($0.chunksAtOnce, $0.chunkSize) = (1, 2_500) } }
        try await world.dispatching(node()) { try await world.wait(of: campaign.id) { $0.accepted >= 2_500 } }
        #expect(try await world.campaigns.campaign(campaign.id, within: world.app).state == .sending)

        // The first node's Chunks are free when its lease expires.
        world.time.advance(by: .seconds(600))
        try await world.finish(campaign.id, node())

        #expect(try await world.campaigns.campaign(campaign.id, within: world.app).state == .sent)
        #expect(try await world.funnel(campaign.id).accepted == 10_000)
        #expect(world.sender.counts.count == 10_000)
    }

    @Test("A paused schedule begins nothing, and continues with the last firing") func pausesSchedules() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        let campaign = try await world.campaigns.create(app: world.app, request(world, until: "2026-03-05"))
        _ = try await world.campaigns.pause(campaign.id, within: world.app)
        try await world.dispatching(world.dispatcher()) {
            await world.time.sleepers(1)
            world.time.advance(by: .seconds(2 * 86_400))
            await world.time.sleepers(1)
            #expect(world.sender.sent.isEmpty)
            #expect(try await world.campaigns.resume(campaign.id, within: world.app).state == .scheduled)
            while try await world.advanceToNextWork(of: campaign.id) {}
        }

        #expect(try await occurrences(world, campaign.id).map(\.state) == [.missed, .sent, .sent, .sent])
        await #expect(throws: EngineError.conflict("The campaign is sent, not paused.")) {
            _ = try await world.campaigns.resume(campaign.id, within: world.app)
        }
        await #expect(throws: EngineError.conflict("The campaign is sent.")) {
            _ = try await world.campaigns.pause(campaign.id, within: world.app)
        }
    }

    @Test("T-57 a Campaign without remaining Devices completes")
    func nobodyIsLeft() async throws {
        let world = try await DeliveryWorld()
        let empty = try await world.campaigns.create(app: world.app, world.request())
        try await world.addDevices(3) { _ in .init(consent: []) }
        let kept = try await world.campaigns.create(app: world.app, world.request())
        try await world.addDevices(1, from: 4)
        let reached = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(world.dispatcher()) {
            for id in [empty.id, kept.id, reached.id] { try await world.wait(for: .sent, of: id) }
        }

        for (id, isNobody) in [(empty.id, true), (kept.id, true), (reached.id, false)] {
            #expect(try await world.campaigns.campaign(id, within: nil).reachedNobody == isNobody)
            #expect(try await occurrences(world, id).map(\.reachedNobody) == [isNobody])
        }
    }

    @Test("Occurrences are listed in pages") func listsOccurrences() async throws {
        let world = try await DeliveryWorld()
        let campaign = try await world.campaigns.create(
            app: world.app,
            request(world, .daily, ["09:00", "18:00"], until: "2026-03-05")
        )
        _ = try await world.campaigns.cancelOccurrence("2026-03-03T18:00", of: campaign.id, within: nil)
        var cursor: String?
        var listed: [Occurrence] = []
        repeat {
            let page = try await world.campaigns.occurrences(campaign.id, within: nil, cursor: cursor, limit: 3)
            listed += page.items
            cursor = page.nextCursor
        } while cursor != nil
        #expect(listed == (try await occurrences(world, campaign.id)) && listed.count == 8)
        #expect(listed.map(\.plannedAt) == listed.map(\.plannedAt).sorted())
        await #expect(throws: wrong("cursor", "must be the nextCursor of a page")) {
            _ = try await world.campaigns.occurrences(campaign.id, within: nil, cursor: "x", limit: 3)
        }
    }
}
