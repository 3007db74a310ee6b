package import CarillonModel
package import CarillonOperatorModel
package import Foundation

/// The local clock of a time zone.
///
/// Seconds count from 1970: plain ones are instants, local ones are the time that the clock shows.
package struct LocalClock: Sendable {
    let zone: TimeZone

    package init(zone: TimeZone) { self.zone = zone }

    /// Returns the instant of a local time.
    ///
    /// A local time that a change of the clock skips becomes the first instant after the change; one that occurs twice
    /// is the first of both.
    ///
    /// - Parameter wall: The local time.
    /// - Returns: The first instant with this local time or, if there is none, with a later one.
    package func instant(of wall: WallTime) -> Timestamp {
        let shown = Int64(wall.minutes) * 60
        // No offset exceeds 16 hours: the local time is earlier here.
        var from = shown - 16 * 3600
        while true {
            let candidate = shown - offset(from)
            guard let change = firstOffsetChange(from, candidate) else {
                return Timestamp(rawValue: 1000 * candidate)
            }
            if change + offset(change) >= shown { return Timestamp(rawValue: 1000 * change) }
            from = change
        }
    }

    /// The local day.
    package func day(at instant: Timestamp) -> CalendarDay {
        let second = instant.rawValue.flooredDivision(by: 1000)
        return CalendarDay(number: Int((second + offset(second)).flooredDivision(by: 86_400)))
    }

    func offset(_ second: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))))
    }

    func secondOfDay(_ second: Int64) -> Int64 {
        let local = second + offset(second)
        return local - local.flooredDivision(by: 86_400) * 86_400
    }

    /// The first second at which the offset differs from that at `from`; there must be one up to `to`.
    func offsetChange(_ from: Int64, _ to: Int64) -> Int64 {
        var (before, after) = (from, to)
        let old = offset(from)
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if offset(middle) == old { before = middle } else { after = middle }
        }
        return after
    }

    // MARK: - Private

    /// The first change of the offset in a range of seconds; `nil` when there is none.
    private func firstOffsetChange(_ from: Int64, _ to: Int64) -> Int64? {
        // No zone changes its offset twice within eight hours.
        var start = from
        while start < to {
            let end = min(start + 8 * 3600, to)
            if offset(start) != offset(end) { return offsetChange(start, end) }
            start = end
        }
        return nil
    }
}

extension Int64 {
    func flooredDivision(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
