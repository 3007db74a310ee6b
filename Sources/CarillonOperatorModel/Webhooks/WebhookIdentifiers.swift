public import CarillonModel

/// Identifies a webhook.
public struct WebhookID: TimeOrderedID {
    /// The prefix of the text form: `whk`.
    public static let prefix = "whk"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Identifies a message to a webhook; the same for every attempt.
public struct WebhookMessageID: TimeOrderedID {
    /// The prefix of the text form: `msg`.
    public static let prefix = "msg"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}
