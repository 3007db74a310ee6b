/// Whom a Campaign would reach: the answer to `POST /v1/campaign-reach`.
///
/// ``matched`` less all of ``skipped`` is ``reach``.
public struct ReachEstimate: Hashable, Sendable, Codable {
    /// Devices with one reason.
    public struct Part: Hashable, Sendable, Codable {
        /// The reason, as deliveries have it: `NoToken`, `NoConsent`.
        public var reason: String
        /// The Devices.
        public var devices: Int

        /// Creates a part.
        ///
        /// - Parameters:
        ///   - reason: The reason.
        ///   - devices: The Devices.
        public init(reason: String, devices: Int) {
            self.reason = reason
            self.devices = devices
        }
    }

    /// True when all Devices were counted, false when a sample was.
    public var isExact: Bool
    /// Devices that the audience matches, with or without a token.
    public var matched: Int
    /// Devices that get nothing, by the first rule that keeps it from them, in the order of the rules.
    public var skipped: [Part]
    /// Devices of ``reach`` that get it later: after a night, or after quiet hours.
    public var deferred: [Part]
    /// Devices that get it.
    public var reach: Int
    /// The Users of these Devices.
    public var users: Int
    /// The reach by language, such as `ja`; the empty string for none.
    public var languages: [String: Int]
    /// The reach by time zone; the empty string for none.
    public var zones: [String: Int]

    /// Creates an estimate of nobody.
    public init() {
        isExact = true
        matched = 0
        skipped = []
        deferred = []
        reach = 0
        users = 0
        languages = [:]
        zones = [:]
    }

    /// How many Devices one reason skips.
    ///
    /// - Parameter reason: The reason.
    /// - Returns: The Devices; 0 without any.
    public func skipped(_ reason: String) -> Int { skipped.first { $0.reason == reason }?.devices ?? 0 }
}
