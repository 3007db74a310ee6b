public import CarillonModel

/// Names a Campaign: what an operator plans, with message, audience and time.
public struct CampaignID: TimeOrderedID {
    /// What the text form begins with: `cmp`.
    public static let prefix = "cmp"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number that is known to be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Names an API key without showing it.
public struct APIKeyID: TimeOrderedID {
    /// What the text form begins with: `key`.
    public static let prefix = "key"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number that is known to be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Names a statistics key: what figures of several Campaigns are gathered under.
public struct StatisticsID: TimeOrderedID {
    /// What the text form begins with: `sta`.
    public static let prefix = "sta"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number that is known to be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Names a saved Audience.
public struct AudienceID: TimeOrderedID {
    /// What the text form begins with: `aud`.
    public static let prefix = "aud"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number that is known to be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}
