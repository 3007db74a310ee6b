package import CarillonModel
import CarillonReaders
import Foundation

/// When the vehicles of one route come to their stops: a route's document in a content set.
package struct TransitTimetable: Hashable, Sendable, Codable {
    /// The stops of some trips, in order.
    package struct Pattern: Hashable, Sendable, Codable {
        /// 0 outbound, 1 inbound.
        package var direction: Int
        package var stops: [String]
        /// The stops' sequence numbers of the feed; empty when they count from 1.
        package var sequences: [Int]
        /// Seconds from a trip's start to each stop; -1 where the feed has no time.
        package var profiles: [[Int]]
        package var trips: [Trip]

        package init(direction: Int, stops: [String], sequences: [Int] = []) {
            self.direction = direction
            self.stops = stops
            self.sequences = sequences
            profiles = []
            trips = []
        }
    }

    package struct Trip: Hashable, Sendable, Codable {
        package var id: String
        /// Position in ``TransitTimetable/services``.
        package var service: Int
        /// Position in ``Pattern/profiles``.
        package var profile: Int
        /// Seconds from the start of the service day, which is noon less 12 hours; more than a day after midnight.
        package var start: Int
        /// Seconds between two departures of a trip that is repeated.
        package var headway: Int?
        /// The end of such departures, not included.
        package var until: Int?

        package init(id: String, service: Int, profile: Int, start: Int) {
            self.id = id
            self.service = service
            self.profile = profile
            self.start = start
        }
    }

    /// The days of trips; days are counted from 1970-01-01.
    package struct Service: Hashable, Sendable, Codable {
        /// Days of the week, Monday first; empty when only ``added`` counts.
        package var weekdays: [Bool]
        package var first: Int
        package var last: Int
        package var added: [Int]
        package var removed: [Int]

        package init(weekdays: [Bool] = [], first: Int = 0, last: Int = -1, added: [Int] = [], removed: [Int] = []) {
            self.weekdays = weekdays
            self.first = first
            self.last = last
            self.added = added
            self.removed = removed
        }

        /// Whether its trips run on a day.
        package func runs(on day: Int) -> Bool {
            if removed.contains(day) { return false }
            if added.contains(day) { return true }
            guard day >= first, day <= last, weekdays.count == 7 else { return false }
            // 1970-01-01 was a Thursday.
            return weekdays[(day + 3) % 7]
        }
    }

    /// An IANA time zone.
    package var zone: String
    package var patterns: [Pattern]
    package var services: [Service]

    package init(zone: String, patterns: [Pattern] = [], services: [Service] = []) {
        self.zone = zone
        self.patterns = patterns
        self.services = services
    }

    /// As a field of the type `json` has it.
    package var json: JSONValue {
        guard let data = try? JSONEncoder.sorted().encode(self), let value = try? JSONParser.value(Array(data)[...])
        else { return .null }
        return value
    }

    /// Reads the document of a route.
    ///
    /// - Returns: `nil` when it is none.
    package init?(_ document: JSONValue?) {
        guard let document, let data = try? JSONEncoder().encode(document),
            let timetable = try? JSONDecoder().decode(Self.self, from: data), timetable.isConsistent
        else { return nil }
        self = timetable
    }

    /// Seconds of a service day that a time may be behind its start: 100 hours.
    static let seconds = 0..<360_000
    /// Maximum number of stops of a pattern.
    static let maximumStopCount = 10_000

    /// Whether its positions and times are in range, so that reading it never fails, whoever wrote it.
    package var isConsistent: Bool {
        patterns.allSatisfy { pattern in
            pattern.stops.count <= Self.maximumStopCount
                && (pattern.sequences.isEmpty || pattern.sequences.count == pattern.stops.count)
                && pattern.profiles.allSatisfy { profile in
                    profile.count == pattern.stops.count
                        && profile.allSatisfy { $0 == -1 || Self.seconds.contains($0) }
                }
                && pattern.trips.allSatisfy { isConsistent($0, in: pattern) }
        }
    }

    private func isConsistent(_ trip: Trip, in pattern: Pattern) -> Bool {
        services.indices.contains(trip.service) && pattern.profiles.indices.contains(trip.profile)
            && Self.seconds.contains(trip.start) && (trip.headway ?? 1) > 0
            && (trip.until.map(Self.seconds.contains) ?? true)
    }

    /// Whether its JSON may have no more than some bytes: while it is written, it takes far more memory.
    func mayFit(_ size: Int) -> Bool {
        let numbers = patterns.reduce(0) { sum, pattern in
            sum + pattern.stops.count + pattern.profiles.reduce(0) { $0 + $1.count } + 20 * pattern.trips.count
        }
        let days = services.reduce(0) { $0 + $1.added.count + $1.removed.count }
        // A number has two bytes at least, with its comma.
        return numbers + days <= size / 2
    }

    /// The stops that stand for a direction: those of its longest pattern.
    package func mainPattern(direction: Int) -> Pattern? {
        patterns.filter { $0.direction == direction }.max { left, right in
            (left.stops.count, left.trips.count) < (right.stops.count, right.trips.count)
        }
    }
}
