public import Foundation

/// Identifies an App: one customer application, with its APNs topic and keys.
public struct AppID: TimeOrderedID {
    /// The prefix of the text form: `app`.
    public static let prefix = "app"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Identifies an Occurrence: one firing of a Campaign.
public struct OccurrenceID: TimeOrderedID {
    /// The prefix of the text form: `occ`.
    public static let prefix = "occ"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The public id of a Device: one installation of an App on one phone.
///
/// A random UUID (RFC 9562, version 4) that the SDK generates at first start; never a hardware identifier. Written in
/// lower case.
public struct DeviceID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The UUID itself.
    public let rawValue: UUID

    /// Wraps a UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }

    /// Parses a UUID in its 36-character form, in either case; `nil` for anything else.
    public init?(_ text: String) {
        var text = text
        guard let uuid = text.withUTF8({ UUIDText.uuid($0) }) else { return nil }
        rawValue = uuid
    }

    /// The UUID in lower case.
    public var description: String { UUIDText.text(rawValue) }

    /// Reads the 36-character form.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = DeviceID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "must be a UUID")
        }
        self = id
    }

    /// Writes the UUID in lower case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The App's own id of the person its Devices belong to: 1 through 128 characters, no control characters.
public struct UserID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// Maximum length of a user id in characters.
    public static let maximumLength = 128

    /// The id as the App wrote it.
    public let rawValue: String

    /// Wraps an id; `nil` when it is empty, too long or has control characters.
    public init?(rawValue: String) {
        guard Self.isPlain(rawValue) || Self.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// Compares bytes: ids that Unicode calls equal in different bytes are two Users to databases and proofs.
    public static func == (lhs: UserID, rhs: UserID) -> Bool {
        lhs.rawValue.utf8.count == rhs.rawValue.utf8.count && lhs.rawValue.utf8.elementsEqual(rhs.rawValue.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        var text = rawValue
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Nearly all ids are plain ASCII, whose characters are bytes.
    private static func isPlain(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    private static func isValid(_ text: String) -> Bool {
        (1...maximumLength).contains(text.count) && text.utf8.count <= 4 * maximumLength
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// The id as the App wrote it.
    public var description: String { rawValue }

    /// Reads the id.
    ///
    /// - Throws: `DecodingError.dataCorrupted` when it is empty, too long or has control characters.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = UserID(rawValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "must have 1 through \(Self.maximumLength) characters and no control characters"
            )
        }
        self = id
    }

    /// Writes the id.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
