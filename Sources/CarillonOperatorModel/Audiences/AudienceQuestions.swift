public import CarillonModel

/// The body of `POST /v1/audiences/parse`.
public struct AudienceParseRequest: Hashable, Sendable, Decodable {
    /// The App whose tags and Campaigns the names are looked for among; may be missing when the API key belongs to one.
    public var app: AppID?
    /// The rule, or where its text is wrong.
    public var rule: Result<AudienceRule, AudienceTextError>

    enum CodingKeys: String, CodingKey, CaseIterable {
        case app, rule
    }

    /// Reads a request strictly; only what is wrong with the rule's text is not thrown.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        app = try fields.optional(.app)
        if let text = try? fields.required(.rule, as: String.self) {
            rule = Result { () throws(AudienceTextError) in try AudienceRule(text: text) }
        } else {
            rule = .success(try fields.required(.rule))
        }
    }
}

/// The answer to `POST /v1/audiences/parse`.
public struct AudienceParseAnswer: Hashable, Sendable, Codable {
    /// The rule as text, in its usual form; missing when it is wrong.
    public var text: String?
    /// The rule as JSON; missing when it is wrong.
    public var tree: AudienceRule?
    /// Where its text is wrong first; missing when it is right.
    public var error: AudienceTextError?
    /// Tags and Campaigns that it names and the App does not have, as `tag:ZZPP00b6`; they match nobody.
    public var unknown: [String]

    /// Makes an answer about a rule.
    ///
    /// - Parameters:
    ///   - rule: The rule, or where its text is wrong.
    ///   - unknown: What it names and the App does not have.
    public init(_ rule: Result<AudienceRule, AudienceTextError>, unknown: [String]) {
        self.unknown = unknown
        switch rule {
        case .success(let rule): (text, tree) = (rule.text, rule)
        case .failure(let error): self.error = error
        }
    }
}

/// The body of `POST /v1/audiences/estimate`.
public struct AudienceEstimateRequest: Hashable, Sendable, Codable {
    /// The App; may be missing when the API key belongs to one.
    public var app: AppID?
    /// Whom to count.
    public var audience: Audience

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - app: The App; may be missing when the API key belongs to one.
    ///   - audience: Whom to count.
    public init(app: AppID? = nil, audience: Audience) {
        self.app = app
        self.audience = audience
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case app, audience
    }

    /// Reads a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        app = try fields.optional(.app)
        audience = try fields.required(.audience)
    }
}

/// How many Devices an Audience has at the moment: the answer to `POST /v1/audiences/estimate`.
public struct AudienceEstimate: Hashable, Sendable, Codable {
    /// How many of the Devices something would reach, by token and consent.
    public struct Reach: Hashable, Sendable, Codable {
        /// A notification that is no ad.
        public var notifications: Int
        /// An ad by day.
        public var ads: Int
        /// An ad at night.
        public var nightAds: Int
        /// A call.
        public var voip: Int

        /// Makes a reach.
        ///
        /// - Parameters:
        ///   - notifications: A notification that is no ad.
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

    /// True when all of the Audience was counted, false when a sample of it was.
    public var isExact: Bool
    /// The Devices that match, with a token or without.
    public var devices: Int
    /// How far ``devices`` may be off, in 95 of 100 cases; 0 when exact.
    public var margin: Int
    /// How many of them something would reach.
    public var reach: Reach
    /// The Devices by language, as `ja`; the 50 most frequent.
    public var languages: [String: Int]

    /// Makes an estimate.
    ///
    /// - Parameters:
    ///   - isExact: Whether all of the Audience was counted.
    ///   - devices: The Devices that match.
    ///   - margin: How far that may be off.
    ///   - reach: How many of them something would reach.
    ///   - languages: The Devices by language.
    public init(isExact: Bool, devices: Int, margin: Int, reach: Reach, languages: [String: Int]) {
        self.isExact = isExact
        self.devices = devices
        self.margin = margin
        self.reach = reach
        self.languages = languages
    }
}
