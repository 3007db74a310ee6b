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
    /// How many stops of trips and of their updates are looked at for an answer, if not said: trips behind them are left out.
    package static let maximumVisitCount = 1_000_000

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
    private let visitLimit: Int

    /// - Parameters:
    ///   - timetable: The route's.
    ///   - realtime: Real-time data; `nil` for the timetable alone, and when it is too old.
    ///   - visitLimit: How many stops of trips and of their updates are looked at.
    package init(
        _ timetable: TransitTimetable,
        realtime: TransitRealtime?,
        visitLimit: Int = Self.maximumVisitCount
    ) {
        self.timetable = timetable
        self.realtime = realtime
        self.visitLimit = visitLimit
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
        var visitsLeft = visitLimit
        return [0, 1].flatMap { direction -> [Arrival] in
            guard let main = timetable.mainPattern(direction: direction) else { return [] }
            var next = NextArrivals(at: main.stops, isInbound: direction == 1, now: now)
            for pattern in timetable.patterns where pattern.direction == direction && visitsLeft > 0 {
                visit(pattern, days, &visitsLeft, &next)
            }
            for stop in Set(main.stops) {
                let time = realtime?.extraTime(at: stop, route: route, direction: direction, from: now)
                if let time, let place = next.place(of: stop) { next.note(time, isPredicted: true, at: place) }
            }
            return next.arrivals
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

    private func visit(
        _ pattern: TransitTimetable.Pattern,
        _ days: [ServiceDay],
        _ visitsLeft: inout Int,
        _ next: inout NextArrivals
    ) {
        var visit = PatternVisit(pattern, next)
        for trip in pattern.trips {
            for day in days where day.services.contains(trip.service) {
                guard let headway = trip.headway, let until = trip.until else {
                    run(trip, day, departure: nil, &visit, &visitsLeft, &next)
                    continue
                }
                for departure in stride(from: trip.start, to: until, by: headway).prefix(Self.maximumDepartureCount) {
                    run(trip, day, departure: departure, &visit, &visitsLeft, &next)
                    guard visitsLeft > 0 else { return }
                }
            }
            guard visitsLeft > 0 else { return }
        }
    }

    /// Notes the arrivals of one run, unless more would be looked at than is left.
    private func run(
        _ trip: TransitTimetable.Trip,
        _ day: ServiceDay,
        departure: Int?,
        _ visit: inout PatternVisit,
        _ visitsLeft: inout Int,
        _ next: inout NextArrivals
    ) {
        let start = day.start + (departure ?? trip.start)
        let update = realtime?.update(trip: trip.id, day: day.number, clock: departure)
        visitsLeft -= 1
        if update?.isCanceled == true { return }
        // Nothing of a run that is over is shown, unless vehicles are late.
        if update == nil, next.isOver(start + visit.ends[trip.profile]) { return }
        visitsLeft -= visit.pattern.stops.count + (update?.stops.count ?? 0)
        guard visitsLeft >= 0 else { return }
        let scheduled = visit.pattern.profiles[trip.profile].map { $0 < 0 ? nil : start + $0 }
        let predicted = update?.times(
            of: visit.pattern,
            visit.positions,
            scheduled: scheduled,
            hasSchedule: departure == nil
        )
        for (index, place) in visit.places.enumerated() {
            guard let place else { continue }
            switch predicted?[index] ?? .unknown {
            case .skipped: continue
            case .time(let seconds): next.note(seconds: seconds, isPredicted: true, at: place)
            case .unknown:
                if let seconds = scheduled[index] { next.note(seconds: seconds, isPredicted: false, at: place) }
            }
        }
    }
}

/// The next arrival at each of some stops.
private struct NextArrivals {
    private let stops: [String]
    private let isInbound: Bool
    private let now: Timestamp
    /// The first place of a stop, which stands for all of it.
    private let places: [String: Int]
    private var times: [(time: Timestamp, isPredicted: Bool)?]

    init(at stops: [String], isInbound: Bool, now: Timestamp) {
        self.stops = stops
        self.isInbound = isInbound
        self.now = now
        places = Dictionary(zip(stops, stops.indices)) { first, _ in first }
        times = Array(repeating: nil, count: stops.count)
    }

    func place(of stop: String) -> Int? { places[stop] }

    func isOver(_ seconds: Int) -> Bool { Int64(seconds) * 1_000 < now.rawValue }

    mutating func note(seconds: Int, isPredicted: Bool, at place: Int) {
        note(Timestamp(rawValue: Int64(seconds) * 1_000), isPredicted: isPredicted, at: place)
    }

    /// Notes an arrival, which counts when it is the first one from now on.
    mutating func note(_ time: Timestamp, isPredicted: Bool, at place: Int) {
        guard time >= now else { return }
        if let known = times[place]?.time, known <= time { return }
        times[place] = (time, isPredicted)
    }

    var arrivals: [TransitArrivals.Arrival] {
        stops.map { stop in
            var arrival = TransitArrivals.Arrival(stop: stop, isInbound: isInbound)
            if let place = places[stop], let known = times[place] {
                (arrival.time, arrival.isPredicted) = (known.time, known.isPredicted)
            }
            return arrival
        }
    }
}

/// What is looked up once of a pattern, whatever number of trips it has.
private struct PatternVisit {
    let pattern: TransitTimetable.Pattern
    /// The place in the answer of each stop; `nil` for those that it does not have.
    let places: [Int?]
    /// Seconds from a trip's start to the last stop, of each profile.
    let ends: [Int]
    /// Only updates need them.
    lazy var positions = StopPositions(pattern)

    init(_ pattern: TransitTimetable.Pattern, _ next: NextArrivals) {
        self.pattern = pattern
        places = pattern.stops.map { next.place(of: $0) }
        ends = pattern.profiles.map { $0.max() ?? -1 }
    }
}
