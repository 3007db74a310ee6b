import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

struct FiringPlanTests {
    private func at(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    private func time(_ text: String) throws -> TimeOfDay { try #require(TimeOfDay(text)) }

    private func plan(
        _ recurrence: Schedule.Recurrence,
        _ times: [String] = [],
        from: String? = nil,
        until: String? = nil,
        zone: String = "Asia/Seoul",
        isLocal: Bool = false,
        pace: Pace? = nil
    ) throws -> FiringPlan {
        var schedule = Schedule(recurrence, times: try times.map(time), zone: zone, isLocal: isLocal)
        schedule.from = from.flatMap { CalendarDay($0) }
        schedule.until = until.flatMap { CalendarDay($0) }
        return try #require(FiringPlan(schedule: schedule, pace: pace, start: Timestamp(rawValue: 0)))
    }

    private func walls(_ plan: FiringPlan, at now: String = "2026-01-01T00:00:00+09:00") throws -> [String] {
        plan.planned(from: plan.first(at: try at(now)), limit: 2_000).compactMap { $0.wall?.description }
    }

    @Test("T-66 daily, weekly and monthly schedules have all days from the first to the last, with their times")
    func expands() throws {
        #expect(
            try walls(plan(.daily, ["18:00", "09:00"], from: "2026-06-01", until: "2026-06-02"))
                == ["2026-06-01T09:00", "2026-06-01T18:00", "2026-06-02T09:00", "2026-06-02T18:00"]
        )
        // 2026-06-01 is a Monday.
        #expect(
            try walls(plan(.weekly([.monday, .sunday]), ["08:00"], from: "2026-06-01", until: "2026-06-15"))
                == ["2026-06-01T08:00", "2026-06-07T08:00", "2026-06-08T08:00", "2026-06-14T08:00", "2026-06-15T08:00"]
        )
        #expect(
            try walls(plan(.monthly([1, 15]), ["08:00"], from: "2026-06-02", until: "2026-07-15"))
                == ["2026-06-15T08:00", "2026-07-01T08:00", "2026-07-15T08:00"]
        )
    }

    @Test("T-66 day 31 skips short months")
    func skipsShortMonths() throws {
        #expect(
            try walls(plan(.monthly([31]), ["00:00"], from: "2026-01-01", until: "2026-12-31"))
                == ["01", "03", "05", "07", "08", "10", "12"].map { "2026-\($0)-31T00:00" }
        )
        #expect(
            try walls(plan(.monthly([30]), ["00:00"], from: "2026-01-01", until: "2026-04-30"))
                == ["2026-01-30T00:00", "2026-03-30T00:00", "2026-04-30T00:00"]
        )
    }

    @Test("Listed times are sorted") func sortsTimes() throws {
        let times = ["2026-06-02T10:00", "2026-06-01T09:00"].compactMap { WallTime($0) }
        #expect(try walls(plan(.at(times.sorted()))) == ["2026-06-01T09:00", "2026-06-02T10:00"])
        let plan = try plan(.at(times.sorted()))
        #expect(plan.first(at: try at("2026-06-01T09:00:00+09:00"))?.wall == times[0])
        #expect(plan.first(at: try at("2026-06-02T10:00:00+09:00")) == nil)
    }

    @Test("The plan begins with the first future firing") func beginsInTheFuture() throws {
        let plan = try plan(.daily, ["09:00", "18:00"], from: "2026-06-01", until: "2026-06-03")
        let first = try #require(plan.first(at: try at("2026-06-01T09:00:01+09:00")))
        #expect(first.wall?.description == "2026-06-01T18:00")
        #expect(first.dueAt == Timestamp("2026-06-01T18:00:00+09:00"))
    }

    @Test("A late firing begins, and of several the last") func beginsLateFirings() throws {
        let plan = try plan(.daily, ["09:00"], from: "2026-06-01", until: "2026-06-05")
        let first = try #require(plan.first(at: try at("2026-06-01T00:00:00+09:00")))
        func step(_ now: String) throws -> FiringStep { plan.step(from: first, at: try at(now)) }

        #expect(try step("2026-06-01T08:59:59+09:00") == FiringStep(next: first))
        let onTime = try step("2026-06-01T09:00:00+09:00")
        #expect(onTime.begin == first && onTime.missed == [] && onTime.next == plan.next(after: first))
        let late = try step("2026-06-02T08:59:59+09:00")
        #expect(late == onTime)
        let later = try step("2026-06-03T10:00:00+09:00")
        #expect(later.missed.map { $0.wall?.description } == ["2026-06-01T09:00", "2026-06-02T09:00"])
        #expect(later.begin?.wall?.description == "2026-06-03T09:00")
        #expect(later.next?.wall?.description == "2026-06-04T09:00")
        let over = try step("2026-07-01T00:00:00+09:00")
        #expect(over.begin?.wall?.description == "2026-06-05T09:00" && over.next == nil && over.missed.count == 4)
    }

    @Test("Two times in a skipped hour are one firing") func mergesSkippedTimes() throws {
        let plan = try plan(
            .daily,
            ["02:15", "02:45"],
            from: "2026-03-08",
            until: "2026-03-08",
            zone: "America/New_York"
        )
        let first = try #require(plan.first(at: Timestamp(rawValue: 0)))
        let change = try at("2026-03-08T03:00:00-04:00")
        #expect(first.dueAt == change)
        let step = plan.step(from: first, at: change)
        #expect(step.missed == [first])
        #expect(step.begin?.wall?.description == "2026-03-08T02:45")
    }

    @Test("In local time a firing is due in the first zone and missed after the last") func plansLocalTime() throws {
        let plan = try plan(.daily, ["09:00", "18:00"], from: "2026-06-01", until: "2026-06-02", isLocal: true)
        let first = try #require(plan.first(at: try at("2026-06-01T12:00:00Z")))
        // 09:00 is still in the future in the last zone: that is 21:00 UTC.
        #expect(first.wall?.description == "2026-06-01T09:00")
        #expect(first.dueAt == Timestamp("2026-05-31T19:00:00Z"))
        let begin = plan.step(from: first, at: try at("2026-06-01T12:00:00Z"))
        #expect(begin.missed == [] && begin.begin == first)
        let evening = try #require(begin.next)
        #expect(plan.step(from: evening, at: try at("2026-06-01T12:00:00Z")).begin == evening)
        let late = plan.step(from: first, at: try at("2026-06-01T21:00:00Z"))
        #expect(late.missed == [first] && late.begin == evening)
    }

    @Test("C-55 groups begin one after another, as separate firings")
    func groups() throws {
        let start = Timestamp(rawValue: 1_000_000)
        let plan = try #require(FiringPlan(schedule: nil, pace: .groups(3, every: 600), start: start))
        let firings = plan.planned(from: plan.first(at: start), limit: 10)
        #expect(firings.map(\.part) == [0, 1, 2])
        #expect(firings.map(\.dueAt) == [0, 600, 1_200].map { start.advanced(by: .seconds($0)) })
        // None is missed, however late.
        let late = plan.step(from: firings[0], at: start.advanced(by: .seconds(9_999)))
        #expect(late == FiringStep(begin: firings[0], next: firings[1]))
    }

    /// In every zone, over all changes of a year: one firing per day, about a day apart, in order.
    @Test("Every day has one firing in every zone") func oneFiringADay() throws {
        for zone in [
            "America/New_York", "Africa/Casablanca", "Australia/Lord_Howe", "Asia/Gaza", "America/Nuuk", "UTC",
        ] {
            for time in ["00:00", "00:30", "01:30", "02:30", "03:00", "23:45"] {
                let plan = try plan(.daily, [time], from: "2026-01-01", until: "2026-12-31", zone: zone)
                let firings = plan.planned(from: plan.first(at: Timestamp(rawValue: 0)), limit: 2_000)
                #expect(firings.count == 365)
                for (before, after) in zip(firings, firings.dropFirst()) {
                    let hours = before.dueAt.duration(to: after.dueAt)
                    #expect(hours >= .seconds(22 * 3_600) && hours <= .seconds(26 * 3_600), "\(zone) \(time)")
                }
            }
        }
    }

    @Test("A schedule is the same after encoding and decoding") func encodesSchedules() throws {
        let texts = [
            #"{"at":["2026-12-24T09:00"],"local":false,"zone":"Asia\/Seoul"}"#,
            #"{"from":"2026-06-01","local":true,"repeat":"daily","times":["09:00","18:00"],"until":"2026-06-30","zone":"UTC"}"#,
            #"{"local":false,"repeat":"weekly","times":["09:00"],"weekdays":["monday","sunday"],"zone":"UTC"}"#,
            #"{"days":[1,31],"local":false,"repeat":"monthly","times":["09:00"],"zone":"UTC"}"#,
        ]
        for text in texts {
            let schedule = try JSONDecoder().decode(Schedule.self, from: Data(text.utf8))
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            #expect(String(decoding: try encoder.encode(schedule), as: UTF8.self) == text)
        }
    }

    @Test(
        "An invalid schedule is refused with its field",
        arguments: [
            (#"{"zone":"UTC"}"#, "repeat"), (#"{"repeat":"daily","zone":"UTC"}"#, "times"),
            (#"{"repeat":"hourly","times":["09:00"],"zone":"UTC"}"#, "repeat"),
            (#"{"repeat":"daily","times":["09:00"],"days":[1],"zone":"UTC"}"#, "days"),
            (#"{"repeat":"weekly","times":["09:00"],"zone":"UTC"}"#, "weekdays"),
            (#"{"repeat":"weekly","times":["09:00"],"weekdays":[],"zone":"UTC"}"#, "weekdays"),
            (#"{"repeat":"monthly","times":["09:00"],"days":[0],"zone":"UTC"}"#, "days"),
            (#"{"repeat":"monthly","times":["09:00"],"days":[32],"zone":"UTC"}"#, "days"),
            (#"{"repeat":"daily","times":[],"zone":"UTC"}"#, "times"),
            (#"{"repeat":"daily","times":["9:00"],"zone":"UTC"}"#, "times.0"),
            (#"{"at":[],"zone":"UTC"}"#, "at"),
            (#"{"at":["2026-12-24T09:00"],"times":["09:00"],"zone":"UTC"}"#, "times"),
            (#"{"at":["2026-12-24T09:00"]}"#, "zone"),
            (#"{"repeat":"daily","times":["09:00"],"from":"2026-06-02","until":"2026-06-01","zone":"UTC"}"#, "until"),
        ]
    )
    func namesInvalidFields(_ text: String, _ field: String) throws {
        do {
            _ = try JSONDecoder().decode(Schedule.self, from: Data(text.utf8))
            Issue.record("It was taken.")
        } catch let error as FieldError {
            #expect(error.field == field)
        } catch let error as DecodingError {
            #expect(FieldError(error).field == field)
        }
    }
}
