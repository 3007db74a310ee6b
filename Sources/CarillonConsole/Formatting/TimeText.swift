import CarillonEngine
import CarillonModel
import Foundation

/// Times as a language writes them, in an Operator's zone.
struct TimeText: Sendable {
    private let texts: Texts
    /// The zone's IANA name.
    let zoneName: String
    private let zone: TimeZone

    /// Creates the texts of a zone.
    ///
    /// - Parameters:
    ///   - texts: The page's texts.
    ///   - zone: An IANA name; an unknown one is UTC.
    init(_ texts: Texts, zone: String) {
        self.texts = texts
        let known = TimeZone(identifier: zone)
        self.zone = known ?? .gmt
        zoneName = known == nil ? "UTC" : zone
    }

    /// Date and time in tables: 2026-11-21 14:05.
    func table(_ time: Timestamp) -> TimeView {
        let parts = Parts(time, zone)
        return TimeView(iso: parts.iso, text: "\(parts.date) \(parts.clock)")
    }

    /// Date and time with seconds: 2026-11-21 14:05:07.
    func exact(_ time: Timestamp) -> TimeView {
        let parts = Parts(time, zone)
        return TimeView(iso: parts.iso, text: "\(parts.date) \(parts.clock):\(parts.two(parts.second))")
    }

    /// Date and time in a sentence: Sat 21 Nov 2026, 14:05.
    func sentence(_ time: Timestamp) -> TimeView {
        let parts = Parts(time, zone)
        let text = texts(
            "time.sentence",
            [
                "weekday": texts.word("time.weekday", String(parts.weekday)), "day": String(parts.day),
                "month": texts.word("time.month", String(parts.month)), "year": String(parts.year),
                "clock": parts.clock,
            ]
        )
        return TimeView(iso: parts.iso, text: text)
    }

    /// Day and time for a name: 21 Nov 14:05.
    func brief(_ time: Timestamp) -> String {
        let parts = Parts(time, zone)
        return texts(
            "time.brief",
            [
                "day": String(parts.day), "month": texts.word("time.month", String(parts.month)),
                "clock": parts.clock,
            ]
        )
    }

    /// The time of a day, with seconds: 14:05:07.
    func clock(_ time: Timestamp) -> TimeView {
        let parts = Parts(time, zone)
        return TimeView(iso: parts.iso, text: "\(parts.clock):\(parts.two(parts.second))")
    }

    /// A day for a heading: Sat 21 Nov 2026.
    func day(_ time: Timestamp) -> String {
        let parts = Parts(time, zone)
        return texts(
            "time.day",
            [
                "weekday": texts.word("time.weekday", String(parts.weekday)), "day": String(parts.day),
                "month": texts.word("time.month", String(parts.month)), "year": String(parts.year),
            ]
        )
    }

    /// The zone and its offset: Asia/Taipei, UTC+8.
    func zoneText(at time: Timestamp) -> String { "\(zoneName), \(Self.offset(zone, time))" }

    /// How long something takes, in the two largest units that have a part of it: 4 min 12 s, 24 h.
    func duration(seconds: Int) -> String {
        let parts = [
            ("time.hours", seconds / 3_600), ("time.minutes", seconds / 60 % 60), ("time.seconds", seconds % 60),
        ]
        let shown = parts.drop { $0.1 == 0 }.prefix(2).filter { $0.1 > 0 }
        guard !shown.isEmpty else { return texts("time.seconds", ["number": "0"]) }
        return shown.map { texts($0.0, ["number": String($0.1)]) }.joined(separator: " ")
    }

    private static func offset(_ zone: TimeZone, _ time: Timestamp) -> String {
        let minutes = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.rawValue) / 1_000)) / 60
        let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
        return "UTC\(minutes < 0 ? "−" : "+")\(hours)" + (rest == 0 ? "" : ":\(rest < 10 ? "0" : "")\(rest)")
    }
}

/// A time on a page, for the template `time`.
struct TimeView: Hashable, Sendable {
    /// With the offset, for `datetime`.
    let iso: String
    /// What is read.
    let text: String
}

/// A local time, taken apart.
private struct Parts {
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int
    /// 0 for Sunday.
    let weekday: Int
    let offset: Int

    init(_ time: Timestamp, _ zone: TimeZone) {
        let instant = Int((Double(time.rawValue) / 1_000).rounded(.down))
        offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
        let local = instant + offset
        let days = local >= 0 ? local / 86_400 : -((86_399 - local) / 86_400)
        let rest = local - days * 86_400
        (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60)
        // 1 January 1970 was a Thursday.
        weekday = ((days + 4) % 7 + 7) % 7
        // Days to a date of the Gregorian calendar, in eras of 400 years that begin on 1 March of the year 0.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

    var date: String { "\(year)-\(two(month))-\(two(day))" }
    var clock: String { "\(two(hour)):\(two(minute))" }

    var iso: String {
        let minutes = abs(offset) / 60
        let zone = offset == 0 ? "Z" : "\(offset < 0 ? "-" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
        return "\(date)T\(clock):\(two(second))\(zone)"
    }
}
