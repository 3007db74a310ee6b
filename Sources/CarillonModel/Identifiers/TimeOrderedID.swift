/// An identifier whose order is the order of creation.
///
/// 60 bits: 42 bits of milliseconds since 2020-01-01T00:00:00Z (until the year 2159), then 18 bits that distinguish ids
/// of one millisecond. Written as a prefix for the kind, an underscore and twelve characters of Crockford's base 32 in
/// lower case (no `i`, `l`, `o`, `u`), so that text sorts as numbers do: `cmp_0fk2m9q3tw7x`.
public protocol TimeOrderedID: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible
where RawValue == Int64 {
    /// The prefix of the text form, without the underscore; two to four lower-case letters.
    static var prefix: String { get }

    /// Wraps a number, which must be in range: 0 through 2⁶⁰ − 1.
    init(rawValue: Int64)
}

extension TimeOrderedID {
    /// The epoch: 2020-01-01T00:00:00Z, in milliseconds since 1970.
    public static var epochMilliseconds: Int64 { 1_577_836_800_000 }

    /// Creates an identifier from a time and a number that is unique in its millisecond.
    ///
    /// - Parameters:
    ///   - milliseconds: Milliseconds since 1970; earlier than 2020 counts as 2020.
    ///   - sequence: Only the lower 18 bits are used.
    public init(milliseconds: Int64, sequence: UInt32) {
        let elapsed = max(0, milliseconds - Self.epochMilliseconds) & 0x3FF_FFFF_FFFF
        self.init(rawValue: elapsed << 18 | Int64(sequence & 0x3FFFF))
    }

    /// Parses the text form; `nil` when the prefix, the length or a character is wrong.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix + "_") else { return nil }
        guard let number = Base32.number(text.utf8.dropFirst(Self.prefix.utf8.count + 1)) else { return nil }
        self.init(rawValue: number)
    }

    /// When the identifier was created, in milliseconds since 1970.
    public var milliseconds: Int64 { rawValue >> 18 + Self.epochMilliseconds }

    /// The text form.
    public var description: String { Self.prefix + "_" + Base32.text(rawValue) }

    /// Compares by time of creation.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// Reads the text form.
    ///
    /// - Throws: `DecodingError.dataCorrupted` when the text is not such an identifier.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "must be \(Self.prefix)_ and 12 base-32 characters"
            )
        }
        self = id
    }

    /// Writes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Crockford's base 32 in lower case, twelve characters for sixty bits.
enum Base32 {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    static func text(_ number: Int64) -> String {
        String(
            decoding: (0..<12).map { alphabet[Int(truncatingIfNeeded: number >> (55 - 5 * $0)) & 31] },
            as: UTF8.self
        )
    }

    static func number(_ text: some Collection<UInt8>) -> Int64? {
        guard text.count == 12 else { return nil }
        var number: Int64 = 0
        for character in text {
            guard let digit = alphabet.firstIndex(of: character) else { return nil }
            number = number << 5 | Int64(digit)
        }
        return number
    }
}
