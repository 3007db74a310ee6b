import CarillonModel
import CarillonOperatorModel
import Foundation

/// A range of time divided into spans, extended to whole spans at both ends.
///
/// A pure value. Days begin at midnight of a zone or, where midnight does not exist, at the first instant of the day.
struct StatisticsRange: Hashable, Sendable {
    /// A run of spans between two changes of the zone's offset.
    struct Piece: Hashable, Sendable {
        /// In minutes since 1970, half open.
        var minutes: Range<Int64>
        /// The offset from UTC in minutes.
        var offset: Int64
    }

    static let minute = Duration.seconds(60)
    static let day = Duration.seconds(86_400)

    let unit: StatisticsUnit
    let pieces: [Piece]

    /// Divides a range.
    ///
    /// - Parameters:
    ///   - from: Its begin.
    ///   - until: Its end, later than `from`.
    ///   - unit: The length of spans; `nil` chooses by the range's length.
    ///   - zone: The zone of days; other spans ignore it.
    /// - Throws: ``FieldError`` naming the value to shorten, or the zone when its midnight is not on a half hour.
    init(from: Timestamp, until: Timestamp, unit: StatisticsUnit?, zone: TimeZone) throws(FieldError) {
        guard from < until else { throw FieldError(field: "from", problem: "must be before until") }
        let length = from.duration(to: until)
        let unit = unit ?? .usual(for: length)
        guard length <= unit.longestRange else {
            throw FieldError(
                field: "until",
                problem: "must be at most \(unit.longestRangeText) after from: the unit is \(unit.rawValue)"
            )
        }
        self.unit = unit
        let minutes = Self.minutes(from.rawValue, .down)..<max(1, Self.minutes(until.rawValue, .up))
        pieces = unit == .day ? try Self.days(minutes, zone) : [Self.whole(minutes, unit.minutes)]
    }

    var start: Timestamp { Timestamp(rawValue: (pieces.first?.minutes.lowerBound ?? 0) * 60_000) }
    var end: Timestamp { Timestamp(rawValue: (pieces.last?.minutes.upperBound ?? 0) * 60_000) }

    /// The begin of a span in a piece.
    func begin(of span: Int64, in piece: Piece) -> Timestamp {
        Timestamp(rawValue: max(piece.minutes.lowerBound, span * unit.minutes - piece.offset) * 60_000)
    }

    // MARK: - Private

    private enum Rounding {
        case down
        case up
    }

    private static func minutes(_ milliseconds: Int64, _ rounding: Rounding) -> Int64 {
        max(0, rounding == .down ? milliseconds : milliseconds + 59_999) / 60_000
    }

    private static func whole(_ minutes: Range<Int64>, _ unit: Int64) -> Piece {
        let start = minutes.lowerBound / unit * unit
        return Piece(minutes: start..<max(start + unit, (minutes.upperBound + unit - 1) / unit * unit), offset: 0)
    }

    private static func days(_ minutes: Range<Int64>, _ zone: TimeZone) throws(FieldError) -> [Piece] {
        let start = midnight(before: minutes.lowerBound, zone)
        let end =
            minutes.upperBound == midnight(before: minutes.upperBound, zone)
            ? minutes.upperBound : midnight(before: midnight(before: minutes.upperBound, zone) + 36 * 60, zone)
        var pieces: [Piece] = []
        var cursor = start
        while cursor < end {
            let offset = offset(at: cursor, zone)
            let change = zone.nextDaylightSavingTimeTransition(after: date(cursor))
            let next = min(end, change.map { Int64($0.timeIntervalSince1970 / 60) } ?? end)
            guard next > cursor else { break }
            pieces.append(Piece(minutes: cursor..<next, offset: offset))
            cursor = next
        }
        guard pieces.allSatisfy({ $0.offset % 30 == 0 && $0.minutes.lowerBound % 30 == 0 }) else {
            throw FieldError(field: "timeZone", problem: "must be whole half hours away from UTC in this range")
        }
        return pieces
    }

    /// The last midnight at or before a minute.
    private static func midnight(before minute: Int64, _ zone: TimeZone) -> Int64 {
        func begin(_ offset: Int64) -> Int64 {
            let local = minute + offset
            return local - (local % 1_440 + 1_440) % 1_440 - offset
        }
        // The offset may have changed since midnight; where it changed at midnight, the day begins with the change.
        let first = begin(offset(at: minute, zone))
        let second = begin(offset(at: first, zone))
        return max(0, min(minute, second))
    }

    private static func offset(at minute: Int64, _ zone: TimeZone) -> Int64 {
        Int64(zone.secondsFromGMT(for: date(minute)) / 60)
    }

    private static func date(_ minute: Int64) -> Date { Date(timeIntervalSince1970: Double(minute) * 60) }
}

extension StatisticsUnit {
    /// The length of a span in minutes; a day may be longer or shorter where the clocks change.
    var minutes: Int64 {
        switch self {
        case .minute: 1
        case .tenMinutes: 10
        case .hour: 60
        case .day: 1_440
        }
    }

    /// The maximum length of a range.
    var longestRange: Duration {
        switch self {
        case .minute: StatisticsRange.day
        case .tenMinutes: StatisticsRange.day * 7
        case .hour: StatisticsRange.day * 31
        case .day: StatisticsRange.day * 366
        }
    }

    var longestRangeText: String {
        switch self {
        case .minute: "1 day"
        case .tenMinutes: "7 days"
        case .hour: "31 days"
        case .day: "366 days"
        }
    }

    /// The default unit for a length, which gives about a hundred spans at most.
    static func usual(for length: Duration) -> StatisticsUnit {
        if length <= .seconds(3 * 3_600) { return .minute }
        if length <= StatisticsRange.day { return .tenMinutes }
        if length <= StatisticsRange.day * 7 { return .hour }
        return .day
    }
}
