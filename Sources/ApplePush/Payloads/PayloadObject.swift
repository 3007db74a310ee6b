#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A JSON object of a payload: members in the order they are written, no key twice.
public struct PayloadObject: Hashable, Sendable {
    /// Why an object cannot be made.
    public enum Problem: Error, Hashable, Sendable {
        /// The bytes are no JSON, or nested too deeply.
        case notJSON
        /// It is JSON, but a list or a single value.
        case notAnObject
        /// The value could not be encoded.
        case notEncodable
    }

    /// The members, in the order they are written.
    public private(set) var members: [PayloadValue.Member]

    /// Makes an object of members; of two with the same key the later one counts, in the earlier one's place.
    ///
    /// - Parameter members: The members.
    public init(_ members: [PayloadValue.Member] = []) {
        var places: [String: Int] = [:]
        self.members = []
        for member in members {
            if let place = places[member.key] {
                self.members[place] = member
            } else {
                places[member.key] = self.members.count
                self.members.append(member)
            }
        }
    }

    /// Encodes a value as a device decodes it: with the default strategies of `JSONEncoder`, which are those that
    /// ActivityKit's decoder expects of `content-state` and `attributes`.
    ///
    /// Members are put in the order of their keys.
    ///
    /// - Parameter value: What to encode; its outermost form must be an object.
    /// - Throws: ``Problem``.
    public init(encoding value: some Encodable) throws(Problem) {
        let data: Data
        do {
            data = try JSONEncoder().encode(value)
        } catch {
            throw .notEncodable
        }
        try self.init(json: data)
    }

    /// Reads JSON.
    ///
    /// Members are put in the order of their keys; whole numbers beyond 64 bits become inexact.
    ///
    /// - Parameter json: The text of one JSON object, in UTF-8.
    /// - Throws: ``Problem``.
    public init(json: some Collection<UInt8>) throws(Problem) {
        let value: ParsedJSON
        do {
            value = try JSONDecoder().decode(ParsedJSON.self, from: Data(json))
        } catch {
            throw .notJSON
        }
        guard case .object(let members) = value.value else { throw .notAnObject }
        self.init(members)
    }

    /// The value of a key; setting `nil` removes the member.
    public subscript(key: String) -> PayloadValue? {
        get { members.first { $0.key == key }?.value }
        set {
            let place = members.firstIndex { $0.key == key }
            switch (place, newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append(.init(key, value))
            case (nil, nil): break
            }
        }
    }
}

extension PayloadObject: ExpressibleByDictionaryLiteral {
    /// The same as ``init(_:)``.
    public init(dictionaryLiteral elements: (String, PayloadValue)...) {
        self.init(elements.map { PayloadValue.Member($0, $1) })
    }
}

/// JSON on its way to a ``PayloadValue``, which itself is not `Decodable`: a decoder could make no slot of it.
private struct ParsedJSON: Decodable {
    let value: PayloadValue

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: Key.self) {
            value = .object(
                try object.allKeys.sorted { $0.stringValue < $1.stringValue }
                    .map { .init($0.stringValue, try object.decode(ParsedJSON.self, forKey: $0).value) }
            )
            return
        }
        if var list = try? decoder.unkeyedContainer() {
            var values: [PayloadValue] = []
            while !list.isAtEnd { values.append(try list.decode(ParsedJSON.self).value) }
            value = .array(values)
            return
        }
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            value = .null
        } else if let bool = try? single.decode(Bool.self) {
            value = .bool(bool)
        } else if let integer = try? single.decode(Int64.self) {
            value = .integer(integer)
        } else if let number = try? single.decode(Double.self) {
            value = .number(number)
        } else {
            value = .string(try single.decode(String.self))
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}
