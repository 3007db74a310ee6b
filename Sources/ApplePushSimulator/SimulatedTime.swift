/// A point in time as in Apple's responses: whole milliseconds since 1970.
package struct SimulatedTime: Hashable, Comparable, Codable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Times outside of the range of milliseconds become its first or last one.
    package init(seconds: Int64) {
        milliseconds = seconds.multiplied(by: 1000)
    }

    package static func < (left: SimulatedTime, right: SimulatedTime) -> Bool {
        left.milliseconds < right.milliseconds
    }

    package func advanced(by duration: Duration) -> SimulatedTime {
        let (seconds, attoseconds) = duration.components
        let span = seconds.multiplied(by: 1000).added(to: attoseconds / 1_000_000_000_000_000)
        return SimulatedTime(milliseconds: milliseconds.added(to: span))
    }
}

// Clients send arbitrary times: nothing may overflow.
extension Int64 {
    fileprivate func multiplied(by factor: Int64) -> Int64 {
        let (product, isOverflow) = multipliedReportingOverflow(by: factor)
        return isOverflow ? ((self < 0) == (factor < 0) ? .max : .min) : product
    }

    fileprivate func added(to other: Int64) -> Int64 {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .min : .max) : sum
    }
}
