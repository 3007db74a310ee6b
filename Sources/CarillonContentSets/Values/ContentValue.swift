package import CarillonModel
import Foundation

/// A value of a field.
package enum ContentValue: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case time(Timestamp)
    case position(ContentPosition)
    case list([String])
    case json(JSONValue)

    /// As answers have it.
    package var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .boolean(let value): .bool(value)
        case .time(let time): .string(time.description)
        case .position(let place):
            .object(["latitude": .number(place.latitude), "longitude": .number(place.longitude)])
        case .list(let texts): .array(texts.map(JSONValue.string))
        case .json(let value): value
        }
    }

    /// The texts under which an index finds it.
    package var terms: [String] {
        switch self {
        case .text(let text): [Self.term(text)]
        case .integer(let value): [String(value)]
        case .boolean(let value): [value ? "true" : "false"]
        case .list(let texts): Array(Set(texts.map(Self.term)))
        case .number, .time, .position, .json: []
        }
    }

    /// Longest term in bytes: an index has no longer ones.
    package static let maximumTermSize = 200

    /// A text as an index has it: longer ones are found by their beginning.
    package static func term(_ text: String) -> String {
        guard text.utf8.count > maximumTermSize else { return text }
        var term = ""
        for character in text {
            guard term.utf8.count + character.utf8.count <= maximumTermSize else { break }
            term.append(character)
        }
        return term
    }
}

extension ContentValue: Comparable {
    /// The order of values of one field; of different types that of the cases.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.integer(let left), .integer(let right)): left < right
        case (.number(let left), .number(let right)): left < right
        case (.boolean(let left), .boolean(let right)): !left && right
        case (.time(let left), .time(let right)): left < right
        default: false
        }
    }
}
