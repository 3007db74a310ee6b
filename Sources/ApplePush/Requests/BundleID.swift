/// An app's bundle id, such as `com.example.app`, without any of the suffixes that make a topic of it.
public struct BundleID: RawRepresentable, Hashable, Sendable {
    /// The text.
    public let rawValue: String

    /// Makes a bundle id.
    ///
    /// The result is `nil` for any other text than Apple permits: 1 through 200 letters, digits, hyphens and periods
    /// ("CFBundleIdentifier" in "Information Property List"). So it can stand in a path as it is.
    ///
    /// - Parameter rawValue: The text.
    public init?(rawValue: String) {
        guard (1...200).contains(rawValue.utf8.count), rawValue.utf8.allSatisfy(Self.isPermitted) else { return nil }
        self.rawValue = rawValue
    }

    private static func isPermitted(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
