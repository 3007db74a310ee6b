package import CarillonModel
package import CarillonOperatorModel
import Foundation
import NIOConcurrencyHelpers

/// Tells time for the time zones that Devices name; remembers the zones, since finding one is slow.
package final class ZoneNights: Sendable {
    /// How many names are remembered; there are some 600 zones, and names that Devices invent.
    private static let capacity = 2_048

    private let zones = NIOLockedValueBox<[String: TimeZone?]>([:])

    package init() {}

    /// The night in a zone.
    ///
    /// - Parameters:
    ///   - name: What the Device calls its zone.
    ///   - instant: When.
    /// - Returns: `nil` when there is no such IANA zone.
    package func night(in name: String?, at instant: Timestamp) -> Night? {
        zone(name).map { Night(in: $0, at: instant) }
    }

    /// Where an instant lies in a part of the day in a zone, or in another when there is no such zone.
    package func position(
        of instant: Timestamp,
        in window: DayWindow,
        zone name: String?,
        or fallback: String
    ) -> DayWindow.Position? {
        (zone(name) ?? zone(fallback)).map { window.position(of: instant, in: $0) }
    }

    /// When the wall shows a time in a zone, or in another when there is no such zone.
    package func instant(of wall: WallTime, zone name: String?, or fallback: String) -> Timestamp? {
        (zone(name) ?? zone(fallback)).map { LocalClock(zone: $0).instant(of: wall) }
    }

    /// Whether there is such an IANA zone.
    package func isZone(_ name: String) -> Bool { zone(name) != nil }

    private func zone(_ name: String?) -> TimeZone? {
        guard let name else { return nil }
        return zones.withLockedValue { zones in
            if let known = zones[name] { return known }
            let zone = TimeZone(identifier: name)
            if zones.count >= Self.capacity { zones.removeAll(keepingCapacity: true) }
            zones[name] = .some(zone)
            return zone
        }
    }
}
