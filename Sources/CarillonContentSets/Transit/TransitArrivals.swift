package import CarillonModel
import Foundation

/// The next arrivals at the stops of a route.
package struct TransitArrivals: Sendable {
    /// The next arrival at a stop.
    package struct Arrival: Hashable, Sendable {
        package var stop: String
        package var isInbound: Bool
        /// `nil` when no vehicle is expected today.
        package var time: Timestamp?
        /// Whether it is real-time data, and not of the timetable alone.
        package var isPredicted = false
    }

    /// How long a repeated trip may go on: more departures are left out.
    private static let maximumDepartureCount = 2_000
    /// How many stops of trips are looked at for an answer: those behind them are left out.
    private static let maximumVisitCount = 4_000_000

    /// A day whose trips may be under way.
    private struct ServiceDay {
        /// From 1970-01-01.
        var number: Int
        /// Seconds since 1970.
        var start: Int
        /// Positions of the services that run.
        var services: Set<Int>
    }

    private let timetable: TransitTimetable
    private let realtime: TransitRealtime?
    private let zone: TimeZone

    /// - Parameters:
    ///   - timetable: The route's.
    ///   - realtime: Real-time data; `nil` for the timetable alone, and when it is too old.
    package init(_ timetable: TransitTimetable, realtime: TransitRealtime?) {
        self.timetable = timetable
        self.realtime = realtime
        zone = TimeZone(identifier: timetable.zone) ?? .gmt
    }

    /// The next arrival at each stop, outbound ones first, in the order of the stops.
    ///
    /// Trips of today's service count, and those of yesterday's that go on after midnight.
    ///
    /// - Parameters:
    ///   - route: The route's id, for vehicles without a trip of the timetable.
    ///   - now: Earlier arrivals are over.
    /// - Returns: A row for each stop of each direction.
    package func next(route: String, at now: Timestamp) -> [Arrival] {
        let days = serviceDays(at: now)
        var visits = 0
        return [0, 1].flatMap { direction -> [Arrival] in
            guard let main = timetable.mainPattern(direction: direction) else { return [] }
            var best: [String: Arrival] = [:]
            let note = { (arrival: Arrival) in
                guard let time = arrival.time, time >= now else { return }
                if let known = best[arrival.stop]?.time, known <= time { return }
                best[arrival.stop] = arrival
            }
            for pattern in timetable.patterns where pattern.direction == direction {
                for trip in pattern.trips { forEachRun(of: trip, pattern, days, &visits, note) }
            }
            for arrival in realtime?.extraArrivals(route: route, direction: direction) ?? [] { note(arrival) }
            return main.stops.map { best[$0] ?? Arrival(stop: $0, isInbound: direction == 1) }
        }
    }

    // MARK: - Private

    private func serviceDays(at now: Timestamp) -> [ServiceDay] {
        let today = LocalTime.wall(now, in: zone).days
        return [today - 1, today].compactMap { day in
            // Noon less 12 hours: midnight, but on days on which clocks change.
            guard let noon = LocalTime.instant(days: day, seconds: 43_200, in: zone) else { return nil }
            let services = timetable.services.indices.filter { timetable.services[$0].runs(on: day) }
            return ServiceDay(number: day, start: Int(noon.rawValue / 1_000) - 43_200, services: Set(services))
        }
    }

    private func forEachRun(
        of trip: TransitTimetable.Trip,
        _ pattern: TransitTimetable.Pattern,
        _ days: [ServiceDay],
        _ visits: inout Int,
        _ body: (Arrival) -> Void
    ) {
        for day in days where day.services.contains(trip.service) {
            guard let headway = trip.headway, let until = trip.until else {
                visits += pattern.stops.count
                guard visits <= Self.maximumVisitCount else { return }
                run(trip, pattern, day: day.number, start: day.start + trip.start, clock: nil, body)
                continue
            }
            for departure in stride(from: trip.start, to: until, by: headway).prefix(Self.maximumDepartureCount) {
                visits += pattern.stops.count
                guard visits <= Self.maximumVisitCount else { return }
                run(trip, pattern, day: day.number, start: day.start + departure, clock: departure, body)
            }
        }
    }

    private func run(
        _ trip: TransitTimetable.Trip,
        _ pattern: TransitTimetable.Pattern,
        day: Int,
        start: Int,
        clock: Int?,
        _ body: (Arrival) -> Void
    ) {
        let profile = pattern.profiles[trip.profile]
        let scheduled = profile.map { $0 < 0 ? nil : start + $0 }
        let update = realtime?.update(trip: trip.id, day: day, clock: clock)
        if update?.isCanceled == true { return }
        let predicted = update?.times(of: pattern, scheduled: scheduled, hasSchedule: clock == nil)
        for (index, stop) in pattern.stops.enumerated() {
            var arrival = Arrival(stop: stop, isInbound: pattern.direction == 1)
            switch predicted?[index] ?? .unknown {
            case .skipped: continue
            case .time(let seconds):
                arrival.time = Timestamp(rawValue: Int64(seconds) * 1_000)
                arrival.isPredicted = true
            case .unknown: arrival.time = scheduled[index].map { Timestamp(rawValue: Int64($0) * 1_000) }
            }
            body(arrival)
        }
    }
}
