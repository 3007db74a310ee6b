import CarillonModel

/// Features of GeoJSON (RFC 7946): their properties are members, their geometry is a position.
enum GeoJSONImport {
    static func read(_ bytes: [UInt8], _ limits: ContentFile.Limits, _ collector: inout ContentCollector) throws {
        let wanted: Set<String> = ["type", "id", "geometry", "properties"]
        try ObjectImport.each(bytes, limits, wanted: wanted, envelopes: ["features"]) { feature, _, line in
            guard let feature, feature["type"]?.string == "Feature" else {
                return collector.skip("line \(line)", "is no feature of GeoJSON")
            }
            var record = feature["properties"]?.object ?? [:]
            if record["id"] == nil, let id = feature["id"] { record["id"] = id }
            if let place = feature["geometry"].flatMap(place) { record["geometry"] = place }
            try collector.add(record, at: "line \(line)")
        }
    }

    /// Where a geometry is: a point, or the middle of the box around it.
    private static func place(_ geometry: JSONValue) -> JSONValue? {
        var box: (west: Double, south: Double, east: Double, north: Double)?
        extend(&box, geometry["coordinates"] ?? .null, depth: 0)
        guard let box else { return nil }
        return .object([
            "latitude": .number((box.south + box.north) / 2), "longitude": .number((box.west + box.east) / 2),
        ])
    }

    private static func extend(
        _ box: inout (west: Double, south: Double, east: Double, north: Double)?,
        _ coordinates: JSONValue,
        depth: Int
    ) {
        guard let elements = coordinates.array, depth < 6 else { return }
        if let east = elements.first?.number, elements.count >= 2, let north = elements[1].number {
            let known = box ?? (east, north, east, north)
            box = (min(known.west, east), min(known.south, north), max(known.east, east), max(known.north, north))
        } else {
            for element in elements { extend(&box, element, depth: depth + 1) }
        }
    }
}
