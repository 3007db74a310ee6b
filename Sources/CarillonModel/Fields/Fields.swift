/// The fields of a request's object, decoded strictly: an unknown field is an error, and each value is checked against
/// its limit.
package struct Fields<Key: CodingKey> {
    /// By any name, whatever `Key` is: what reads a value is compiled once for each type of value and not for each object.
    private let container: KeyedDecodingContainer<AnyKey>

    /// Opens an object.
    ///
    /// - Throws: ``FieldError`` for an unknown field; `DecodingError` when it is not an object.
    package init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: AnyKey.self)
        try container.checkNames { Key(stringValue: $0) != nil }
    }

    /// Reads a required field.
    package func required<Value: Decodable>(_ key: Key, as type: Value.Type = Value.self) throws -> Value {
        try container.required(AnyKey(key), type)
    }

    /// Reads a field that may be missing or null.
    package func optional<Value: Decodable>(_ key: Key, as type: Value.Type = Value.self) throws -> Value? {
        try container.optional(AnyKey(key), type)
    }

    /// Whether the field is present, also when null.
    package func contains(_ key: Key) -> Bool {
        container.contains(AnyKey(key))
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
        container.failure(AnyKey(key), problem)
    }
}

extension KeyedDecodingContainer<AnyKey> {
    fileprivate func checkNames(_ isKnown: (String) -> Bool) throws {
        guard let unknown = allKeys.first(where: { !isKnown($0.stringValue) }) else { return }
        // The name is the sender's text.
        throw failure(AnyKey(stringValue: String(unknown.stringValue.prefix(64))), "is not a known field")
    }

    fileprivate func required<Value: Decodable>(_ key: AnyKey, _ type: Value.Type) throws -> Value {
        do {
            return try decode(type, forKey: key)
        } catch {
            throw named(key, type, error)
        }
    }

    fileprivate func optional<Value: Decodable>(_ key: AnyKey, _ type: Value.Type) throws -> Value? {
        do {
            return try decodeIfPresent(type, forKey: key)
        } catch {
            throw named(key, type, error)
        }
    }

    fileprivate func failure(_ key: AnyKey, _ problem: String) -> FieldError {
        FieldError(field: FieldError.path(codingPath + [key]), problem: problem)
    }

    /// Adds the field to errors where Foundation does not: a number of the wrong type, such as 1.5 for an integer, has
    /// an error of its own there, which would be one of the whole text.
    private func named(_ key: AnyKey, _ type: any Any.Type, _ error: any Error) -> any Error {
        switch error {
        case DecodingError.dataCorrupted(let context) where context.isUnknownWord:
            // Foundation's text has the value itself, which may be a secret.
            FieldError(field: FieldError.path(context.codingPath), problem: Words.problem(of: type))
        case is DecodingError, is FieldError:
            error
        default:
            failure(key, "must be a number of the right type and range")
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
