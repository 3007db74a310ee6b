import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

struct ForecastTests {
    private func schedule(_ wall: String, zone: String = "Asia/Seoul", isLocal: Bool = true) -> Schedule {
        Schedule(.at([WallTime(wall)].compactMap(\.self)), zone: zone, isLocal: isLocal)
    }

    private func now(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    @Test("K-40 a fixed time is the clock in the zones with the most Devices")
    func fixedTime() throws {
        let devices = [
            "Asia/Seoul": 9, "Europe/London": 8, "America/New_York": 7, "": 6, "Asia/Kolkata": 5, "Mars/Phobos": 4,
            "Asia/Tokyo": 3, "Asia/Taipei": 0,
        ]
        let forecast = try #require(
            TimeForecast(
                schedule: nil,
                sendAt: try now("2026-03-01T12:00:00Z"),
                devices: devices,
                at: try now("2026-02-28T00:00:00Z")
            )
        )
        #expect(!forecast.isLocal && forecast.zones.count == 7)
        #expect(forecast.largest.map(\.devices) == [9, 8, 7, 6, 5, 4])
        #expect(
            forecast.largest.map(\.wall.description) == [
                "2026-03-01T21:00", "2026-03-01T12:00", "2026-03-01T07:00", "2026-03-01T12:00", "2026-03-01T17:30",
                "2026-03-01T12:00",
            ]
        )
        // Seoul's and Tokyo's night begins, New York's is not over.
        #expect(forecast.nightDevices == 9 + 7 + 3)
        #expect(forecast.first == forecast.last && forecast.passed.isEmpty)
    }

    @Test("K-40 a local time has a first and a last Wave, and names zones in which it is over")
    func localTime() throws {
        let devices = ["Asia/Seoul": 5, "Europe/London": 3, "America/New_York": 2]
        let now = try now("2026-03-01T12:00:00Z")
        var schedule = schedule("2026-03-01T18:00")
        let skipping = try #require(TimeForecast(schedule: schedule, sendAt: nil, devices: devices, at: now))
        #expect(skipping.isLocal)
        #expect(skipping.passed.map(\.name) == ["Asia/Seoul"])
        #expect(skipping.first == Timestamp("2026-03-01T18:00:00Z"))
        #expect(skipping.last == Timestamp("2026-03-01T18:00:00-05:00"))
        schedule.passed = .nextDay
        let moving = try #require(TimeForecast(schedule: schedule, sendAt: nil, devices: devices, at: now))
        #expect(moving.passed.map(\.name) == ["Asia/Seoul"])
        #expect(moving.last == Timestamp("2026-03-02T18:00:00+09:00"))
    }

    @Test("K-40 a time that a clock skips or repeats is named with the zone")
    func clockChanges() throws {
        let devices = ["Europe/Berlin": 2, "Asia/Seoul": 1]
        let now = try now("2026-03-20T00:00:00Z")
        let gap = try #require(
            TimeForecast(schedule: schedule("2026-03-29T02:30"), sendAt: nil, devices: devices, at: now)
        )
        #expect(gap.changes.map(\.name) == ["Europe/Berlin"])
        #expect(gap.changes.first?.change?.kind == .gap)
        #expect(gap.changes.first?.change?.goesAt.description == "2026-03-29T03:00")
        let fold = try #require(
            TimeForecast(
                schedule: schedule("2026-10-25T02:30"),
                sendAt: nil,
                devices: devices,
                at: try self.now("2026-10-20T00:00:00Z")
            )
        )
        #expect(fold.changes.map(\.change?.kind) == [.fold])
        let fixed = try #require(
            TimeForecast(
                schedule: schedule("2026-03-29T02:30", zone: "Europe/Berlin", isLocal: false),
                sendAt: nil,
                devices: devices,
                at: now
            )
        )
        #expect(fixed.change?.kind == .gap && fixed.scheduleZone == "Europe/Berlin")
        #expect(fixed.changes.isEmpty)
    }

    @Test("K-43 a pace has an end and the opens it brings, and an expiry before that end is found")
    func pace() {
        let paced = PaceForecast(.perMinute(1_000), devices: 48_210)
        #expect(paced.seconds == 49 * 60)
        #expect(paced.opensPerSecond == 1)
        #expect(paced.exceeds(validFor: 49 * 60 - 1) && !paced.exceeds(validFor: 49 * 60))
        #expect(!paced.exceeds(validFor: nil))
        #expect(PaceForecast(nil, devices: 166_000).opensPerSecond == 830)
        #expect(PaceForecast(.over(3_600), devices: 10).seconds == 3_600)
        let groups = PaceForecast(.groups(4, every: 600), devices: 4_000)
        #expect(groups.seconds == 0 && groups.groups == 1_800 && groups.opensPerSecond == 5)
    }
}
