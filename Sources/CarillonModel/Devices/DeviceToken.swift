import CarillonBytes

/// Identifies a Device at APNs: the bytes that the system passed to the app, as hexadecimal text.
///
/// Apple does not fix their length; today they have 32 bytes. Between 8 and 100 bytes are accepted. A device token is a
/// secret of the phone: it is never logged, so its description hides it.
public struct DeviceToken: Hashable, Sendable, Codable {
    /// Length of a token in bytes.
    public static let byteCounts = 8...100

    /// The token's bytes.
    public let bytes: [UInt8]

    /// Wraps a token's bytes; `nil` when there are fewer than 8 or more than 100.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard Self.byteCounts.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Parses hexadecimal text in either case; `nil` for anything else.
    public init?(hexadecimal text: String) {
        guard text.utf8.count <= 2 * Self.byteCounts.upperBound, let bytes = Hexadecimal.decode(text.utf8) else {
            return nil
        }
        self.init(bytes: bytes)
    }

    /// The token as hexadecimal text in lower case.
    public var hexadecimal: String { Hexadecimal.encode(bytes) }

    /// Decodes hexadecimal text.
    ///
    /// - Throws: `DecodingError.dataCorrupted` when it is not hexadecimal, or too short or long.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = DeviceToken(hexadecimal: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "must be 16 through 200 hexadecimal digits, an even number of them"
            )
        }
        self = token
    }

    /// Encodes hexadecimal text in lower case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hexadecimal)
    }
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The token's length, without its bytes.
    public var description: String { "device token of \(bytes.count) bytes" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children, so that the token is hidden also inside other values.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
