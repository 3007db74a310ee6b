package import CarillonModel
package import Foundation

/// The night for ads at one place: from 21:00, included, until 08:00, excluded, by the clock on the wall there.
package struct Night: Hashable, Sendable {
    /// Whether it is night.
    package var isNow: Bool
    /// The first instant of the next night; of this night's successor when it is night.
    package var nextStart: Timestamp

    package static let startHour = 21
    package static let endHour = 8

    package init(isNow: Bool, nextStart: Timestamp) {
        self.isNow = isNow
        self.nextStart = nextStart
    }

    /// Tells the night in a time zone.
    ///
    /// - Parameters:
    ///   - zone: An IANA time zone.
    ///   - instant: When.
    package init(in zone: TimeZone, at instant: Timestamp) {
        let clock = LocalClock(zone: zone)
        let now = instant.rawValue.flooredDivision(by: 1000)
        isNow = clock.isNight(now)
        let day = isNow ? clock.firstSecond(after: now) { !clock.isNight($0) } : now
        nextStart = Timestamp(rawValue: 1000 * clock.firstSecond(after: day) { clock.isNight($0) })
    }
}

/// A place's clock, in seconds since 1970.
private struct LocalClock {
    let zone: TimeZone

    func isNight(_ second: Int64) -> Bool {
        let hour = secondOfDay(second) / 3600
        return hour >= Night.startHour || hour < Night.endHour
    }

    /// The first second after another at which a claim about the local time of day holds that did not hold before.
    ///
    /// Within two days the claim changes at a wall clock time of ours, or where the zone's offset jumps over one.
    func firstSecond(after start: Int64, where holds: (Int64) -> Bool) -> Int64 {
        var from = start
        let end = start + 48 * 3600
        while from < end {
            let boundary = nextBoundary(after: from)
            // A jump of the offset may come before the boundary, move it, or skip it.
            let next = offset(from) == offset(boundary) ? boundary : offsetChange(from, boundary)
            if holds(next) { return next }
            from = next
        }
        return end
    }

    /// The next instant at which the wall clock shows 21:00 or 08:00, if the offset stays as it is.
    private func nextBoundary(after second: Int64) -> Int64 {
        let time = secondOfDay(second)
        let boundaries = [Night.endHour, Night.startHour, 24 + Night.endHour].map { Int64($0) * 3600 }
        return second + (boundaries.first { $0 > time } ?? 0) - time
    }

    /// The first second after which the offset is no longer that at `from`.
    private func offsetChange(_ from: Int64, _ to: Int64) -> Int64 {
        var (before, after) = (from, to)
        let old = offset(from)
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if offset(middle) == old { before = middle } else { after = middle }
        }
        return after
    }

    private func offset(_ second: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))))
    }

    private func secondOfDay(_ second: Int64) -> Int64 {
        let local = second + offset(second)
        return local - local.flooredDivision(by: 86_400) * 86_400
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
