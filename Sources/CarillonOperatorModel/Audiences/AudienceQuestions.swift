import CarillonModel

/// The body of `POST /v1/audience-parse`.
public struct AudienceParseRequest: Hashable, Sendable, Decodable {
    /// The rule, or the error in its text.
    public var rule: Result<AudienceRule, AudienceTextError>

    enum CodingKeys: String, CodingKey, CaseIterable {
        case rule
    }

    /// Decodes a request strictly; only errors in the rule's text are not thrown.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        if let text = try? fields.required(.rule, as: String.self) {
            rule = Result { () throws(AudienceTextError) in try AudienceRule(text: text) }
        } else {
            rule = .success(try fields.required(.rule))
        }
    }
}

/// The answer to `POST /v1/audience-parse`.
public struct AudienceParseAnswer: Hashable, Sendable, Codable {
    /// The rule as text, in canonical form; missing when it is invalid.
    public var text: String?
    /// The rule as JSON; missing when it is invalid.
    public var tree: AudienceRule?
    /// The first error in its text; missing when it is valid.
    public var error: AudienceTextError?
    /// Tags and Campaigns in the rule that the App does not have, such as `tag:ZZPP00b6`; they match no Device.
    public var unknown: [String]

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - rule: The rule, or the error in its text.
    ///   - unknown: Names in the rule that the App does not have.
    public init(_ rule: Result<AudienceRule, AudienceTextError>, unknown: [String]) {
        self.unknown = unknown
        switch rule {
        case .success(let rule): (text, tree) = (rule.text, rule)
        case .failure(let error): self.error = error
        }
    }
}

/// The body of `POST /v1/audience-estimate`.
public struct AudienceEstimateRequest: Hashable, Sendable, Codable {
    /// The audience.
    public var audience: Audience

    /// Creates a request.
    ///
    /// - Parameter audience: The audience.
    public init(audience: Audience) {
        self.audience = audience
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case audience
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        audience = try fields.required(.audience)
    }
}

/// The current number of Devices in an audience: the answer to `POST /v1/audience-estimate`.
public struct AudienceEstimate: Hashable, Sendable, Codable {
    /// Number of Devices that a message would reach, by token and consent.
    public struct Reach: Hashable, Sendable, Codable {
        /// A notification that is not an ad.
        public var notifications: Int
        /// An ad by day.
        public var ads: Int
        /// An ad at night.
        public var nightAds: Int
        /// A call.
        public var voip: Int

        /// Creates a reach.
        ///
        /// - Parameters:
        ///   - notifications: A notification that is not an ad.
        ///   - ads: An ad by day.
        ///   - nightAds: An ad at night.
        ///   - voip: A call.
        public init(notifications: Int, ads: Int, nightAds: Int, voip: Int) {
            self.notifications = notifications
            self.ads = ads
            self.nightAds = nightAds
            self.voip = voip
        }
    }

    /// True when the whole audience was counted, false when a sample was.
    public var isExact: Bool
    /// The matching Devices, with or without a token.
    public var devices: Int
    /// The margin of error of ``devices``, at 95 % confidence; 0 when exact.
    public var margin: Int
    /// Number of Devices that a message would reach.
    public var reach: Reach
    /// The Devices by language, such as `ja`; the 50 most frequent.
    public var languages: [String: Int]

    /// Creates an estimate.
    ///
    /// - Parameters:
    ///   - isExact: Whether the whole audience was counted.
    ///   - devices: The matching Devices.
    ///   - margin: The margin of error.
    ///   - reach: Number of Devices that a message would reach.
    ///   - languages: The Devices by language.
    public init(isExact: Bool, devices: Int, margin: Int, reach: Reach, languages: [String: Int]) {
        self.isExact = isExact
        self.devices = devices
        self.margin = margin
        self.reach = reach
        self.languages = languages
    }
}
