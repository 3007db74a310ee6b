/// A point in time as Apple's answers give it: whole milliseconds since 1970.
package struct WallTime: Hashable, Comparable, Codable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package init(seconds: Int64) {
        milliseconds = seconds.multipliedReportingOverflow(by: 1000).partialValue
    }

    package static func < (left: WallTime, right: WallTime) -> Bool {
        left.milliseconds < right.milliseconds
    }

    package func advanced(by duration: Duration) -> WallTime {
        let (seconds, attoseconds) = duration.components
        return WallTime(milliseconds: milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
