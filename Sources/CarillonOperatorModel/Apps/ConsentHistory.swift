public import CarillonModel

/// A consent decision of the person at a Device: a row of `GET /v1/devices/{device}/consents`.
public struct ConsentChange: Hashable, Sendable, Codable {
    /// Where the decision came from.
    public enum Source: String, Hashable, Sendable, Codable, CaseIterable {
        /// The Device's first registration.
        case registration
        /// A later change in the app.
        case app
        /// An imported file.
        case `import`
    }

    /// The time, by the server's clock.
    public var at: Timestamp
    /// Where the decision came from.
    public var source: Source
    /// The consent before; missing for the first decision.
    public var old: Consent?
    /// The consent after.
    public var new: Consent

    /// Creates a decision.
    ///
    /// - Parameters:
    ///   - at: The time.
    ///   - source: Where the decision came from.
    ///   - old: The consent before; `nil` for the first decision.
    ///   - new: The consent after.
    public init(at: Timestamp, source: Source, old: Consent?, new: Consent) {
        self.at = at
        self.source = source
        self.old = old
        self.new = new
    }
}

/// The answer to `GET /v1/devices/{device}/consents`.
public struct ConsentHistory: Hashable, Sendable, Codable {
    /// The Device.
    public var device: DeviceID
    /// The current consent.
    public var consent: Consent
    /// Since when.
    public var since: ConsentTimes
    /// All decisions under the Device's current User, newest first, at most 1,000.
    public var changes: [ConsentChange]

    /// Creates a history.
    ///
    /// - Parameters:
    ///   - device: The Device.
    ///   - consent: The current consent.
    ///   - since: Since when.
    ///   - changes: All decisions, newest first.
    public init(device: DeviceID, consent: Consent, since: ConsentTimes, changes: [ConsentChange]) {
        self.device = device
        self.consent = consent
        self.since = since
        self.changes = changes
    }
}

/// A Device whose consent to ads is old: a row of `GET /v1/consents/ads`.
public struct OldConsent: Hashable, Sendable, Codable {
    /// The Device.
    public var device: DeviceID
    /// Its User.
    public var user: UserID?
    /// The phone's language.
    public var language: String?
    /// Since when the person consents to ads.
    public var since: Timestamp

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - device: The Device.
    ///   - user: Its User.
    ///   - language: The phone's language.
    ///   - since: Since when the person consents to ads.
    public init(device: DeviceID, user: UserID?, language: String?, since: Timestamp) {
        self.device = device
        self.user = user
        self.language = language
        self.since = since
    }
}
