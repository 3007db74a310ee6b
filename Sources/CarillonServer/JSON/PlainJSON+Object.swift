import CarillonModel

/// Objects whose names nobody knows beforehand.
extension PlainJSON {
    /// Maximum number of members; bodies of apps have a dozen.
    private static let maximumMembers = 32

    /// Reads a whole text that is an object of texts, booleans and nulls; `nil` leaves it to the strict decoder.
    static func object(_ bytes: [UInt8]) -> [String: JSONValue]? {
        var json = PlainJSON(bytes)
        guard json.consume(UInt8(ascii: "{")), !json.consume(UInt8(ascii: "}")) else { return nil }
        var members: [String: JSONValue] = Dictionary(minimumCapacity: 12)
        while members.count < maximumMembers {
            guard let name = json.name(), let value = json.value(),
                members.updateValue(value, forKey: json.string(name)) == nil,
                let hasNext = json.hasNext(before: UInt8(ascii: "}"))
            else { return nil }
            if !hasNext { return json.isAtEnd() ? members : nil }
        }
        return nil
    }
}
