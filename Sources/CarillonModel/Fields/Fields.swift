/// The fields of a request's object, read strictly: a field that the request does not know is an error, and each
/// value is held against its limit where it is read.
package struct Fields<Key: CodingKey & CaseIterable> {
    private let container: KeyedDecodingContainer<Key>

    /// Opens an object.
    ///
    /// - Throws: ``FieldError`` for a field that is not among the keys; `DecodingError` when it is no object.
    package init(_ decoder: any Decoder) throws {
        try decoder.checkNames(Key.allCases.map(\.stringValue))
        container = try decoder.container(keyedBy: Key.self)
    }

    /// Reads a field that must be there.
    package func required<Value: Decodable>(_ key: Key, as type: Value.Type = Value.self) throws -> Value {
        try named(key) { try container.decode(type, forKey: key) }
    }

    /// Reads a field that may be missing or null.
    package func optional<Value: Decodable>(_ key: Key, as type: Value.Type = Value.self) throws -> Value? {
        try named(key) { try container.decodeIfPresent(type, forKey: key) }
    }

    /// Whether the field is there, be it null.
    package func contains(_ key: Key) -> Bool {
        container.contains(key)
    }

    /// Reads a text of limited length, counted in characters; control characters other than line breaks and tabs are
    /// refused.
    package func text(_ key: Key, _ length: ClosedRange<Int>) throws -> String? {
        guard let text: String = try optional(key) else { return nil }
        // A character may join many scalars; bytes are bounded too, so that no text is larger than it looks.
        guard length.contains(text.count), text.utf8.count <= 4 * length.upperBound else {
            throw failure(key, "must have \(length.lowerBound) through \(length.upperBound) characters")
        }
        guard !text.unicodeScalars.contains(where: Self.isForbidden) else {
            throw failure(key, "must not have control characters")
        }
        return text
    }

    /// Reads an integer of a range.
    package func integer(_ key: Key, _ range: ClosedRange<Int>) throws -> Int? {
        guard let number: Int = try optional(key) else { return nil }
        guard range.contains(number) else {
            throw failure(key, "must be \(range.lowerBound) through \(range.upperBound)")
        }
        return number
    }

    /// An error about one of the fields.
    package func failure(_ key: Key, _ problem: String) -> FieldError {
        FieldError(field: FieldError.path(container.codingPath + [key]), problem: problem)
    }

    /// Names the field where Foundation does not: a number that does not fit, as 1.5 for an integer, throws an error of
    /// its own there, which becomes one of the whole text.
    private func named<Value>(_ key: Key, _ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch  where !(error is DecodingError || error is FieldError) {
            throw failure(key, "must be a number of the kind and size that is taken here")
        }
    }

    /// Whether no text has the character: a control character other than line breaks and tabs.
    package static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t" && scalar != "\r"
    }
}

extension Decoder {
    /// Throws for a field that is not among `known`; apart from ``Fields``, so that it is compiled once and not for each
    /// kind of key.
    fileprivate func checkNames(_ known: [String]) throws {
        let names = try container(keyedBy: AnyKey.self)
        if let unknown = names.allKeys.first(where: { !known.contains($0.stringValue) }) {
            throw FieldError(field: FieldError.path(names.codingPath + [unknown]), problem: "is not a known field")
        }
    }
}

/// A key of any name or position.
struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
