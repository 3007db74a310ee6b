import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StatisticsTests {
    @Test("T-75 two sent, one received and opened: in the series and in its total")
    func countsTheWay() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2)
        let campaign = try await world.send(world.request())
        world.time.advance(by: .seconds(600))
        try await world.report(.received, of: campaign, device: 1)
        try await world.report(.opened, of: campaign, device: 1, after: .seconds(-120))
        try await world.report(.opened, of: campaign, device: 1)

        let ofApp = try await world.statistics.series(of: world.app, .init(unit: .minute))
        let ofCampaign = try await world.statistics.series(of: campaign.id, within: world.app, .init(unit: .minute))

        #expect(ofApp.points == ofCampaign.points)
        #expect(ofApp.points.map(\.at.description).map { $0.dropFirst(11).prefix(5) } == ["12:00", "12:08", "12:10"])
        var total = Figures()
        for point in ofApp.points { total += point.figures }
        #expect(ofApp.total == total)
        #expect((total.targeted, total.accepted, total.received, total.opened) == (2, 2, 1, 1))
    }

    @Test("T-76 the unit follows the range, and keys and channels filter")
    func choosesTheUnit() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        let key = try await world.statistics.create(app: world.app, StatisticsKeyRequest(name: "news"))
        var gathered = world.request()
        gathered.statisticsID = key.id
        try await world.send(gathered)
        try await world.send(world.request())

        let ranges = ["15:00:00Z", "15:00:01Z", "12:00:00Z"]
        let days = ["03-01", "03-01", "03-02"]
        var units: [StatisticsUnit] = []
        for (day, end) in zip(days, ranges) {
            units.append(try await unit(world, to: "2026-\(day)T\(end)"))
        }
        units.append(try await unit(world, to: "2026-03-02T12:00:01Z"))
        units.append(try await unit(world, to: "2026-03-08T12:00:00Z"))
        units.append(try await unit(world, to: "2026-03-08T12:00:01Z"))
        #expect(units == [.minute, .tenMinutes, .tenMinutes, .hour, .hour, .day])

        var question = StatisticsQuestion("2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z", keys: [key.id])
        #expect(try await world.statistics.series(of: world.app, question).total.accepted == 3)
        question.keys = []
        #expect(try await world.statistics.series(of: world.app, question).total.accepted == 6)
        question.channel = .voip
        #expect(try await world.statistics.series(of: world.app, question).total.isEmpty)
    }

    private func unit(_ world: DeliveryWorld, to end: String) async throws -> StatisticsUnit {
        try await world.statistics.series(of: world.app, .init("2026-03-01T12:00:00Z", end)).unit
    }

    @Test("T-77 T-79 an event counts at the phone's time, also in a zone behind UTC, and never before its push")
    func booksAtTheEventsTime() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        let campaign = try await world.send(world.request())
        world.time.advance(by: .seconds(3 * 3_600))
        let occurrence = try #require(campaign.occurrence)
        let key = try await world.apps.receiptKey(for: world.app)
        // Five hours behind UTC; long before the push; far in the future.
        for (device, text) in [
            (1, "2026-03-01T08:31:07-05:00"), (2, "1984-01-01T00:00:00Z"), (3, "2030-01-01T00:00:00Z"),
        ] {
            let receipt = key.receipt(occurrence: occurrence, device: DeviceNumber(rawValue: Int64(device)))
            let time = try #require(Timestamp(text))
            let event = Event(.opened, occurrence: occurrence, receipt: receipt, at: time)
            #expect(try await world.events.record(app: world.app, [event]).counted == 1)
        }

        let series = try await world.statistics.series(of: world.app, .init(unit: .minute))

        let opened = series.points.filter { $0.figures.opened > 0 }.map(\.at.description).map { $0.prefix(16) }
        #expect(opened == ["2026-03-01T12:00", "2026-03-01T13:31", "2026-03-01T15:00"])
    }

    @Test("T-78 failures have a cause, and whether it concerns the token")
    func tellsCauses() async throws {
        let sender = BlamingSender()
        sender.inner.answer { notification in
            switch notification.device.rawValue {
            case 1: .dropDeviceToken(FailureReason(rawValue: "Unregistered"), since: nil)
            case 2...3: .dropMessage(FailureReason(rawValue: "BadPriority"))
            default: .accepted
            }
        }
        let world = try await DeliveryWorld(sender: sender.inner)
        try await world.addDevices(5) { .init(consent: $0 == 5 ? [] : .notifications) }
        let campaign = try await world.send(world.request())
        let statistics = Statistics(
            store: world.stores.statistics,
            campaigns: world.stores.campaigns,
            sender: sender,
            ids: world.ids,
            clock: world.time
        )

        let total = try await statistics.series(of: campaign.id, within: nil, .init()).total

        #expect(total.failed == ["Unregistered": 1, "BadPriority": 2])
        #expect((total.failedByToken, total.failedOtherwise) == (1, 2))
        #expect(total.skipped == ["NoConsent": 1])
        #expect((total.targeted, total.accepted) == (5, 1))
        #expect(try await world.tokenState(1) == .dropped)
    }

    @Test("T-80 a query beyond a limit is refused, and the answer names the limit")
    func namesItsLimits() async throws {
        let world = try await DeliveryWorld()
        let start = "2026-01-01T00:00:00Z"
        let limits: [(StatisticsUnit, String, String)] = [
            (.minute, "2026-01-02T00:00:00Z", "1 day"), (.tenMinutes, "2026-01-08T00:00:00Z", "7 days"),
            (.hour, "2026-02-01T00:00:00Z", "31 days"), (.day, "2027-01-02T00:00:00Z", "366 days"),
        ]
        for (unit, end, words) in limits {
            _ = try await world.statistics.series(of: world.app, .init(start, end, unit: unit))
            var question = StatisticsQuestion(start, end, unit: unit)
            question.until = question.until?.advanced(by: .milliseconds(1))
            let problem = "must be at most \(words) after from: the unit is \(unit.rawValue)"
            await #expect(throws: EngineError.invalid(FieldError(field: "until", problem: problem))) {
                try await world.statistics.series(of: world.app, question)
            }
        }
        let keys = (1...21).map { StatisticsID(rawValue: $0) }
        await #expect(throws: EngineError.invalid(FieldError(field: "statistics", problem: "must name at most 20 ids")))
        {
            try await world.statistics.series(of: world.app, .init(keys: keys))
        }
        await #expect(throws: EngineError.invalid(FieldError(field: "from", problem: "must be before until"))) {
            try await world.statistics.series(of: world.app, .init(start, start))
        }
    }

    @Test("C-54 a Campaign counts each action separately, up to a hundred keys")
    func countsActionsByKey() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10)
        let campaign = try await world.send(world.request())
        for device in 1...3 {
            try await world.report(.launched, of: campaign, device: device, action: "101")
            try await world.report(.launched, of: campaign, device: device, action: "001")
        }
        for number in 0..<110 {
            try await world.report(
                .action,
                of: campaign,
                device: 1 + number / 12,
                action: "key-\(number)",
                reply: "yes"
            )
        }

        let series = try await world.statistics.series(of: campaign.id, within: world.app, .init())

        #expect(series.actionKeys?["101"] == 3)
        #expect(series.actionKeys?[""] == 11)
        #expect(series.actionKeys?.count == 101)
        #expect((series.total.launched, series.total.actions, series.total.replies) == (3, 113, 110))
    }

    @Test("A key counts only its period, and an App's counts exclude test sends")
    func countsPeriods() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        var wanted = StatisticsKeyRequest(name: "spring")
        wanted.startsAt = world.time.now().advanced(by: .seconds(60))
        wanted.endsAt = world.time.now().advanced(by: .seconds(180))
        let key = try await world.statistics.create(app: world.app, wanted)
        var request = world.request()
        request.statisticsID = key.id
        for _ in 1...4 {
            try await world.send(request)
            world.time.advance(by: .seconds(60))
        }
        let test = try await world.campaigns.test(
            app: world.app,
            TestSendRequest(device: DeliveryWorld.id(1), message: DeliveryWorld.message())
        )
        try await world.dispatching(world.dispatcher()) { try await world.wait(for: .sent, of: test.id) }

        let gathered = try await world.statistics.series(of: world.app, .init(unit: .minute, keys: [key.id]))
        let all = try await world.statistics.series(of: world.app, .init(unit: .minute))

        #expect(gathered.points.map(\.at.description).map { $0.dropFirst(11).prefix(5) } == ["12:01", "12:02"])
        #expect(all.total.accepted == 4)
        #expect(try await world.statistics.series(of: test.id, within: nil, .init()).total.accepted == 1)
    }

    @Test("Days begin at midnight of a zone, also where the clocks change") func dividesDays() async throws {
        // In New York the clocks go forward on March 8, 2026, at 02:00.
        let world = try await DeliveryWorld(time: TestTime("2026-03-07T04:59:00Z"))
        try await world.addDevices(1)
        for _ in 0..<64 {
            try await world.send(world.request())
            world.time.advance(by: .seconds(3_600))
        }

        let series = try await world.statistics.series(
            of: world.app,
            .init("2026-03-07T12:00:00Z", "2026-03-09T12:00:00Z", unit: .day, zone: "America/New_York")
        )

        #expect(
            series.points.map(\.at.description) == [
                "2026-03-07T05:00:00.000Z", "2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z",
            ]
        )
        #expect(series.points.map(\.figures.accepted) == [24, 23, 16])
        #expect(series.until.description == "2026-03-10T04:00:00.000Z")
        let problem = "must be whole half hours away from UTC in this range"
        await #expect(throws: EngineError.invalid(FieldError(field: "timeZone", problem: problem))) {
            try await world.statistics.series(of: world.app, .init(unit: .day, zone: "Asia/Kathmandu"))
        }
    }

    @Test("A Campaign can name only keys of its App") func requiresOwnKeys() async throws {
        let world = try await DeliveryWorld()
        var request = world.request()
        request.statisticsID = StatisticsID(rawValue: 5)
        let problem = FieldError(field: "statisticsID", problem: "must be a statistics id of the App")
        await #expect(throws: EngineError.invalid(problem)) {
            try await world.campaigns.create(app: world.app, request)
        }
    }
}

/// A service with one reason that concerns the token.
private struct BlamingSender: Sender {
    let inner = FakeSender()

    func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering { try inner.render(draft) }

    func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence] {
        await inner.send(batch, until: deadline)
    }

    func blamesToken(_ reason: FailureReason) -> Bool { reason.rawValue == "Unregistered" }
}
