import CarillonModel

/// The tables of a GTFS archive that timetables are made of, in memory.
///
/// A large feed has millions of stop times: one takes 16 bytes here, and names are numbers.
struct GTFSFeed {
    struct Stop {
        var id: String
        var code: String?
        var name: String
        var latitude: String?
        var longitude: String?
        /// Whether it is no place where a vehicle stops: a station, an entrance, a node.
        var isArea: Bool
    }

    struct Route {
        var id: String
        var shortName: String?
        var longName: String?
    }

    struct Trip {
        var id: String
        var route: Int32
        var service: Int32
        var direction: Int
    }

    struct StopTime {
        var trip: Int32
        var sequence: Int32
        var stop: Int32
        /// Seconds of the service day; -1 without a time.
        var arrival: Int32
    }

    struct Frequency {
        var start: Int
        var end: Int
        var headway: Int
    }

    /// Receives a row that is not read: the file, the line, and why.
    typealias Skip = (String, Int, String) -> Void

    /// Maximum number of rows of stop times: each takes memory until the file is read.
    static let maximumStopTimeCount = 8_000_000

    private(set) var zone = "UTC"
    private(set) var stops: [Stop] = []
    private(set) var routes: [Route] = []
    private(set) var trips: [Trip] = []
    private(set) var stopTimes: [StopTime] = []
    private(set) var services: [TransitTimetable.Service] = []
    private(set) var frequencies: [Int32: [Frequency]] = [:]

    private var stopIndexes: [String: Int32] = [:]
    private var routeIndexes: [String: Int32] = [:]
    private var tripIndexes: [String: Int32] = [:]
    private var serviceIndexes: [String: Int32] = [:]

    /// The name of a stop; `nil` when the feed has none of the id.
    func stopName(_ id: String) -> String? { stopIndexes[id].map { stops[Int($0)].name } }

    /// Reads an archive.
    ///
    /// - Throws: ``ContentFileProblem`` when a table or a column is missing that each feed has, ``ZipArchive/Failure``.
    mutating func read(_ files: GTFSFiles, _ skip: Skip) throws {
        try readAgency(files, skip)
        try readStops(files, skip)
        try readRoutes(files, skip)
        try readCalendar(files, skip)
        try readCalendarDates(files, skip)
        try readTrips(files, skip)
        try readStopTimes(files, skip)
        try readFrequencies(files, skip)
    }

    // MARK: - Private

    private func require(_ found: Bool, _ name: String) throws(ContentFileProblem) {
        if !found { throw ContentFileProblem("has no \(name).txt") }
    }

    private mutating func readAgency(_ files: GTFSFiles, _ skip: Skip) throws {
        var zones: [String] = []
        let found = try files.read(
            "agency",
            ["agency_timezone"],
            required: ["agency_timezone"],
            skip: { skip("agency.txt", $0, $1) }
        ) { row, _ in if let zone = row.text(0) { zones.append(zone) } }
        try require(found, "agency")
        guard let zone = zones.first else { throw ContentFileProblem("has no time zone in agency.txt") }
        guard LocalTime.zone(named: zone) != nil else {
            throw ContentFileProblem("has the time zone \(zone.prefix(64)) in agency.txt, which IANA does not have")
        }
        self.zone = zone
    }

    private mutating func readStops(_ files: GTFSFiles, _ skip: Skip) throws {
        let columns = ["stop_id", "stop_code", "stop_name", "stop_lat", "stop_lon", "location_type"]
        var (stops, indexes): ([Stop], [String: Int32]) = ([], [:])
        let found = try files.read("stops", columns, required: ["stop_id"], skip: { skip("stops.txt", $0, $1) }) {
            row,
            line in
            guard let id = row.text(0), indexes[id] == nil else { return skip("stops.txt", line, "has no new stop_id") }
            indexes[id] = Int32(stops.count)
            stops.append(
                Stop(
                    id: id,
                    code: row.text(1),
                    name: row.text(2) ?? id,
                    latitude: row.text(3),
                    longitude: row.text(4),
                    isArea: (row.number(5) ?? 0) != 0
                )
            )
        }
        try require(found, "stops")
        (self.stops, stopIndexes) = (stops, indexes)
    }

    private mutating func readRoutes(_ files: GTFSFiles, _ skip: Skip) throws {
        var (routes, indexes): ([Route], [String: Int32]) = ([], [:])
        let columns = ["route_id", "route_short_name", "route_long_name"]
        let found = try files.read("routes", columns, required: ["route_id"], skip: { skip("routes.txt", $0, $1) }) {
            row,
            line in
            guard let id = row.text(0), indexes[id] == nil else {
                return skip("routes.txt", line, "has no new route_id")
            }
            indexes[id] = Int32(routes.count)
            routes.append(Route(id: id, shortName: row.text(1), longName: row.text(2)))
        }
        try require(found, "routes")
        (self.routes, routeIndexes) = (routes, indexes)
    }

    private mutating func readCalendar(_ files: GTFSFiles, _ skip: Skip) throws {
        let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        let columns = ["service_id", "start_date", "end_date"] + days
        var (services, indexes) = (services, serviceIndexes)
        let found = try files.read("calendar", columns, required: Set(columns), skip: { skip("calendar.txt", $0, $1) })
        {
            row,
            line in
            guard let id = row.text(0), let first = row.text(1).flatMap({ LocalTime.day($0) }),
                let last = row.text(2).flatMap({ LocalTime.day($0) })
            else { return skip("calendar.txt", line, "has no service_id, start_date and end_date") }
            let weekdays = (3..<10).map { row.number($0) == 1 }
            indexes[id] = Int32(services.count)
            services.append(TransitTimetable.Service(weekdays: weekdays, first: first, last: last))
        }
        guard found || files.archive.contains("calendar_dates.txt") else {
            throw ContentFileProblem("has neither calendar.txt nor calendar_dates.txt")
        }
        (self.services, serviceIndexes) = (services, indexes)
    }

