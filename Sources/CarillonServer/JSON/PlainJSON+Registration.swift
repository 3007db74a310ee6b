import CarillonModel

/// The parts of a registration that are neither string nor boolean.
extension PlainJSON {
    /// Reads an array of ids, or an object of arrays of labels; `nil` leaves it to the strict decoder.
    mutating func categories() -> DeviceCategories? {
        if consume(UInt8(ascii: "[")) { return labels().map(DeviceCategories.list) }
        guard consume(UInt8(ascii: "{")) else { return nil }
        var dimensions: [String: [String]] = [:]
        var count = 0
        if consume(UInt8(ascii: "}")) { return .dimensions(dimensions) }
        while dimensions.count < DeviceCategories.maximumDimensions {
            guard let name = name(), DeviceCategories.lengths.contains(name.count), consume(UInt8(ascii: "[")),
                let labels = labels(), dimensions.updateValue(labels, forKey: string(name)) == nil,
                let hasNext = hasNext(before: UInt8(ascii: "}"))
            else { return nil }
            count += labels.count
            if !hasNext { return count <= DeviceCategories.maximumCount ? .dimensions(dimensions) : nil }
        }
        return nil
    }

    /// Reads an array of labels after its opening bracket.
    private mutating func labels() -> [String]? {
        var labels: [String] = []
        if consume(UInt8(ascii: "]")) { return labels }
        while labels.count < DeviceCategories.maximumCount {
            guard let label = text(), DeviceCategories.lengths.contains(label.count),
                let hasNext = hasNext(before: UInt8(ascii: "]"))
            else { return nil }
            labels.append(string(label))
            if !hasNext { return labels }
        }
        return nil
    }

    /// Reads a location; `nil` leaves it to the strict decoder.
    mutating func location() -> DeviceLocation? {
        guard consume(UInt8(ascii: "{")) else { return nil }
        var (latitude, longitude, at): (Double?, Double?, Timestamp?)
        repeat {
            guard let name = name() else { return nil }
            if latitude == nil, matches(name, "latitude") {
                latitude = decimal()
                guard let latitude, (-90...90).contains(latitude) else { return nil }
            } else if longitude == nil, matches(name, "longitude") {
                longitude = decimal()
                guard let longitude, (-180...180).contains(longitude) else { return nil }
            } else if at == nil, matches(name, "at") {
                at = text().flatMap { Timestamp(utf8: bytes[$0.start..<$0.end]) }
                guard at != nil else { return nil }
            } else {
                return nil
            }
            guard let hasNext = hasNext(before: UInt8(ascii: "}")) else { return nil }
            if !hasNext { break }
        } while true
        guard let latitude, let longitude, let at else { return nil }
        return DeviceLocation(latitude: latitude, longitude: longitude, at: at)
    }
}
