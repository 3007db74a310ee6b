import CarillonModel

/// Stops and routes of Taiwan's TDX, as `carillon` puts its three answers into one object.
enum TDXImport {
    private static let wanted: Set<String> = [
        "StopUID", "StopID", "StopName", "StopPosition", "StopAddress", "City", "RouteUID", "RouteID", "RouteName",
        "DepartureStopNameZh", "DestinationStopNameZh", "Direction", "Stops",
    ]

    static func read(_ bytes: [UInt8], _ limits: ContentFile.Limits, _ collector: inout ContentCollector) throws {
        var (stops, routes): ([[String: JSONValue]], [[String: JSONValue]]) = ([], [])
        var timetables: [String: TransitTimetable] = [:]
        var routesOfStops: [String: Set<String>] = [:]
        let envelopes: Set<String> = ["Stop", "Route", "StopOfRoute"]
        try ObjectImport.each(bytes, limits, wanted: wanted, envelopes: envelopes) { object, envelope, place in
            guard let object else { return collector.skip("\(place)", "is no object of JSON") }
            switch envelope {
            case "Stop": stops.append(object)
            case "Route": routes.append(object)
            default: note(object, &timetables, &routesOfStops)
            }
            guard stops.count + routes.count <= limits.rowCount else {
                throw ContentFileProblem("has more than \(limits.rowCount) stops and routes")
            }
        }
        for stop in stops {
            let id = stop["StopUID"]?.string ?? ""
            try collector.add(record(ofStop: stop, routesOfStops[id] ?? []), to: "stops", at: "stop \(id)")
        }
        for route in routes {
            let id = route["RouteUID"]?.string ?? ""
            try collector.add(record(ofRoute: route, timetables[id]), to: "routes", at: "route \(id)")
        }
    }

    // MARK: - Private

    /// The stops of a route in one direction; of several sub-routes the longest counts.
    private static func note(
        _ object: [String: JSONValue],
        _ timetables: inout [String: TransitTimetable],
        _ routesOfStops: inout [String: Set<String>]
    ) {
        guard let route = object["RouteUID"]?.string else { return }
        let stops = (object["Stops"]?.array ?? [])
            .compactMap { stop in stop["StopUID"]?.string.map { ($0, stop["StopSequence"]?.integer ?? 0) } }
            .sorted { $0.1 < $1.1 }
            .map(\.0)
        for stop in stops { routesOfStops[stop, default: []].insert(route) }
        let pattern = TransitTimetable.Pattern(direction: TDXArrivals.direction(object["Direction"]), stops: stops)
        timetables[route, default: TransitTimetable(zone: "Asia/Taipei")].patterns.append(pattern)
    }

    private static func record(ofStop stop: [String: JSONValue], _ routes: Set<String>) -> [String: JSONValue] {
        var record: [String: JSONValue] = [:]
        record["id"] = stop["StopUID"]
        record["code"] = stop["StopID"] ?? stop["StopUID"]
        record["name"] = name(stop["StopName"]) ?? stop["StopUID"]
        record["address"] = stop["StopAddress"]
        record["city"] = stop["City"]
        record["latitude"] = stop["StopPosition"]?["PositionLat"]
        record["longitude"] = stop["StopPosition"]?["PositionLon"]
        record["routes"] = .array(routes.sorted().map(JSONValue.string))
        return record
    }

    private static func record(
        ofRoute route: [String: JSONValue],
        _ timetable: TransitTimetable?
    ) -> [String: JSONValue] {
        var record: [String: JSONValue] = [:]
        record["id"] = route["RouteUID"]
        record["name"] = name(route["RouteName"]) ?? route["RouteID"] ?? route["RouteUID"]
        record["city"] = route["City"]
        let ends = [route["DepartureStopNameZh"]?.string, route["DestinationStopNameZh"]?.string]
        if case let known = ends.compactMap(\.self).filter({ !$0.isEmpty }), !known.isEmpty {
            record["description"] = .string(known.joined(separator: "－"))
        }
        record["timetable"] = timetable?.json
        return record
    }

    /// The Chinese name, else the English one; `nil` without either.
    private static func name(_ names: JSONValue?) -> JSONValue? {
        let texts = [names?["Zh_tw"]?.string, names?["En"]?.string]
        return texts.compactMap(\.self).first { !$0.isEmpty }.map(JSONValue.string)
    }
}
