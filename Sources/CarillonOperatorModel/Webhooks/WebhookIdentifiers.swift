public import CarillonModel

/// Names a webhook: an address of a customer's back end that is told what happens.
public struct WebhookID: TimeOrderedID {
    /// What the text form begins with: `whk`.
    public static let prefix = "whk"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number that is known to be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Names a message to a webhook; the same for every attempt.
public struct WebhookMessageID: TimeOrderedID {
    /// What the text form begins with: `msg`.
    public static let prefix = "msg"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number that is known to be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}
