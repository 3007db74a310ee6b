package import CarillonModel
package import CarillonOperatorModel
import Foundation
import NIOConcurrencyHelpers

/// Local times in the time zones that Devices name; caches the zones, since looking one up is slow.
package final class ZoneNights: Sendable {
    /// Maximum number of names; there are about 600 zones, and Devices may send others.
    private static let capacity = 2_048

    private let zones = NIOLockedValueBox<[String: TimeZone?]>([:])

    package init() {}

    /// Returns the night in a zone.
    ///
    /// - Parameters:
    ///   - name: The Device's zone.
    ///   - instant: The instant.
    /// - Returns: `nil` when there is no such IANA zone.
    package func night(in name: String?, at instant: Timestamp) -> Night? {
        zone(name).map { Night(in: $0, at: instant) }
    }

    /// Returns the position of an instant in a daily window in a zone, or in a fallback when there is no such zone.
    package func position(
        of instant: Timestamp,
        in window: DayWindow,
        zone name: String?,
        or fallback: String
    ) -> DayWindow.Position? {
        (zone(name) ?? zone(fallback)).map { window.position(of: instant, in: $0) }
    }

    /// Returns the instant of a local time in a zone, or in a fallback when there is no such zone.
    package func instant(of wall: WallTime, zone name: String?, or fallback: String) -> Timestamp? {
        (zone(name) ?? zone(fallback)).map { LocalClock(zone: $0).instant(of: wall) }
    }

    /// Returns whether there is such an IANA zone.
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
