package import CarillonModel
import Foundation

/// Estimated arrivals of TDX (N1) on one route.
package struct TDXArrivals: Hashable, Sendable {
    private struct Place: Hashable {
        var stop: String
        var direction: Int
    }

    private var times: [Place: Timestamp] = [:]

    /// Reads an answer: an array of objects.
    ///
    /// - Parameters:
    ///   - answer: The answer's array.
    ///   - route: The route; rows of others are passed over.
    ///   - now: The time for rows without the time at which they were made.
    package init(_ answer: [JSONValue], route: String, at now: Timestamp) {
        for row in answer {
            guard let stop = row["StopUID"]?.string, row["RouteUID"]?.string == route,
                let time = Self.time(row, at: now)
            else { continue }
            let place = Place(stop: stop, direction: Self.direction(row["Direction"]))
            // A row for each vehicle: the first one to come counts.
            times[place] = min(times[place] ?? time, time)
        }
    }

    /// When the next vehicle comes to a stop; `nil` when nothing is known.
    package func time(stop: String, isInbound: Bool) -> Timestamp? {
        times[Place(stop: stop, direction: isInbound ? 1 : 0)]
    }

    /// 0 outbound, 1 inbound; a loop and an unknown direction are outbound.
    static func direction(_ value: JSONValue?) -> Int { value?.integer == 1 ? 1 : 0 }

    /// The time of a row: its estimate whatever its status, but for those in which no vehicle comes; else the next
    /// departure.
    private static func time(_ row: JSONValue, at now: Timestamp) -> Timestamp? {
        guard ![2, 3, 4].contains(row["StopStatus"]?.integer ?? 0) else { return nil }
        if let seconds = row["EstimateTime"]?.integer, (0...86_400).contains(seconds) {
            let made = ["DataTime", "SrcUpdateTime", "UpdateTime"].lazy.compactMap {
                row[$0]?.string.flatMap { Timestamp($0) }
            }
            return Timestamp(rawValue: (made.first ?? now).rawValue + seconds * 1_000)
        }
        return row["NextBusTime"]?.string.flatMap { Timestamp($0) }
    }
}
