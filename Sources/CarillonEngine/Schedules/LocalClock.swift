package import CarillonModel
package import CarillonOperatorModel
package import Foundation

/// A place's clock on the wall.
///
/// Seconds count from 1970: plain ones are instants, those of the wall are what its clock shows.
package struct LocalClock: Sendable {
    let zone: TimeZone

    package init(zone: TimeZone) { self.zone = zone }

    /// When the wall shows a time.
    ///
    /// A time that a change of the clock skips is moved forward to the first instant after it; of a time that comes
    /// twice it is the first.
    ///
    /// - Parameter wall: What the wall is to show.
    /// - Returns: The first instant at which it shows this or, if it never does, more.
    package func instant(of wall: WallTime) -> Timestamp {
        let shown = Int64(wall.minutes) * 60
        // No place is more than 16 hours away from UTC: the wall shows less here.
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

    /// The day on the wall.
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

    /// The first second after which the offset is no longer that at `from`; there is one until `to`.
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

    /// The first change of the offset after one second, through another; `nil` when there is none.
    private func firstOffsetChange(_ from: Int64, _ to: Int64) -> Int64? {
        // No place changes its clock twice within eight hours.
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
