/// Whom a notification addresses: the value of `apns-topic`.
public struct Topic: RawRepresentable, Hashable, Sendable {
    /// The header's value.
    public let rawValue: String

    /// Makes a topic of its whole text, for instance one of a certificate.
    ///
    /// The result is `nil` when the text cannot stand in a header.
    ///
    /// - Parameter rawValue: 1 through 255 visible ASCII characters.
    public init?(rawValue: String) {
        guard (1...255).contains(rawValue.utf8.count), rawValue.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.rawValue = rawValue
    }

    /// Forms the topic of a push type from an app's bundle id.
    ///
    /// The result is `nil` when it cannot stand in a header.
    ///
    /// - Parameters:
    ///   - bundleID: The app's bundle id without any suffix.
    ///   - pushType: Decides the suffix.
    public init?(bundleID: String, for pushType: APNsPushType) {
        self.init(rawValue: bundleID + pushType.topicSuffix)
    }

    /// Forms the topic of a push type from an app's bundle id.
    ///
    /// - Parameters:
    ///   - bundleID: The app's bundle id.
    ///   - pushType: Decides the suffix; see ``APNsPushType/topicSuffix``.
    public init(_ bundleID: BundleID, for pushType: APNsPushType) {
        // Both parts are visible ASCII, and no suffix has more than 23 characters.
        rawValue = bundleID.rawValue + pushType.topicSuffix
    }
}
