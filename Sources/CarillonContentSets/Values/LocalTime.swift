package import CarillonModel
package import Foundation

/// Times as files of public data have them.
package enum LocalTime {
    /// Parses a time: RFC 3339, or without an offset `2026-11-26 19:30[:00]`, `2026/11/26 19:30:00`, `2026-11-26`,
    /// `2026/11/26` or `20261126`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - zone: The zone of a time without an offset.
    /// - Returns: `nil` for anything else, and before 1970.
    package static func instant(_ text: String, in zone: TimeZone) -> Timestamp? {
        if text.utf8.count >= 20, let instant = Timestamp(text) { return instant }
        guard let (days, seconds) = parse(text) else { return nil }
        return instant(days: days, seconds: seconds, in: zone)
    }

    /// The time zone of an IANA name.
    ///
    /// - Returns: `nil` for anything else, abbreviations and offsets such as `GMT+8` among it.
    package static func zone(named name: String) -> TimeZone? {
        guard name.utf8.count <= 64, name.contains("/") || name == "UTC" || name == "GMT" else { return nil }
        return TimeZone(identifier: name)
    }

    /// The instant of a day and a wall clock; a clock that a day does not have is moved forward.
    ///
    /// - Parameters:
    ///   - days: Days since 1970-01-01.
    ///   - seconds: Seconds of the day.
    ///   - zone: The zone.
    /// - Returns: `nil` before 1970.
    package static func instant(days: Int, seconds: Int, in zone: TimeZone) -> Timestamp? {
        let wall = days * 86_400 + seconds
        let offset = { (seconds: Int) in zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))) }
        // The offset of the day before comes first, so that of a clock that a day has twice the first one counts.
        let (before, after) = (offset(wall - 86_400), offset(wall + 86_400))
        let known = [before, after].first { offset(wall - $0) == $0 }
        let instant = wall - (known ?? before)
        return instant >= 0 ? Timestamp(rawValue: Int64(instant) * 1_000) : nil
    }

    /// The day and the seconds of the day at an instant.
    package static func wall(_ instant: Timestamp, in zone: TimeZone) -> (days: Int, seconds: Int) {
        let seconds = Int(instant.rawValue / 1_000) + zone.secondsFromGMT(for: instant.date)
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        return (days, seconds - days * 86_400)
    }

    /// Parses a date without separators, or with hyphens or slashes.
    ///
    /// - Returns: Days since 1970-01-01; `nil` for anything else.
    package static func day(_ text: some StringProtocol) -> Int? {
        let parts: [Substring]
        let text = Substring(text)
        if text.utf8.count == 8, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            parts = [text.prefix(4), text.dropFirst(4).prefix(2), text.suffix(2)]
        } else {
            let separator: Character = text.contains("/") ? "/" : "-"
            parts = text.split(separator: separator, omittingEmptySubsequences: false)
        }
        guard parts.count == 3, parts[0].utf8.count == 4, let year = number(parts[0], 1970...9999),
            let month = number(parts[1], 1...12),
            let day = number(parts[2], 1...GregorianCalendar.dayCount(ofMonth: month, in: year))
        else { return nil }
        return GregorianCalendar.daysSince1970(year: year, month: month, day: day)
    }

    // MARK: - Private

    private static func parse(_ text: String) -> (days: Int, seconds: Int)? {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == " " || $0 == "T" }
        guard let first = parts.first, let days = day(first) else { return nil }
        guard parts.count == 2 else { return (days, 0) }
        let clock = parts[1].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 2 || clock.count == 3, let hour = number(clock[0], 0...23),
            let minute = number(clock[1], 0...59), let second = clock.count == 3 ? number(clock[2], 0...59) : 0
        else { return nil }
        return (days, (hour * 60 + minute) * 60 + second)
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text), range.contains(number)
        else { return nil }
        return number
    }
}
