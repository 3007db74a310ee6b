import CarillonModel

/// When a Campaign is sent: repeatedly or at listed times; each time is one Occurrence.
///
/// Times are local, in one time zone or in each Device's own. A time that a change of the clock skips is moved forward
/// to the first instant that exists; of a time that occurs twice the first counts.
public struct Schedule: Hashable, Sendable {
    /// The days.
    public enum Recurrence: Hashable, Sendable {
        /// Only at these times, 1 through ``maximumTimeCount``.
        case at([WallTime])
        /// Every day.
        case daily
        /// On these days of each week.
        case weekly(Set<Weekday>)
        /// On these days of each month, 1 through 31; a month that is too short is skipped.
        case monthly(Set<Int>)
    }

    /// What happens to Devices in whose zone a local time was over when the Campaign was accepted.
    public enum PassedTime: String, Hashable, Sendable, Codable, CaseIterable {
        /// They get nothing.
        case skip
        /// They get it at the same local time of the next day.
        case nextDay
    }

    /// Maximum number of times listed with `at`.
    public static let maximumTimeCount = 500
    /// Maximum number of times of a day.
    public static let maximumTimesOfDay = 24

    /// The days.
    public var recurrence: Recurrence
    /// The first day; the day on which the Campaign is accepted when missing.
    public var from: CalendarDay?
    /// The last day; without it the schedule has no end.
    public var until: CalendarDay?
    /// The times of each day, ascending; empty when the times are listed.
    public var times: [TimeOfDay]
    /// The IANA time zone of the times; with ``isLocal`` that of Devices that report none.
    public var zone: String
    /// Whether each Device gets it at its own local time.
    public var isLocal: Bool
    /// What happens to Devices in whose zone the time was over; they get nothing when missing.
    ///
    /// Only for local times; ``PassedTime/nextDay`` for one listed time.
    public var passed: PassedTime?

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - recurrence: The days.
    ///   - times: The times of each day.
    ///   - zone: An IANA time zone.
    ///   - isLocal: Whether the times are in each Device's own zone.
    public init(_ recurrence: Recurrence, times: [TimeOfDay] = [], zone: String, isLocal: Bool = false) {
        self.recurrence = recurrence
        self.times = Array(Set(times)).sorted()
        self.zone = zone
        self.isLocal = isLocal
    }
}

extension Schedule: Codable {
    private enum Repeat: String, Codable {
        case daily, weekly, monthly
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case at, `repeat`, weekdays, days, from, until, times, zone, local, passed
    }

    /// Decodes either `at`, or `repeat` with `times`, and for `weekly` the `weekdays`, for `monthly` the `days`.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let zone = try fields.text(.zone, 1...64) else { throw fields.failure(.zone, "is required") }
        self.zone = zone
        isLocal = try fields.optional(.local) ?? false
        from = try fields.optional(.from)
        until = try fields.optional(.until)
        times = []
        if fields.contains(.at) {
            recurrence = .at(try fields.listedTimes())
        } else {
            guard fields.contains(.repeat) else { throw fields.failure(.repeat, "is required without at") }
            // First what is decoded alone: an error of the recurrence concerns several fields.
            times = try fields.timesOfDay()
            recurrence = try fields.recurrence()
        }
        if let from, let until, until < from { throw fields.failure(.until, "must not be before from") }
        passed = try fields.optional(.passed)
        guard passed == nil || isLocal else { throw fields.failure(.passed, "must be missing: local is false") }
        guard passed != .nextDay || isOnce else {
            throw fields.failure(.passed, "must be skip or missing: there are several times")
        }
    }

    /// Encodes the same form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch recurrence {
        case .at(let listed):
            try container.encode(listed, forKey: .at)
            try container.encode(zone, forKey: .zone)
            try container.encode(isLocal, forKey: .local)
            return try container.encodeIfPresent(passed, forKey: .passed)
        case .daily: try container.encode(Repeat.daily, forKey: .repeat)
        case .weekly(let days):
            try container.encode(Repeat.weekly, forKey: .repeat)
            try container.encode(Weekday.allCases.filter(days.contains), forKey: .weekdays)
        case .monthly(let days):
            try container.encode(Repeat.monthly, forKey: .repeat)
            try container.encode(days.sorted(), forKey: .days)
        }
        try container.encode(times, forKey: .times)
        try container.encodeIfPresent(from, forKey: .from)
        try container.encodeIfPresent(until, forKey: .until)
        try container.encode(zone, forKey: .zone)
        try container.encode(isLocal, forKey: .local)
        try container.encodeIfPresent(passed, forKey: .passed)
    }
}

extension Schedule {
    /// Whether it has one time.
    package var isOnce: Bool { if case .at(let listed) = recurrence { listed.count == 1 } else { false } }
}

extension Fields where Key == Schedule.CodingKeys {
    fileprivate func listedTimes() throws -> [WallTime] {
        for key in [Key.repeat, .weekdays, .days, .times, .from, .until] where contains(key) {
            throw failure(key, "must be missing: at is present")
        }
        let times: [WallTime] = try required(.at)
        guard (1...Schedule.maximumTimeCount).contains(times.count) else {
            throw failure(.at, "must list 1 through \(Schedule.maximumTimeCount)")
        }
        return Array(Set(times)).sorted()
    }

    fileprivate func timesOfDay() throws -> [TimeOfDay] {
        let times: [TimeOfDay] = try required(.times)
        guard (1...Schedule.maximumTimesOfDay).contains(times.count) else {
            throw failure(.times, "must list 1 through \(Schedule.maximumTimesOfDay)")
        }
        return Array(Set(times)).sorted()
    }

    fileprivate func recurrence() throws -> Schedule.Recurrence {
        guard let word: String = try optional(.repeat) else { throw failure(.repeat, "is required without at") }
        let weekdays: [Weekday]? = try optional(.weekdays)
        let days: [Int]? = try optional(.days)
        switch (word, weekdays, days) {
        case ("daily", nil, nil): return .daily
        case ("weekly", let weekdays?, nil) where !weekdays.isEmpty: return .weekly(Set(weekdays))
        case ("monthly", nil, let days?) where !days.isEmpty:
            guard days.allSatisfy((1...31).contains) else { throw failure(.days, "must be 1 through 31") }
            return .monthly(Set(days))
        case ("weekly", _, nil): throw failure(.weekdays, "must list one day of the week or more")
        case ("monthly", nil, _): throw failure(.days, "must list one day of the month or more")
        case ("daily", .some, _), ("monthly", .some, _):
            throw failure(.weekdays, "must be missing: repeat is not weekly")
        case ("daily", _, .some), ("weekly", _, .some): throw failure(.days, "must be missing: repeat is not monthly")
        default: throw failure(.repeat, "must be daily, weekly or monthly")
        }
    }
}
