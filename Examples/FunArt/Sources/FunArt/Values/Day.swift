public import Foundation

/// A day in Taiwan.
///
/// It is one of the Gregorian calendar, whatever calendar and time zone the phone has.
public struct Day: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01.
    public let number: Int

    /// The time zone of all events.
    static let zone = TimeZone(identifier: "Asia/Taipei") ?? .current

    static var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return calendar
    }

    /// Creates a day.
    ///
    /// - Parameter number: Days since 1970-01-01.
    public init(number: Int) { self.number = number }

    /// The day of an instant.
    ///
    /// - Parameter date: The instant.
    public init(of date: Date) {
        let seconds = date.timeIntervalSince1970 + Double(Self.zone.secondsFromGMT(for: date))
        number = Int((seconds / 86_400).rounded(.down))
    }

    /// The day some days later.
    ///
    /// - Parameter days: How many; negative for earlier.
    /// - Returns: The day.
    public func adding(_ days: Int) -> Day { Day(number: number + days) }

    /// The instant at which it begins.
    public var start: Date {
        // Noon is in the day in any case.
        let noon = Date(timeIntervalSince1970: Double(number) * 86_400 + 43_200 - Double(Self.zone.secondsFromGMT()))
        return Self.calendar.startOfDay(for: noon)
    }

    /// `2026-11-26`.
    public var text: String {
        let parts = Self.calendar.dateComponents([.year, .month, .day], from: start)
        return "\(parts.year ?? 0)-\(Self.two(parts.month))-\(Self.two(parts.day))"
    }

    /// Whether a day is before another one.
    public static func < (left: Day, right: Day) -> Bool { left.number < right.number }

    /// `2026/11/26 19:30`, in Taiwan.
    static func dateAndTime(_ date: Date) -> String {
        Day(of: date).text.replacingOccurrences(of: "-", with: "/") + " " + time(date)
    }

    /// `19:30`, in Taiwan.
    static func time(_ date: Date) -> String {
        let parts = calendar.dateComponents([.hour, .minute], from: date)
        return "\(two(parts.hour)):\(two(parts.minute))"
    }

    private static func two(_ number: Int?) -> String {
        let text = String(number ?? 0)
        return text.count < 2 ? "0" + text : text
    }
}

/// How far ahead events are listed.
public enum Period: Int, CaseIterable, Hashable, Sendable, Identifiable {
    /// One week.
    case oneWeek = 1
    /// Two weeks.
    case twoWeeks
    /// Three weeks.
    case threeWeeks
    /// Four weeks.
    case fourWeeks

    /// The number of weeks.
    public var id: Int { rawValue }
}
