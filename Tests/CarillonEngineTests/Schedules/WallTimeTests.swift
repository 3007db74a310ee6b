import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

struct WallTimeTests {
    @Test("Days are counted according to the calendar") func countsDays() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for number in stride(from: 0, to: 60_000, by: 13) {
            let parts = calendar.dateComponents(
                [.year, .month, .day, .weekday],
                from: Date(timeIntervalSince1970: Double(number) * 86_400)
            )
            let day = CalendarDay(number: number)
            #expect(day.parts.year == parts.year && day.parts.month == parts.month && day.parts.day == parts.day)
            #expect(CalendarDay(year: day.parts.year, month: day.parts.month, day: day.parts.day) == day)
            // The calendar counts weekdays from Sunday, 1.
            #expect(Weekday.allCases.firstIndex(of: day.weekday) == ((parts.weekday ?? 0) + 5) % 7)
        }
    }

    @Test(
        "Days are the same after encoding and decoding",
        arguments: ["1970-01-01", "2000-02-29", "2026-12-31", "9999-12-31"]
    )
    func encodesDays(_ text: String) {
        #expect(CalendarDay(text)?.description == text)
    }

    @Test(
        "An invalid day is refused",
        arguments: [
            "", "2026", "2026-2-01", "2026-02-30", "2026-13-01", "2026-00-10", "1969-12-31", "+026-01-01",
            "2026-01-01 ",
            "2026-01-00", "2100-02-29", "２０２６-01-01",
        ]
    )
    func refusesInvalidDays(_ text: String) {
        #expect(CalendarDay(text) == nil)
    }

    @Test("Times are parsed") func parsesTimes() {
        #expect(TimeOfDay("00:00")?.minutes == 0)
        #expect(TimeOfDay("23:59")?.minutes == 1_439)
        for text in ["24:00", "9:00", "09:60", "0900", "-1:00", "09:0a", ""] { #expect(TimeOfDay(text) == nil) }
        #expect(WallTime("2026-12-24T09:30")?.description == "2026-12-24T09:30")
        for text in ["2026-12-24", "2026-12-24 09:30", "2026-12-24T09:30:00", "2026-12-24T09:30Z", "T"] {
            #expect(WallTime(text) == nil)
        }
    }
}

struct LocalClockTests {
    private func clock(_ zone: String) throws -> LocalClock {
        LocalClock(zone: try #require(TimeZone(identifier: zone)))
    }

    private func instant(_ zone: String, _ wall: String) throws -> Timestamp {
        try clock(zone).instant(of: try #require(WallTime(wall)))
    }

    @Test("A skipped time becomes the first instant after the change") func movesSkippedTimes() throws {
        // New York goes from 02:00 to 03:00 on 2026-03-08.
        #expect(try instant("America/New_York", "2026-03-08T02:30") == Timestamp("2026-03-08T03:00:00-04:00"))
        #expect(try instant("America/New_York", "2026-03-08T02:00") == Timestamp("2026-03-08T03:00:00-04:00"))
        #expect(try instant("America/New_York", "2026-03-08T01:59") == Timestamp("2026-03-08T01:59:00-05:00"))
        #expect(try instant("America/New_York", "2026-03-08T03:01") == Timestamp("2026-03-08T03:01:00-04:00"))
        // Lord Howe Island moves by half an hour, Apia skipped 2011-12-30.
        #expect(try instant("Australia/Lord_Howe", "2026-10-04T02:10") == Timestamp("2026-10-04T02:30:00+11:00"))
        #expect(try instant("Pacific/Apia", "2011-12-30T12:00") == Timestamp("2011-12-31T00:00:00+14:00"))
    }

    @Test("A repeated time is its first occurrence") func usesTheFirstOfTwo() throws {
        #expect(try instant("America/New_York", "2026-11-01T01:30") == Timestamp("2026-11-01T01:30:00-04:00"))
        #expect(try instant("America/New_York", "2026-11-01T02:00") == Timestamp("2026-11-01T02:00:00-05:00"))
        #expect(try instant("Europe/London", "2026-10-25T01:00") == Timestamp("2026-10-25T01:00:00+01:00"))
    }

    /// Around every change of an offset in every zone: the local time at the instant, that no earlier instant has it,
    /// and that a later local time is never an earlier instant.
    @Test("The first instant of a time is found in every zone") func findsInstantsInEveryZone() throws {
        let start = 1_767_225_600  // 2026-01-01
        for name in TimeZone.knownTimeZoneIdentifiers {
            let zone = try #require(TimeZone(identifier: name))
            let clock = LocalClock(zone: zone)
            for change in Self.changes(of: zone, from: start, days: 800) {
                var last = Int64.min
                for minutes in stride(from: -180, through: 180, by: 15) {
                    // Local times by the former offset, which include the skipped and the repeated hour.
                    let shown = change + zone.secondsFromGMT(for: Self.date(change - 1)) + 60 * minutes
                    let wall = WallTime(minutes: shown / 60)
                    let second = clock.instant(of: wall).rawValue / 1000
                    #expect(second >= last, "\(name) \(wall)")
                    last = second
                    Self.check(second, wall, zone, name)
                }
            }
            let wall = WallTime(minutes: start / 60 + 17 * 60)
            Self.check(clock.instant(of: wall).rawValue / 1000, wall, zone, name)
        }
    }

    private static func check(_ second: Int64, _ wall: WallTime, _ zone: TimeZone, _ name: String) {
        func shown(_ second: Int64) -> Int64 { second + Int64(zone.secondsFromGMT(for: date(Int(second)))) }
        let wanted = Int64(wall.minutes) * 60
        #expect(shown(second) >= wanted, "\(name) \(wall)")
        #expect(shown(second) == wanted || shown(second - 1) < wanted, "\(name) \(wall)")
        // No instant within a day before has the local time.
        for back in stride(from: Int64(1), through: 86_400, by: 899) {
            #expect(shown(second - back) < wanted, "\(name) \(wall)")
        }
    }

    private static func date(_ second: Int) -> Date { Date(timeIntervalSince1970: Double(second)) }

    private static func changes(of zone: TimeZone, from start: Int, days: Int) -> [Int] {
        var changes: [Int] = []
        for day in 0..<days {
            var (before, after) = (start + 86_400 * day, start + 86_400 * (day + 1))
            let old = zone.secondsFromGMT(for: date(before))
            guard zone.secondsFromGMT(for: date(after)) != old else { continue }
            while after - before > 1 {
                let middle = (before + after) / 2
                if zone.secondsFromGMT(for: date(middle)) == old { before = middle } else { after = middle }
            }
            changes.append(after)
        }
        return changes
    }
}
