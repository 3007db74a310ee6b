/// Names a broadcast channel of an app: the value of `apns-channel-id`.
///
/// APNs makes it when the channel is created. It is opaque Base64 of no fixed length ("Sending channel management
/// requests to APNs").
public struct ChannelID: RawRepresentable, Hashable, Sendable {
    /// The text, as APNs gave it.
    public let rawValue: String

    /// Makes a channel id.
    ///
    /// The result is `nil` for an empty text, for one of more than 1,024 bytes, and for characters that Base64 has not,
    /// in either alphabet.
    ///
    /// - Parameter rawValue: The text.
    public init?(rawValue: String) {
        guard (1...1024).contains(rawValue.utf8.count), rawValue.utf8.allSatisfy(Self.isBase64) else { return nil }
        self.rawValue = rawValue
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "+/-_=".utf8.contains(byte)
        }
    }
}
