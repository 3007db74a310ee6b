package import CarillonModel
package import CarillonOperatorModel
package import Foundation

/// A daily window between two local times: from the first, included, until the second, excluded; it crosses midnight
/// when the second is not after the first.
package struct DayWindow: Hashable, Sendable {
    package var start: TimeOfDay
    package var end: TimeOfDay

    package init(start: TimeOfDay, end: TimeOfDay) {
        self.start = start
        self.end = end
    }

    /// The position of an instant in a time zone.
    package struct Position: Hashable, Sendable {
        /// Whether it is in the window.
        package var isInside: Bool
        /// The first instant after it that is outside; the instant itself when it is outside.
        package var end: Timestamp
        /// The first instant of the next window, of the one after this when it is inside.
        package var nextStart: Timestamp
    }

    /// Returns the position of an instant.
    ///
    /// - Parameters:
    ///   - instant: The instant.
    ///   - zone: The time zone.
    /// - Returns: The position by local time.
    package func position(of instant: Timestamp, in zone: TimeZone) -> Position {
        let clock = LocalClock(zone: zone)
        let now = instant.rawValue.flooredDivision(by: 1000)
        let isInside = contains(now, clock)
        let end = isInside ? firstSecond(after: now, clock) { !contains($0, clock) } : now
        let next = firstSecond(after: end, clock) { contains($0, clock) }
        return Position(
            isInside: isInside,
            end: isInside ? Timestamp(rawValue: 1000 * end) : instant,
            nextStart: Timestamp(rawValue: 1000 * next)
        )
    }

    // MARK: - Private

    private func contains(_ second: Int64, _ clock: LocalClock) -> Bool {
        let minute = clock.secondOfDay(second) / 60
        let (start, end) = (Int64(start.minutes), Int64(end.minutes))
        return start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }

    /// The first second after another at which a condition on the local time of day becomes true.
    ///
    /// Within two days the condition changes at an edge of the window, or where the zone's offset jumps over one.
    private func firstSecond(after start: Int64, _ clock: LocalClock, where holds: (Int64) -> Bool) -> Int64 {
        var from = start
        let end = start + 48 * 3600
        while from < end {
            let edge = nextEdge(after: from, clock)
            // A change of the offset may precede the edge, move it, or skip it.
            let next = clock.offset(from) == clock.offset(edge) ? edge : clock.offsetChange(from, edge)
            if holds(next) { return next }
            from = next
        }
        return end
    }

    /// The next instant with the local time of an edge, if the offset does not change.
    private func nextEdge(after second: Int64, _ clock: LocalClock) -> Int64 {
        let time = clock.secondOfDay(second)
        let edges = [start, end].map { Int64($0.minutes) * 60 }
        let next = edges.map { $0 > time ? $0 : $0 + 86_400 }.min() ?? 86_400
        return second + next - time
    }
}
