import CarillonModel

/// A day of the calendar, without a time zone: `2026-12-24` in JSON, 1970-01-01 through 9999-12-31.
public struct CalendarDay: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01.
    public let number: Int

    /// Creates a day.
    ///
    /// - Parameter number: Days since 1970-01-01.
    public init(number: Int) { self.number = number }

    /// Creates a day of the Gregorian calendar; `nil` for an invalid one, such as 30 February.
    ///
    /// - Parameters:
    ///   - year: 1970 through 9999.
    ///   - month: 1 through 12.
    ///   - day: 1 through 31.
    public init?(year: Int, month: Int, day: Int) {
        guard (1970...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= GregorianCalendar.dayCount(ofMonth: month, in: year)
        else { return nil }
        number = GregorianCalendar.daysSince1970(year: year, month: month, day: day)
    }

    /// Reads `YYYY-MM-DD`; `nil` for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, parts[1].count == 2, parts[2].count == 2,
            let year = Int(digits: parts[0]), let month = Int(digits: parts[1]), let day = Int(digits: parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Year, month and day of the month.
    public var parts: (year: Int, month: Int, day: Int) { GregorianCalendar.date(daysSince1970: number) }

    /// The day of the week.
    public var weekday: Weekday {
        // 1970-01-01 was a Thursday.
        Weekday.allCases[(number + 3) % 7]
    }

    /// The day some days later.
    public func advanced(by days: Int) -> CalendarDay { CalendarDay(number: number + days) }

    /// Orders days by time.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.number < rhs.number }
}

/// A day of the week.
public enum Weekday: String, Hashable, Sendable, Codable, CaseIterable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday
}

/// A local time of day, to the minute: `09:30` in JSON, `00:00` through `23:59`.
public struct TimeOfDay: Hashable, Comparable, Sendable {
    /// Minutes since midnight, 0 through 1,439.
    public let minutes: Int

    /// Creates a time; `nil` when it is out of range.
    public init?(minutes: Int) {
        guard (0..<1_440).contains(minutes) else { return nil }
        self.minutes = minutes
    }

    /// Reads `hh:mm`; `nil` for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 }), let hour = Int(digits: parts[0]),
            let minute = Int(digits: parts[1]), hour < 24, minute < 60
        else { return nil }
        minutes = 60 * hour + minute
    }

    /// Orders times by the clock.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.minutes < rhs.minutes }
}

/// A local date and time, without a time zone: `2026-12-24T09:30` in JSON.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Minutes since 1970-01-01T00:00 in local time.
    public let minutes: Int

    /// Creates a time.
    ///
    /// - Parameter minutes: Minutes since 1970-01-01T00:00 in local time.
    public init(minutes: Int) { self.minutes = minutes }

    /// Creates a time on a day.
    public init(_ day: CalendarDay, _ time: TimeOfDay) { minutes = day.number * 1_440 + time.minutes }

    /// Reads `YYYY-MM-DDThh:mm`; `nil` for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, let day = CalendarDay(String(parts[0])), let time = TimeOfDay(String(parts[1])) else {
            return nil
        }
        self.init(day, time)
    }

    /// The day.
    public var day: CalendarDay { CalendarDay(number: minutes / 1_440) }

    /// Orders by local time.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.minutes < rhs.minutes }
}

extension CalendarDay: CustomStringConvertible {
    /// The text form.
    public var description: String {
        let (year, month, day) = parts
        return "\(year)-\(month.twoDigits)-\(day.twoDigits)"
    }
}

extension TimeOfDay: CustomStringConvertible {
    /// The text form.
    public var description: String { "\((minutes / 60).twoDigits):\((minutes % 60).twoDigits)" }
}

extension WallTime: CustomStringConvertible {
    /// The text form.
    public var description: String {
        let time = minutes % 1_440
        return "\(day)T\((time / 60).twoDigits):\((time % 60).twoDigits)"
    }
}

extension CalendarDay: Codable {
    /// Reads `YYYY-MM-DD`.
    public init(from decoder: any Decoder) throws {
        self = try decoder.text("must be a day such as 2026-12-24", CalendarDay.init(_:))
    }

    /// Writes `YYYY-MM-DD`.
    public func encode(to encoder: any Encoder) throws { try encoder.write(description) }
}

extension TimeOfDay: Codable {
    /// Reads `hh:mm`.
    public init(from decoder: any Decoder) throws {
        self = try decoder.text("must be a time such as 09:30", TimeOfDay.init(_:))
    }

    /// Writes `hh:mm`.
    public func encode(to encoder: any Encoder) throws { try encoder.write(description) }
}

extension WallTime: Codable {
    /// Reads `YYYY-MM-DDThh:mm`.
    public init(from decoder: any Decoder) throws {
        self = try decoder.text("must be a time such as 2026-12-24T09:30", WallTime.init(_:))
    }

    /// Writes `YYYY-MM-DDThh:mm`.
    public func encode(to encoder: any Encoder) throws { try encoder.write(description) }
}

extension Decoder {
    fileprivate func text<Value>(_ problem: String, _ read: (String) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        guard let value = read(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: problem)
        }
        return value
    }
}

extension Encoder {
    fileprivate func write(_ text: String) throws {
        var container = singleValueContainer()
        try container.encode(text)
    }
}

extension Int {
    /// Parses digits only: no sign, no space.
    fileprivate init?(digits: Substring) {
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        self.init(digits)
    }

    fileprivate var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}
