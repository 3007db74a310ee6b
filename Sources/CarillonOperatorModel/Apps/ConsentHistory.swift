public import CarillonModel

/// A decision of the person at a Device: a row of `GET /v1/devices/{device}/consents`.
public struct ConsentChange: Hashable, Sendable, Codable {
    /// Who told it.
    public enum Source: String, Hashable, Sendable, Codable, CaseIterable {
        /// The Device, when it registered for the first time.
        case registration
        /// The app on the Device, later.
        case app
        /// A file that was imported.
        case `import`
    }

    /// When, by the server's clock.
    public var at: Timestamp
    /// Who told it.
    public var source: Source
    /// What was agreed to before; missing for the first decision.
    public var old: Consent?
    /// What is agreed to since.
    public var new: Consent

    /// Makes a decision.
    ///
    /// - Parameters:
    ///   - at: When.
    ///   - source: Who told it.
    ///   - old: What was agreed to before; `nil` for the first decision.
    ///   - new: What is agreed to since.
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
    /// What is agreed to now.
    public var consent: Consent
    /// Since when.
    public var since: ConsentTimes
    /// All decisions since the Device has its User, the latest first, at most 1,000.
    public var changes: [ConsentChange]

    /// Makes a history.
    ///
    /// - Parameters:
    ///   - device: The Device.
    ///   - consent: What is agreed to now.
    ///   - since: Since when.
    ///   - changes: All decisions, the latest first.
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
    /// Since when the person agrees to ads.
    public var since: Timestamp

    /// Makes a row.
    ///
    /// - Parameters:
    ///   - device: The Device.
    ///   - user: Its User.
    ///   - language: The phone's language.
    ///   - since: Since when the person agrees to ads.
    public init(device: DeviceID, user: UserID?, language: String?, since: Timestamp) {
        self.device = device
        self.user = user
        self.language = language
        self.since = since
    }
}
