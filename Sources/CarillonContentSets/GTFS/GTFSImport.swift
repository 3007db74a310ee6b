import CarillonModel

/// A GTFS Schedule archive: rows of `stops` and `routes`, a route's with its timetable.
enum GTFSImport {
    static func read(_ bytes: [UInt8], _ limits: ContentFile.Limits, _ collector: inout ContentCollector) throws {
        let files = GTFSFiles(archive: try ZipArchive(bytes, limits: limits.archive))
        var feed = GTFSFeed()
        var skipped: [(file: String, line: Int, reason: String)] = []
        var skippedCount = 0
        try feed.read(files) { file, line, reason in
            skippedCount += 1
            if skipped.count < ContentFileReport.maximumProblemCount { skipped.append((file, line, reason)) }
        }
        for (file, line, reason) in skipped { collector.skip("\(file) line \(line)", reason) }
        let others = skippedCount - skipped.count
        collector.report.read += others
        collector.report.skipped += others
        try addStops(of: feed, &collector)
        try addRoutes(of: feed, &collector)
    }

    // MARK: - Private

    private static func addStops(of feed: GTFSFeed, _ collector: inout ContentCollector) throws {
        let routes = feed.routesOfStops()
        for (index, stop) in feed.stops.enumerated() where !stop.isArea {
            var record: [String: JSONValue] = ["id": .string(stop.id), "name": .string(stop.name)]
            record["code"] = .string(stop.code ?? stop.id)
            if let latitude = stop.latitude, let longitude = stop.longitude {
                record["latitude"] = .string(latitude)
                record["longitude"] = .string(longitude)
            }
            let ids = (routes[Int32(index)] ?? []).map { feed.routes[Int($0)].id }.sorted()
            record["routes"] = .array(ids.map(JSONValue.string))
            try collector.add(record, to: "stops", at: "stop \(stop.id)")
        }
    }

    private static func addRoutes(of feed: GTFSFeed, _ collector: inout ContentCollector) throws {
        let timetables = feed.timetables()
        for (index, route) in feed.routes.enumerated() {
            var record: [String: JSONValue] = ["id": .string(route.id)]
            let name = route.shortName ?? route.longName ?? route.id
            record["name"] = .string(name)
            let timetable = timetables[index]
            if let long = route.longName, long != name {
                record["description"] = .string(long)
            } else if let main = timetable.mainPattern(direction: 0) ?? timetable.mainPattern(direction: 1),
                let first = main.stops.first.flatMap(feed.stopName), let last = main.stops.last.flatMap(feed.stopName)
            {
                record["description"] = .string("\(first)－\(last)")
            }
            if timetable.mayFit(ContentField.maximumDocumentSize) {
                record["timetable"] = timetable.json
            } else {
                collector.report.invalidValues["timetable", default: 0] += 1
            }
            try collector.add(record, to: "routes", at: "route \(route.id)")
        }
    }
}
