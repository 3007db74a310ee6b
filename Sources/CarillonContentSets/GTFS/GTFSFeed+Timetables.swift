/// Timetables of a feed's routes.
extension GTFSFeed {
    /// The run of a trip's stop times.
    private func runs() -> [(trip: Int, range: Range<Int>)] {
        var runs: [(trip: Int, range: Range<Int>)] = []
        var start = 0
        while start < stopTimes.count {
            var end = start + 1
            while end < stopTimes.count, stopTimes[end].trip == stopTimes[start].trip { end += 1 }
            runs.append((Int(stopTimes[start].trip), start..<end))
            start = end
        }
        return runs
    }

    /// The routes that stop at each stop.
    func routesOfStops() -> [Int32: Set<Int32>] {
        var routes: [Int32: Set<Int32>] = [:]
        for time in stopTimes { routes[time.stop, default: []].insert(trips[Int(time.trip)].route) }
        return routes
    }

    /// A timetable for each route.
    func timetables() -> [TransitTimetable] {
        var builders = routes.map { _ in TimetableBuilder(zone: zone) }
        for (trip, range) in runs() {
            let trip = trips[trip]
            let times = stopTimes[range]
            let repeated = frequencies[stopTimes[range.lowerBound].trip] ?? []
            builders[Int(trip.route)].add(
                trip,
                service: (Int(trip.service), services[Int(trip.service)]),
                stops: times.map { stops[Int($0.stop)].id },
                sequences: times.map { Int($0.sequence) },
                arrivals: interpolated(times.map { Int($0.arrival) }),
                repeated
            )
        }
        return builders.map(\.timetable)
    }

    /// Times of stops between two with a time are spread evenly.
    private func interpolated(_ times: [Int]) -> [Int] {
        var times = times
        var last: Int?
        for index in times.indices where times[index] >= 0 {
            if let last, index > last + 1, times[index] >= times[last] {
                let step = times[index] - times[last]
                for between in last + 1..<index {
                    times[between] = times[last] + step * (between - last) / (index - last)
                }
            }
            last = index
        }
        return times
    }
}

/// Puts trips with the same stops into one pattern, and those with the same times between them into one profile.
private struct TimetableBuilder {
    private struct PatternKey: Hashable {
        var direction: Int
        var stops: [String]
        var sequences: [Int]
    }

    private(set) var timetable: TransitTimetable
    private var patterns: [PatternKey: Int] = [:]
    private var profiles: [Int: [[Int]: Int]] = [:]
    private var services: [Int: Int] = [:]

    init(zone: String) { timetable = TransitTimetable(zone: zone) }

    mutating func add(
        _ trip: GTFSFeed.Trip,
        service: (number: Int, value: TransitTimetable.Service),
        stops: [String],
        sequences: [Int],
        arrivals: [Int],
        _ repeated: [GTFSFeed.Frequency]
    ) {
        let isPlain = sequences.elementsEqual(1...max(1, sequences.count))
        let pattern = pattern(PatternKey(direction: trip.direction, stops: stops, sequences: isPlain ? [] : sequences))
        guard let start = arrivals.first(where: { $0 >= 0 }) else { return }
        let profile = profile(arrivals.map { $0 < 0 ? -1 : max(0, $0 - start) }, of: pattern)
        let number = self.service(service.number, service.value)
        let plain = TransitTimetable.Trip(id: trip.id, service: number, profile: profile, start: start)
        guard !repeated.isEmpty else { return timetable.patterns[pattern].trips.append(plain) }
        for frequency in repeated {
            var trip = plain
            (trip.start, trip.until, trip.headway) = (frequency.start, frequency.end, frequency.headway)
            timetable.patterns[pattern].trips.append(trip)
        }
    }

    private mutating func pattern(_ key: PatternKey) -> Int {
        if let known = patterns[key] { return known }
        let number = timetable.patterns.count
        timetable.patterns.append(
            TransitTimetable.Pattern(direction: key.direction, stops: key.stops, sequences: key.sequences)
        )
        patterns[key] = number
        return number
    }

    private mutating func profile(_ times: [Int], of pattern: Int) -> Int {
        if let known = profiles[pattern]?[times] { return known }
        let number = timetable.patterns[pattern].profiles.count
        timetable.patterns[pattern].profiles.append(times)
        profiles[pattern, default: [:]][times] = number
        return number
    }

    private mutating func service(_ number: Int, _ value: TransitTimetable.Service) -> Int {
        if let known = services[number] { return known }
        services[number] = timetable.services.count
        timetable.services.append(value)
        return timetable.services.count - 1
    }
}
