import CarillonModel
import Foundation

/// The bytes of a record: the length of the User's id, the id, and its attributes as names, kinds and values.
enum AttributeRecord {
    private enum Kind: UInt8 { case text, whole, number, no, yes, null }

    static func append(_ user: UserID, _ attributes: [String: JSONValue], to bytes: inout [UInt8]) {
        append(user.rawValue, to: &bytes)
        for (name, value) in attributes {
            append(name, to: &bytes)
            switch value {
            case .string(let text):
                bytes.append(Kind.text.rawValue)
                append(text, to: &bytes)
            case .integer(let whole): append(.whole, UInt64(bitPattern: whole), to: &bytes)
            case .number(let number): append(.number, number.bitPattern, to: &bytes)
            case .bool(let flag): bytes.append((flag ? Kind.yes : .no).rawValue)
            // Only null is left of what an attribute may be in a change.
            case .null, .array, .object: bytes.append(Kind.null.rawValue)
            }
        }
    }

    static func read(_ record: ArraySlice<UInt8>) throws -> (user: UserID, attributes: [String: JSONValue]) {
        var rest = record
        guard let user = UserID(rawValue: try text(&rest)) else { throw CocoaError(.fileReadCorruptFile) }
        var attributes: [String: JSONValue] = [:]
        while !rest.isEmpty {
            let name = try text(&rest)
            guard let kind = rest.popFirst().flatMap(Kind.init) else { throw CocoaError(.fileReadCorruptFile) }
            switch kind {
            case .text: attributes[name] = .string(try text(&rest))
            case .whole: attributes[name] = .integer(Int64(bitPattern: try word(&rest)))
            case .number: attributes[name] = .number(Double(bitPattern: try word(&rest)))
            case .no, .yes: attributes[name] = .bool(kind == .yes)
            case .null: attributes[name] = .null
            }
        }
        return (user, attributes)
    }

    /// The bytes of the User's id.
    static func id(_ record: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = record.startIndex
        let count = Int(record[start]) | Int(record[start + 1]) << 8
        return record[(start + 2)..<(start + 2 + count)]
    }

    static func prefix(of user: UserID) -> UInt64 { prefix(of: user.rawValue.utf8) }

    static func prefix(of id: some Sequence<UInt8>) -> UInt64 {
        var prefix: UInt64 = 0
        var count = 0
        for byte in id.prefix(8) {
            prefix = prefix << 8 | UInt64(byte)
            count += 1
        }
        return count == 8 ? prefix : prefix << UInt64(8 * (8 - count))
    }

    static func isLower(_ left: AttributeRun.Head, _ right: AttributeRun.Head) -> Bool {
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        return id(left.bytes).lexicographicallyPrecedes(id(right.bytes))
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        // An id has at most 512 bytes, a value 1,024.
        let count = text.utf8.count
        bytes.append(UInt8(truncatingIfNeeded: count))
        bytes.append(UInt8(truncatingIfNeeded: count >> 8))
        bytes.append(contentsOf: text.utf8)
    }

    private static func append(_ kind: Kind, _ word: UInt64, to bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) throws -> String {
        guard rest.count >= 2 else { throw CocoaError(.fileReadCorruptFile) }
        let count = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
        guard rest.count >= 2 + count else { throw CocoaError(.fileReadCorruptFile) }
        let text = rest[(rest.startIndex + 2)..<(rest.startIndex + 2 + count)]
        rest = rest.dropFirst(2 + count)
        return String(decoding: text, as: UTF8.self)
    }

    private static func word(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
        guard rest.count >= 8 else { throw CocoaError(.fileReadCorruptFile) }
        let word = (0..<8).reduce(UInt64(0)) { $0 | UInt64(rest[rest.startIndex + $1]) << UInt64(8 * $1) }
        rest = rest.dropFirst(8)
        return word
    }
}
