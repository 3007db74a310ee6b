/// The id of a tag: eight ASCII letters and digits, case-sensitive.
public struct TagID: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// Length of an id in characters.
    public static let length = 8

    /// The eight characters.
    public let rawValue: String

    /// Wraps an id; `nil` unless it is eight ASCII letters and digits.
    public init?(rawValue: String) {
        guard rawValue.utf8.count == Self.length, rawValue.utf8.allSatisfy(Self.isLetterOrDigit) else { return nil }
        self.rawValue = rawValue
    }

    /// The eight characters.
    public var description: String { rawValue }

    /// Compares the texts.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// Reads the id.
    ///
    /// - Throws: `DecodingError.dataCorrupted` unless it is eight ASCII letters and digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = TagID(rawValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "must be \(Self.length) letters and digits"
            )
        }
        self = id
    }

    /// Writes the id.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    private static func isLetterOrDigit(_ character: UInt8) -> Bool {
        switch character {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}

/// The tags of a User: the body and the answer of `/v1/devices/{device}/tags`.
public struct TagSet: Hashable, Sendable, Codable {
    /// Maximum number of tags of one User.
    public static let maximumCount = 16

    /// The tags, at most 16; encoded in order.
    public var tags: Set<TagID>

    /// Creates a set.
    ///
    /// - Parameter tags: At most 16.
    public init(tags: Set<TagID>) { self.tags = tags }

    enum CodingKeys: CodingKey {
        case tags
    }

    /// Decodes a set strictly; duplicate tags count once.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        let listed = try fields.required(.tags, as: [TagID].self)
        guard listed.count <= Self.maximumCount else {
            throw fields.failure(.tags, "must list at most \(Self.maximumCount) tags")
        }
        tags = Set(listed)
    }

    /// Writes the tags in order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(tags.map(\.rawValue).inOrder(), forKey: .tags)
    }
}
