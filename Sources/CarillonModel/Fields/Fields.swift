/// The fields of a request's object, decoded strictly: an unknown field is an error, and each value is checked against
/// its limit.
package struct Fields<Key: CodingKey & CaseIterable> {
    private let container: KeyedDecodingContainer<Key>

    /// Opens an object.
    ///
    /// - Throws: ``FieldError`` for an unknown field; `DecodingError` when it is not an object.
    package init(_ decoder: any Decoder) throws {
        try decoder.checkNames(Key.allCases.map(\.stringValue))
        container = try decoder.container(keyedBy: Key.self)
    }

    /// Reads a required field.
    package func required<Value: Decodable>(_ key: Key, as type: Value.Type = Value.self) throws -> Value {
        try named(key, type) { try container.decode(type, forKey: key) }
    }

    /// Reads a field that may be missing or null.
    package func optional<Value: Decodable>(_ key: Key, as type: Value.Type = Value.self) throws -> Value? {
        try named(key, type) { try container.decodeIfPresent(type, forKey: key) }
    }

    /// Whether the field is present, also when null.
    package func contains(_ key: Key) -> Bool {
        container.contains(key)
    }

    /// Reads a text of limited length in characters; control characters other than line breaks and tabs are refused.
    package func text(_ key: Key, _ length: ClosedRange<Int>) throws -> String? {
        guard let text: String = try optional(key) else { return nil }
        if let problem = TextLimit(length).problem(of: text) { throw failure(key, problem) }
        return text
    }

    /// Reads an integer in a range.
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

    /// Adds the field to errors where Foundation does not: a number of the wrong type, such as 1.5 for an integer, has
    /// an error of its own there, which would be one of the whole text.
    private func named<Value>(_ key: Key, _ type: any Any.Type, _ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch DecodingError.dataCorrupted(let context) where context.isUnknownWord {
            // Foundation's text has the value itself, which may be a secret.
            throw FieldError(field: FieldError.path(context.codingPath), problem: Words.problem(of: type))
        } catch  where !(error is DecodingError || error is FieldError) {
            throw failure(key, "must be a number of the right type and range")
        }
    }
}

extension DecodingError.Context {
    /// Whether a word was read that an enumeration does not have.
    fileprivate var isUnknownWord: Bool { debugDescription.hasPrefix("Cannot initialize") }
}

/// The words of an enumeration.
private enum Words {
    static func problem(of type: any Any.Type) -> String {
        let words = words(of: type)
        return words.isEmpty
            ? "must be one of the documented values" : "must be one of " + words.joined(separator: ", ")
    }

    private static func words(of type: any Any.Type) -> [String] {
        if let type = type as? any CaseIterable.Type { return list(type) }
        if let type = type as? any Sequence.Type { return words(of: element(type)) }
        return []
    }

    private static func list<Word: CaseIterable>(_ type: Word.Type) -> [String] {
        type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
    }

    private static func element<Elements: Sequence>(_ type: Elements.Type) -> any Any.Type { Elements.Element.self }
}

extension Decoder {
    /// Throws for an unknown field; outside of ``Fields``, so that it is compiled once and not for each type of key.
    fileprivate func checkNames(_ known: [String]) throws {
        let names = try container(keyedBy: AnyKey.self)
        if let unknown = names.allKeys.first(where: { !known.contains($0.stringValue) }) {
            // The name is the sender's text.
            let name = AnyKey(stringValue: String(unknown.stringValue.prefix(64)))
            throw FieldError(field: FieldError.path(names.codingPath + [name]), problem: "is not a known field")
        }
    }
}

/// A key with any name or position.
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
