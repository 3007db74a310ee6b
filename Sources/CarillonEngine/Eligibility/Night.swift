package import CarillonModel
import CarillonOperatorModel
package import Foundation

/// The night for ads: from 21:00, included, until 08:00, excluded, in local time.
package struct Night: Hashable, Sendable {
    /// Whether it is night.
    package var isNow: Bool
    /// The first instant of the next night, of the one after this when it is night.
    package var nextStart: Timestamp
    /// The end of this night; now when it is day.
    package var end: Timestamp

    package static let startHour = 21
    package static let endHour = 8

    /// The hours of the night; both are valid.
    private static let window = TimeOfDay(minutes: startHour * 60).flatMap { start in
        TimeOfDay(minutes: endHour * 60).map { DayWindow(start: start, end: $0) }
    }

    package init(isNow: Bool, nextStart: Timestamp, end: Timestamp? = nil) {
        self.isNow = isNow
        self.nextStart = nextStart
        self.end = end ?? nextStart
    }

    /// Computes the night in a time zone.
    ///
    /// - Parameters:
    ///   - zone: An IANA time zone.
    ///   - instant: The instant.
    package init(in zone: TimeZone, at instant: Timestamp) {
        guard let position = Self.window?.position(of: instant, in: zone) else {
            preconditionFailure("The night begins and ends at an hour of the day.")
        }
        self.init(isNow: position.isInside, nextStart: position.nextStart, end: position.end)
    }
}
