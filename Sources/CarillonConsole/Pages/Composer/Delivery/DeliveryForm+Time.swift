import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension DeliveryForm {
    /// How far ahead a time may be.
    private static let longestAhead = Duration.seconds(60 * 86_400)

    mutating func readTime(_ update: inout CampaignUpdate) {
        switch when {
        case .now: update.clearsTimes = true
        case .at, .local:
            guard let zone = zone(), let walls = walls() else { return }
            if when == .at, let wall = walls.first, walls.count == 1 {
                update.sendAt = instant(wall, zone)
            } else {
                var schedule = Schedule(.at(walls), zone: zone, isLocal: when == .local)
                if when == .local { schedule.passed = Schedule.PassedTime(rawValue: fields.text("passed")) }
                if schedule.passed == .nextDay, walls.count > 1 { wrong("passed", "passed") }
                update.schedule = schedule
            }
        case .repeat: update.schedule = recurring()
        }
    }

    // MARK: - Private

    private mutating func zone() -> String? {
        let zone = fields.text("zone").trimmed
        guard !zone.isEmpty, zones.isZone(zone) else {
            wrong("zone", "zone")
            return nil
        }
        return zone
    }

    /// The first time, and those of the list, each on a line.
    private mutating func walls() -> [WallTime]? {
        let (day, time) = (CalendarDay(fields.text("date")), TimeOfDay(fields.text("time")))
        if day == nil { wrong("date", "date") }
        if time == nil { wrong("time", "time") }
        guard let day, let time else { return nil }
        var walls: Set<WallTime> = [WallTime(day, time)]
        for line in fields.text("moreTimes").split(whereSeparator: \.isNewline) where !line.allSatisfy(\.isWhitespace) {
            let parts = line.split(whereSeparator: { $0.isWhitespace || $0 == "T" })
            guard parts.count == 2, let wall = WallTime(parts.joined(separator: "T")) else {
                wrong("moreTimes", "moreTimes", ["line": String(line.prefix(40))])
                return nil
            }
            walls.insert(wall)
        }
        guard walls.count <= Schedule.maximumTimeCount else {
            wrong("moreTimes", "tooManyTimes")
            return nil
        }
        return walls.sorted()
    }

    private mutating func instant(_ wall: WallTime, _ zone: String) -> Timestamp? {
        guard let instant = zones.instant(of: wall, zone: zone, or: "GMT") else { return nil }
        guard instant > now else {
            wrong("date", "past")
            return nil
        }
        guard instant <= now.advanced(by: Self.longestAhead) else {
            wrong("date", "far")
            return nil
        }
        return instant
    }

    private mutating func recurring() -> Schedule? {
        let times = fields.text("times").split(whereSeparator: { ",、 \n".contains($0) }).map(String.init)
        let read = times.compactMap { TimeOfDay($0) }
        if read.isEmpty || read.count < times.count || read.count > Schedule.maximumTimesOfDay {
            wrong("times", "times")
        }
        guard let recurrence = recurrence(), let zone = zone(), !read.isEmpty else { return nil }
        var schedule = Schedule(recurrence, times: read, zone: zone, isLocal: fields["repeatLocal"] != nil)
        schedule.from = day("from")
        schedule.until = day("until")
        if let from = schedule.from, let until = schedule.until, until < from { wrong("until", "until") }
        return schedule
    }

    private mutating func recurrence() -> Schedule.Recurrence? {
        switch fields.text("repeat") {
        case "weekly":
            let days = Set(fields.values("weekday").compactMap(Weekday.init(rawValue:)))
            guard days.isEmpty else { return .weekly(days) }
            wrong("weekday-monday", "weekdays")
            return nil
        case "monthly":
            let words = fields.text("days").split(whereSeparator: { ",、 ".contains($0) })
            let days = words.compactMap { Int($0) }
            guard days.isEmpty || days.count < words.count || !days.allSatisfy((1...31).contains) else {
                return .monthly(Set(days))
            }
            wrong("days", "days")
            return nil
        default: return .daily
        }
    }

    private mutating func day(_ field: String) -> CalendarDay? {
        let text = fields.text(field).trimmed
        guard !text.isEmpty else { return nil }
        guard let day = CalendarDay(text) else {
            wrong(field, "date")
            return nil
        }
        return day
    }
}
