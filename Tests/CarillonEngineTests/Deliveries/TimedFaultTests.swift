import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import TestStores
import TestSupport
import Testing

/// Local time, deferral and pace combined, with Devices that change zones, and a process that ends at any call.
@Suite(.timeLimit(.minutes(5)))
struct TimedFaultTests {
    private static let deviceCount = 40
    private static let zones = ["Asia/Seoul", "Asia/Tokyo", "Asia/Kolkata", "Europe/London", "America/New_York", nil]

    private func options() -> Dispatcher.Options {
        var options = Dispatcher.Options()
        options.chunkSize = 6
        options.batchSize = 3
        options.chunksAtOnce = 2
        options.random = { 0.5 }
        return options
    }

    private func request(_ world: DeliveryWorld) -> CampaignRequest {
        var request = world.request()
        request.isAd = true
        request.nightPolicy = .defer
        request.pace = .perMinute(600)
        // It is night in the first zone, so everybody without night consent waits for the morning.
        request.schedule = Schedule(
            .at([WallTime("2026-03-03T06:30")].compactMap(\.self)),
            zone: "Asia/Seoul",
            isLocal: true
        )
        return request
    }

    private func prepare(_ world: DeliveryWorld) async throws {
        try await world.addDevices(Self.deviceCount) { number in
            .init(
                // Without a time zone the end of the night is unknown.
                consent: number % 3 == 0 || number % Self.zones.count == 5
                    ? [.notifications, .ads, .nightAds] : [.notifications, .ads],
                zone: Self.zones[number % Self.zones.count]
            )
        }
    }

    /// Moves a Device to another zone at each overview.
    private func move(_ world: DeliveryWorld, _ turn: Int) async throws {
        _ = try await world.database.write { [app = world.app] connection in
            try connection.run(
                "UPDATE devices SET time_zone = $1 WHERE app_id = $2 AND number = $3",
                Self.zones[turn % (Self.zones.count - 1)],
                app,
                1 + turn * 7 % Self.deviceCount
            )
        }
    }

    @Test(
        "Every Device has one row, whatever node dies and whatever is moved",
        arguments: TestCases.few(of: stride(from: 1, to: 160, by: 5))
    )
    func everyDeviceHasOneRow(_ killed: Int) async throws {
        try await TestPlace.with { place in
            let sender = FakeSender()
            let first = try await DeliveryWorld(sender: sender, place: place)
            try await prepare(first)
            let campaign = try await first.campaigns.create(app: first.app, request(first)).id
            let store = FaultyStore(first.stores.deliveries)
            let dead = StoreError.unavailable("killed")
            let isAnswerLost = killed.isMultiple(of: 2)
            store.fail { $0 < killed ? nil : $0 == killed && isAnswerLost ? .after(dead) : .before(dead) }
            let dependencies = first.dependencies(store)
            try await first.dispatching(Dispatcher(options: options(), dependencies)) {
                var turn = 0
                while store.calls < killed {
                    await first.time.advanceToNextSleeper()
                    first.time.advance(by: .seconds(300))
                    turn += 1
                    try await move(first, turn)
                }
            }
            first.database.close()

            let world = try await DeliveryWorld(sender: sender, time: first.time, place: place, app: first.app)
            defer { world.database.close() }
            let committed = try await world.deliveries(campaign)
            let before = sender.counts
            if TestPlace.isPostgreSQL {
                try await world.database.write { connection in
                    _ = try connection.run("UPDATE chunks SET owner = NULL")
                }
            }
            try await world.dispatching(Dispatcher(options: options(), world.dispatcher().dependencies)) {
                var turn = killed
                while try await world.advanceToNextWork(of: campaign) {
                    turn += 1
                    try await move(world, turn)
                }
            }

            let deliveries = try await world.deliveries(campaign)
            #expect(Set(deliveries.keys) == Set(1...Self.deviceCount))
            #expect(deliveries.values.allSatisfy { $0.outcome == .accepted })
            let funnel = try await world.funnel(campaign)
            #expect((funnel.targeted, funnel.accepted) == (Self.deviceCount, Self.deviceCount))
            #expect(sender.counts.count == Self.deviceCount && sender.counts.values.allSatisfy { $0 <= 2 })
            for number in committed.keys {
                let device = DeviceNumber(rawValue: Int64(number))
                #expect(sender.counts[device] == before[device], "What was committed is not sent again.")
            }
            #expect(sender.counts.values.count { $0 == 2 } <= 12)
            #expect(try await world.campaigns.campaign(campaign, within: nil).state == .sent)
            #expect(try await world.rowCount(.waveCount) == 0)
        }
    }
}
