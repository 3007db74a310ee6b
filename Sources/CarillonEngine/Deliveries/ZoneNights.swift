package import CarillonModel
import Foundation
import NIOConcurrencyHelpers

/// Tells the night for the time zones that Devices name; remembers the zones, since finding one is slow.
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
        guard let name, let zone = zone(name) else { return nil }
        return Night(in: zone, at: instant)
    }

    private func zone(_ name: String) -> TimeZone? {
        zones.withLockedValue { zones in
            if let known = zones[name] { return known }
            let zone = TimeZone(identifier: name)
            if zones.count >= Self.capacity { zones.removeAll(keepingCapacity: true) }
            zones[name] = .some(zone)
            return zone
        }
    }
}
