import CarillonModel

/// A case of an enumeration and its values, as Swift codes them by itself: `{"erasing": {"_0": "user", "then": "registered"}}`.
///
/// Swift would make a type of keys for the enumeration and one for each of its cases.
struct CodedCase {
    /// The case.
    let name: String
    private let key: AnyKey
    private let values: KeyedDecodingContainer<AnyKey>

    init(_ decoder: any Decoder) throws {
        let cases = try decoder.container(keyedBy: AnyKey.self)
        guard let key = cases.allKeys.first, cases.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "must have one case")
            )
        }
        self.key = key
        name = key.stringValue
        values = try cases.nestedContainer(keyedBy: AnyKey.self, forKey: key)
    }

    /// Reads a value that every such case has.
    func value<Value: Decodable>(_ key: AnyKey = "_0") throws -> Value { try values.decode(Value.self, forKey: key) }

    /// Reads a value that may be missing.
    func optional<Value: Decodable>(_ key: AnyKey = "_0") throws -> Value? {
        try values.decodeIfPresent(Value.self, forKey: key)
    }

    /// The error for a case that the enumeration does not have.
    var unknown: DecodingError {
        .dataCorruptedError(forKey: key, in: values, debugDescription: "is not a known case")
    }
}

extension Encoder {
    /// Begins a case; its values are written to what is returned.
    func values(of name: AnyKey) -> KeyedEncodingContainer<AnyKey> {
        var cases = container(keyedBy: AnyKey.self)
        return cases.nestedContainer(keyedBy: AnyKey.self, forKey: name)
    }
}
