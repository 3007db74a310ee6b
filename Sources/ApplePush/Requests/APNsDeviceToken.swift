import CarillonBytes

/// The opaque bytes that name one app on one device at APNs.
///
/// Apple gives them no fixed length: an app's token has 32 bytes today, a Live Activity's about 80.
/// The text form is hexadecimal; upper case is accepted and lower case written.
public struct APNsDeviceToken: Hashable, Sendable {
    /// How many bytes a token may have here.
    ///
    /// The upper bound keeps a request's path well inside a header list.
    public static let lengths = 1...256

    /// The token's bytes, 1 through 256 of them.
    public let bytes: [UInt8]

    /// Makes a token from its bytes.
    ///
    /// The result is `nil` when there are none or too many.
    ///
    /// - Parameter bytes: 1 through 256 bytes.
    public init?(bytes: [UInt8]) {
        guard Self.lengths.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Makes a token from its hexadecimal text, in either case.
    ///
    /// The result is `nil` for an odd number of digits, another character, or a wrong length.
    ///
    /// - Parameter hex: 2 through 512 hexadecimal digits, nothing else.
    public init?(hex: some StringProtocol) {
        guard let bytes = Hexadecimal.decode(hex.utf8), let token = APNsDeviceToken(bytes: bytes) else { return nil }
        self = token
    }

    /// The token as lower-case hexadecimal digits, as it stands in a request's path.
    public var hex: String { Hexadecimal.encode(bytes) }
}

extension APNsDeviceToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The token's length only: a device token never reaches a log by accident.
    public var description: String { "APNsDeviceToken(\(bytes.count) bytes)" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows no token either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
