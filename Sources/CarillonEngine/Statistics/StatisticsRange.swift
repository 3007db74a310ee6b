import CarillonModel
import CarillonOperatorModel
import Foundation

/// A range of time cut into spans: from its bounds as they were asked for to those of whole spans.
///
/// A pure value. Days begin at midnight of a zone; where midnight does not exist, at the first instant of the day.
struct StatisticsRange: Hashable, Sendable {
    /// A run of spans by one clock: between two changes of the zone's offset.
    struct Piece: Hashable, Sendable {
        /// In minutes since 1970, half open.
        var minutes: Range<Int64>
        /// How many minutes the clock is ahead of UTC.
        var offset: Int64
    }

    static let minute = Duration.seconds(60)
    static let day = Duration.seconds(86_400)

    let unit: StatisticsUnit
    let pieces: [Piece]

    /// Cuts a range.
    ///
    /// - Parameters:
    ///   - from: Its begin.
    ///   - to: Its end, later than `from`.
    ///   - unit: How long spans are; `nil` chooses by the range's length.
    ///   - zone: Whose midnight days begin at; other spans do not look at it.
    /// - Throws: ``FieldError`` naming what must be shorter, or the zone when its midnight cannot be counted from.
    init(from: Timestamp, to: Timestamp, unit: StatisticsUnit?, zone: TimeZone) throws(FieldError) {
        guard from < to else { throw FieldError(field: "from", problem: "must be before to") }
        let length = from.duration(to: to)
        let unit = unit ?? .usual(for: length)
        guard length <= unit.longestRange else {
            throw FieldError(
                field: "to",
                problem: "must be at most \(unit.longestRangeText) after from: the unit is \(unit.rawValue)"
            )
        }
        self.unit = unit
        let minutes = Self.minutes(from.rawValue, .down)..<max(1, Self.minutes(to.rawValue, .up))
        pieces = unit == .day ? try Self.days(minutes, zone) : [Self.whole(minutes, unit.minutes)]
    }

    var start: Timestamp { Timestamp(rawValue: (pieces.first?.minutes.lowerBound ?? 0) * 60_000) }
    var end: Timestamp { Timestamp(rawValue: (pieces.last?.minutes.upperBound ?? 0) * 60_000) }

    /// Where a span begins that a piece has figures of.
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

    /// The midnight at or before a minute.
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
    /// How many minutes a span has; a day may have more or less where the clocks change.
    var minutes: Int64 {
        switch self {
        case .minute: 1
        case .tenMinutes: 10
        case .hour: 60
        case .day: 1_440
        }
    }

    /// The longest range that may be asked for.
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

    /// What a range is cut into unless somebody says otherwise: some hundred spans at most.
    static func usual(for length: Duration) -> StatisticsUnit {
        if length <= .seconds(3 * 3_600) { return .minute }
        if length <= StatisticsRange.day { return .tenMinutes }
        if length <= StatisticsRange.day * 7 { return .hour }
        return .day
    }
}
