/// Makes later notifications replace earlier ones on the screen: the value of `apns-collapse-id`.
public struct CollapseID: RawRepresentable, Hashable, Sendable {
    /// The header's value.
    public let rawValue: String

    /// Makes an id of a text of 1 through 64 bytes of UTF-8, Apple's limit.
    ///
    /// The result is `nil` when it is empty, longer, holds a control character, or begins or ends with a blank, which HTTP/2
    /// forbids (RFC 9113 §8.2.1).
    ///
    /// - Parameter rawValue: The header's value.
    public init?(rawValue: String) {
        let bytes = rawValue.utf8
        guard (1...64).contains(bytes.count), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            bytes.first != 0x20, bytes.last != 0x20
        else { return nil }
        self.rawValue = rawValue
    }
}
