import CarillonModel

/// Features of GeoJSON (RFC 7946): their properties are members, their geometry is a position.
enum GeoJSONImport {
    static func read(_ bytes: [UInt8], _ limits: ContentFile.Limits, _ collector: inout ContentCollector) throws {
        let wanted: Set<String> = ["type", "id", "geometry", "properties"]
        try ObjectImport.each(bytes, limits, wanted: wanted, envelopes: ["features"]) { feature, _, place in
            guard let feature, feature["type"]?.string == "Feature" else {
                return collector.skip("\(place)", "is no feature of GeoJSON")
            }
            var record = feature["properties"]?.object ?? [:]
            if record["id"] == nil, let id = feature["id"] { record["id"] = id }
            if let place = feature["geometry"].flatMap(Self.place) { record["geometry"] = place }
            try collector.add(record, at: "\(place)")
        }
    }

    /// Where a geometry is: a point, or the middle of the box around it.
    private static func place(_ geometry: JSONValue) -> JSONValue? {
        var box: Box?
        extend(&box, geometry["coordinates"] ?? .null, depth: 0)
        guard let box else { return nil }
        return .object([
            "latitude": .number(middle(box.latitudes)), "longitude": .number(box.longitude),
        ])
    }

    private static func extend(_ box: inout Box?, _ coordinates: JSONValue, depth: Int) {
        guard let elements = coordinates.array, depth < 6 else { return }
        if let east = elements.first?.number, elements.count >= 2, let north = elements[1].number {
            let point = Box(north: north, east: east)
            box = box.map { $0.union(point) } ?? point
        } else {
            for element in elements { extend(&box, element, depth: depth + 1) }
        }
    }

    private static func middle(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) / 2
    }

    /// What is around some points, in degrees.
    private struct Box {
        var latitudes: ClosedRange<Double>
        var longitudes: ClosedRange<Double>
        /// From 0 up to 360, for what lies on both sides of the date line.
        var eastward: ClosedRange<Double>

        init(north: Double, east: Double) {
            let shifted = east < 0 ? east + 360 : east
            (latitudes, longitudes, eastward) = (north...north, east...east, shifted...shifted)
        }

        func union(_ other: Box) -> Box {
            let union = { (one: ClosedRange<Double>, other: ClosedRange<Double>) in
                min(one.lowerBound, other.lowerBound)...max(one.upperBound, other.upperBound)
            }
            var box = self
            box.latitudes = union(latitudes, other.latitudes)
            box.longitudes = union(longitudes, other.longitudes)
            box.eastward = union(eastward, other.eastward)
            return box
        }

        var longitude: Double {
            let width = longitudes.upperBound - longitudes.lowerBound
            guard eastward.upperBound - eastward.lowerBound < width else { return middle(longitudes) }
            let east = middle(eastward)
            return east > 180 ? east - 360 : east
        }
    }
}
