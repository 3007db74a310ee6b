/// A value of CBOR (RFC 8949), as far as authenticators write it (CTAP 2.1, section 8).
///
/// There are no tags, no floating-point numbers and no lengths that come later.
package indirect enum CBORValue: Hashable, Sendable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map([CBORValue: CBORValue])
    case bool(Bool)
    case null

    /// The value of a key of a map; `nil` without it, and of other values.
    subscript(_ key: CBORValue) -> CBORValue? {
        guard case .map(let pairs) = self else { return nil }
        return pairs[key]
    }

    var integer: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }

    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}

/// Reads CBOR, which comes from outside: sizes and depth are bounded, and nothing is allocated that is not there.
package struct CBORReader {
    /// How deep arrays and maps may be in each other; an attestation needs three.
    package static let depth = 8
    /// Maximum number of values.
    package static let valueLimit = 1_024

    private var rest: ArraySlice<UInt8>
    private var count = 0

    private init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Reads one value that bytes begin with.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The value with what follows it; `nil` when they do not begin with one.
    package static func readPrefix(
        of bytes: some Sequence<UInt8>
    ) -> (value: CBORValue, rest: ArraySlice<UInt8>)? {
        var reader = CBORReader(Array(bytes)[...])
        return reader.value(depth: Self.depth).map { ($0, reader.rest) }
    }

    /// Reads one value, which all the bytes are; `nil` when they are not.
    package static func read(_ bytes: some Sequence<UInt8>) -> CBORValue? {
        guard let (value, rest) = readPrefix(of: bytes), rest.isEmpty else { return nil }
        return value
    }

    // MARK: - Private

    private mutating func value(depth: Int) -> CBORValue? {
        guard depth > 0, count < Self.valueLimit, let first = rest.popFirst() else { return nil }
        count += 1
        let kind = first >> 5
        if kind == 7 { return simple(first & 31) }
        guard let argument = argument(first & 31) else { return nil }
        switch kind {
        case 0: return Int64(exactly: argument).map(CBORValue.integer)
        case 1: return Int64(exactly: argument).map { CBORValue.integer(-1 - $0) }
        case 2: return take(argument).map { CBORValue.bytes(Array($0)) }
        case 3: return take(argument).flatMap { String(validating: $0, as: UTF8.self) }.map(CBORValue.text)
        case 4: return array(argument, depth)
        case 5: return map(argument, depth)
        // Tags.
        default: return nil
        }
    }

    private func simple(_ code: UInt8) -> CBORValue? {
        switch code {
        case 20: .bool(false)
        case 21: .bool(true)
        case 22: .null
        default: nil
        }
    }

    /// The number that the first byte tells of: itself, or in one, two, four or eight bytes.
    private mutating func argument(_ code: UInt8) -> UInt64? {
        if code < 24 { return UInt64(code) }
        guard code <= 27, let bytes = take(1 << UInt64(code - 24)) else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    private mutating func array(_ count: UInt64, _ depth: Int) -> CBORValue? {
        // Each value has a byte at least.
        guard count <= UInt64(rest.count) else { return nil }
        var values: [CBORValue] = []
        for _ in 0..<count {
            guard let value = value(depth: depth - 1) else { return nil }
            values.append(value)
        }
        return .array(values)
    }

    private mutating func map(_ count: UInt64, _ depth: Int) -> CBORValue? {
        guard count <= UInt64(rest.count / 2) else { return nil }
        var pairs: [CBORValue: CBORValue] = [:]
        for _ in 0..<count {
            guard let key = value(depth: depth - 1), let value = value(depth: depth - 1),
                pairs.updateValue(value, forKey: key) == nil
            else { return nil }
        }
        return .map(pairs)
    }
}
