public import CarillonModel

/// Identifies a Campaign: what an operator plans, with message, audience and time.
public struct CampaignID: TimeOrderedID {
    /// The prefix of the text form: `cmp`.
    public static let prefix = "cmp"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Identifies an API key without revealing it.
public struct APIKeyID: TimeOrderedID {
    /// The prefix of the text form: `key`.
    public static let prefix = "key"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Identifies a statistics key, under which counts of several Campaigns are gathered.
public struct StatisticsID: TimeOrderedID {
    /// The prefix of the text form: `sta`.
    public static let prefix = "sta"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Identifies a saved Audience.
public struct AudienceID: TimeOrderedID {
    /// The prefix of the text form: `aud`.
    public static let prefix = "aud"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}