    private mutating func readCalendarDates(_ files: GTFSFiles, _ skip: Skip) throws {
        let columns = ["service_id", "date", "exception_type"]
        var (services, indexes) = (services, serviceIndexes)
        try files.read("calendar_dates", columns, required: Set(columns), skip: { skip("calendar_dates.txt", $0, $1) })
        {
            row,
            line in
            guard let id = row.text(0), let day = row.text(1).flatMap({ LocalTime.day($0) }), let type = row.number(2),
                type == 1 || type == 2
            else { return skip("calendar_dates.txt", line, "has no service_id, date and exception_type") }
            if indexes[id] == nil {
                indexes[id] = Int32(services.count)
                services.append(TransitTimetable.Service())
            }
            guard let index = indexes[id].map(Int.init) else { return }
            if type == 1 { services[index].added.append(day) } else { services[index].removed.append(day) }
        }
        (self.services, serviceIndexes) = (services, indexes)
    }

    private mutating func readTrips(_ files: GTFSFiles, _ skip: Skip) throws {
        let columns = ["trip_id", "route_id", "service_id", "direction_id"]
        var (trips, indexes): ([Trip], [String: Int32]) = ([], [:])
        let (routes, services) = (routeIndexes, serviceIndexes)
        let required: Set<String> = ["trip_id", "route_id", "service_id"]
        let found = try files.read("trips", columns, required: required, skip: { skip("trips.txt", $0, $1) }) {
            row,
            line in
            guard let id = row.text(0), indexes[id] == nil else { return skip("trips.txt", line, "has no new trip_id") }
            guard let route = row.text(1).flatMap({ routes[$0] }) else {
                return skip("trips.txt", line, "has a route_id that routes.txt does not have")
            }
            guard let service = row.text(2).flatMap({ services[$0] }) else {
                return skip("trips.txt", line, "has a service_id that no calendar has")
            }
            indexes[id] = Int32(trips.count)
            trips.append(Trip(id: id, route: route, service: service, direction: row.number(3) == 1 ? 1 : 0))
        }
        try require(found, "trips")
        (self.trips, tripIndexes) = (trips, indexes)
    }

    private mutating func readStopTimes(_ files: GTFSFiles, _ skip: Skip) throws {
        let columns = ["trip_id", "stop_sequence", "stop_id", "arrival_time", "departure_time"]
        var times: [StopTime] = []
        // Rows of a trip follow each other: nearly all need no look-up.
        var last: (id: [UInt8], trip: Int32?) = ([], nil)
        let (trips, stops) = (tripIndexes, stopIndexes)
        let file = "stop_times.txt"
        let required: Set<String> = ["trip_id", "stop_sequence"]
        let found = try files.read(
            "stop_times",
            columns,
            required: required,
            limit: .max,
            skip: { skip(file, $0, $1) }
        ) { row, line in
            let id = row.bytes(0)
            if !last.id.elementsEqual(id) { last = (Array(id), trips[String(decoding: id, as: UTF8.self)]) }
            guard let trip = last.trip else { return skip(file, line, "has a trip_id that trips.txt does not have") }
            guard let sequence = row.number(1) else { return skip(file, line, "has no stop_sequence") }
            guard let stop = row.text(2).flatMap({ stops[$0] }) else {
                return skip(file, line, "has a stop_id that stops.txt does not have")
            }
            let (arrival, departure) = (row.bytes(3), row.bytes(4))
            let text = arrival.isEmpty ? departure : arrival
            let seconds = text.isEmpty ? -1 : GTFSClock.seconds(text)
            guard let seconds else { return skip(file, line, "has a time that is none") }
            guard times.count < Self.maximumStopTimeCount else {
                throw ContentFileProblem("has more than \(Self.maximumStopTimeCount) stop times")
            }
            times.append(
                StopTime(trip: trip, sequence: Int32(sequence), stop: stop, arrival: Int32(seconds))
            )
        }
        try require(found, "stop_times")
        times.sort { ($0.trip, $0.sequence) < ($1.trip, $1.sequence) }
        stopTimes = times
    }

    private mutating func readFrequencies(_ files: GTFSFiles, _ skip: Skip) throws {
        let columns = ["trip_id", "start_time", "end_time", "headway_secs"]
        var frequencies: [Int32: [Frequency]] = [:]
        let trips = tripIndexes
        try files.read("frequencies", columns, required: Set(columns), skip: { skip("frequencies.txt", $0, $1) }) {
            row,
            line in
            guard let trip = row.text(0).flatMap({ trips[$0] }), let start = GTFSClock.seconds(row.bytes(1)),
                let end = GTFSClock.seconds(row.bytes(2)), let headway = row.number(3), headway > 0, end > start
            else { return skip("frequencies.txt", line, "has no known trip_id, times and headway_secs") }
            frequencies[trip, default: []].append(Frequency(start: start, end: end, headway: headway))
        }
        self.frequencies = frequencies
    }
}
