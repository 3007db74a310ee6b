public import CarillonModel

/// An App.
public struct App: Hashable, Sendable, Codable {
    /// How a Device claims a User.
    public enum Identity: String, Hashable, Sendable, Codable, CaseIterable {
        /// With a proof of the customer's back end.
        case signed
        /// Without a proof.
        case open
    }

    /// The vendor payload format that the App's phones understand, beside Carillon's own.
    public enum Dialect: String, Hashable, Sendable, Codable, CaseIterable {
        /// Only Carillon's own.
        case carillon
        /// TOAST Push's.
        case toast
        /// CORE PUSH's.
        case corepush
    }

    /// Which Devices the rules for ads cover: no ads without consent, and none at night without consent to those.
    public enum AdRule: String, Hashable, Sendable, Codable, CaseIterable {
        /// Every phone.
        case everyone
        /// Phones whose language is Korean, as TOAST Push has it; for all others consent to notifications is enough.
        case korean
    }

    /// How many of a User's Devices may have a device token, and how many a VoIP token.
    public enum TokensPerUser: String, Hashable, Sendable, Codable, CaseIterable {
        /// The one that registered last.
        case one
        /// As many as there are.
        case many
    }

    /// For how many days after its Device's last registration a token is valid.
    public static let tokenLifetimes = 1...730
    /// A year.
    public static let standardTokenLifetime = 365

    /// Its id.
    public var id: AppID
    /// The owner's name for it.
    public var name: String
    /// The bundle id, which is the topic at Apple.
    public var bundleID: String
    /// How its Devices claim a User.
    public var identity: Identity
    /// Whether Campaigns may address Users by name or include their data although the identity is `open`.
    public var personalMessages: Bool
    /// The vendor payload format that its phones understand.
    public var dialect: Dialect
    /// Which Devices the rules for ads cover.
    public var adRule: AdRule
    /// How many of a User's Devices may have a token.
    public var tokensPerUser: TokensPerUser
    /// For how many days after its last registration a Device is sent to, 1 through 730.
    public var tokenLifetimeDays: Int
    /// When its phones get no notifications.
    public var sendingRules: SendingRules
    /// What is asked before a Campaign is sent.
    public var sendGuards: SendGuards
    /// Where ads for phones whose language is Korean are marked.
    public var adWordPosition: AdWording.Position
    /// Maximum payload in bytes, if less than Apple's: 256 through 4,096.
    public var payloadLimit: Int?
    /// Whether it has a push key.
    public var hasPushKey: Bool
    /// Whether that is the server's own, with which everything goes to the simulated APNs inside the server.
    public var usesSimulator = false
    /// Since when nothing of it is sent; missing unless its sending is paused.
    public var sendingPausedAt: Timestamp?
    /// The Operator or API key that paused it.
    public var sendingPausedBy: String?
    /// Keys that were replaced and are still valid, ordered by their end; missing when there are none.
    public var formerKeys: [FormerAppKey]?
    /// When it was created.
    public var createdAt: Timestamp

    /// The range of ``payloadLimit``: from the limit of iOS 7 to today's.
    public static let payloadLimits = 256...4_096

    /// Creates an App.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - request: The request.
    ///   - createdAt: When it was created.
    public init(id: AppID, request: AppRequest, createdAt: Timestamp) {
        self.id = id
        name = request.name
        bundleID = request.bundleID
        identity = request.identity
        personalMessages = request.personalMessages
        dialect = request.dialect
        adRule = request.adRule
        tokensPerUser = request.tokensPerUser
        tokenLifetimeDays = request.tokenLifetimeDays
        sendingRules = request.sendingRules
        sendGuards = request.sendGuards
        adWordPosition = request.adWordPosition
        payloadLimit = request.payloadLimit
        hasPushKey = false
        self.createdAt = createdAt
    }
}

/// The body of `POST /v1/apps`.
public struct AppRequest: Hashable, Sendable, Codable {
    /// 1 through 100 characters.
    public var name: String
    /// Letters, digits, hyphens and dots; 1 through 155 characters.
    public var bundleID: String
    /// How a Device claims a User; `signed` when missing.
    public var identity: App.Identity
    /// Whether Campaigns may address Users by name or include their data although the identity is `open`: anybody who
    /// knows a User's id can get those messages; `false` when missing.
    public var personalMessages = false
    /// The vendor payload format that its phones understand; `carillon` when missing.
    public var dialect: App.Dialect
    /// Which Devices the rules for ads cover; `everyone` when missing.
    public var adRule: App.AdRule
    /// How many of a User's Devices may have a token; `many` when missing.
    public var tokensPerUser: App.TokensPerUser = .many
    /// For how many days after its last registration a Device is sent to, 1 through 730; 365 when missing.
    public var tokenLifetimeDays = App.standardTokenLifetime
    /// When its phones get no notifications; never when missing.
    public var sendingRules = SendingRules()
    /// What is asked before a Campaign is sent.
    public var sendGuards = SendGuards()
    /// Where ads for phones whose language is Korean are marked; `title` when missing.
    public var adWordPosition: AdWording.Position
    /// Maximum payload in bytes, 256 through 4,096; Apple's limits when missing.
    public var payloadLimit: Int?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - name: 1 through 100 characters.
    ///   - bundleID: The bundle id of the app.
    ///   - identity: How a Device claims a User.
    ///   - dialect: The vendor payload format that its phones understand.
    ///   - adRule: Which Devices the rules for ads cover.
    public init(
        name: String,
        bundleID: String,
        identity: App.Identity = .signed,
        dialect: App.Dialect = .carillon,
        adRule: App.AdRule = .everyone
    ) {
        self.name = name
        self.bundleID = bundleID
        self.identity = identity
        self.dialect = dialect
        self.adRule = adRule
        adWordPosition = .title
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, bundleID, identity, dialect, adRule, tokensPerUser, tokenLifetimeDays, sendingRules
        case adWordPosition, payloadLimit, personalMessages, sendGuards
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let name = try fields.text(.name, 1...100) else { throw fields.failure(.name, "is required") }
        let topic = "the app's bundle id in Xcode, such as com.example.app, is the topic of its pushes"
        guard let bundleID = try fields.text(.bundleID, 1...155) else {
            throw fields.failure(.bundleID, "is required: \(topic)")
        }
        guard bundleID.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }) else {
            throw fields.failure(.bundleID, "must be letters, digits, hyphens and dots: \(topic)")
        }
        guard !bundleID.hasSuffix(".voip"), !bundleID.hasSuffix(".push-type.liveactivity") else {
            throw fields.failure(.bundleID, "must be without the ending of a topic, which the server adds: \(topic)")
        }
        self.name = name
        self.bundleID = bundleID
        identity = try fields.optional(.identity) ?? .signed
        personalMessages = try fields.optional(.personalMessages) ?? false
        dialect = try fields.optional(.dialect) ?? .carillon
        adRule = try fields.optional(.adRule) ?? .everyone
        tokensPerUser = try fields.optional(.tokensPerUser) ?? .many
        tokenLifetimeDays =
            try fields.integer(.tokenLifetimeDays, App.tokenLifetimes) ?? App.standardTokenLifetime
        sendingRules = try fields.optional(.sendingRules) ?? SendingRules()
        sendGuards = try fields.optional(.sendGuards) ?? SendGuards()
        adWordPosition = try fields.optional(.adWordPosition) ?? .title
        payloadLimit = try fields.integer(.payloadLimit, App.payloadLimits)
    }
}

/// The body of `PATCH /v1/apps/{app}`: missing fields stay unchanged.
public struct AppUpdate: Hashable, Sendable, Codable {
    /// 1 through 100 characters.
    public var name: String?
    /// The vendor payload format that its phones understand.
    public var dialect: App.Dialect?
    /// Which Devices the rules for ads cover.
    public var adRule: App.AdRule?
    /// How many of a User's Devices may have a token; applies to later registrations.
    public var tokensPerUser: App.TokensPerUser?
    /// For how many days after its last registration a Device is sent to, 1 through 730.
    public var tokenLifetimeDays: Int?
    /// When its phones get no notifications; replaces all previous rules, `{}` for never.
    public var sendingRules: SendingRules?
    /// What is asked before a Campaign is sent; missing guards stay.
    public var sendGuards: SendGuardsUpdate?
    /// Where ads for phones whose language is Korean are marked.
    public var adWordPosition: AdWording.Position?
    /// Maximum payload in bytes: 256 through 4,096, which is Apple's own limit.
    public var payloadLimit: Int?
    /// Whether Campaigns may address Users by name or include their data although the identity is `open`.
    public var personalMessages: Bool?
    /// Only `signed`: each later claim of a User requires a proof; earlier claims stay.
    public var identity: App.Identity?

    /// Creates a change.
    ///
    /// - Parameters:
    ///   - name: 1 through 100 characters; `nil` leaves it.
    ///   - dialect: The vendor payload format that its phones understand; `nil` leaves it.
    ///   - adRule: Which Devices the rules for ads cover; `nil` leaves it.
    ///   - adWordPosition: Where ads are marked; `nil` leaves it.
    ///   - payloadLimit: Maximum payload in bytes, 256 through 4,096; `nil` leaves it.
    public init(
        name: String? = nil,
        dialect: App.Dialect? = nil,
        adRule: App.AdRule? = nil,
        adWordPosition: AdWording.Position? = nil,
        payloadLimit: Int? = nil
    ) {
        self.name = name
        self.dialect = dialect
        self.adRule = adRule
        self.adWordPosition = adWordPosition
        self.payloadLimit = payloadLimit
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, dialect, adRule, tokensPerUser, tokenLifetimeDays, sendingRules, adWordPosition, payloadLimit
        case identity, personalMessages, sendGuards
    }

    /// Decodes a change strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        name = try fields.text(.name, 1...100)
        dialect = try fields.optional(.dialect)
        adRule = try fields.optional(.adRule)
        tokensPerUser = try fields.optional(.tokensPerUser)
        tokenLifetimeDays = try fields.integer(.tokenLifetimeDays, App.tokenLifetimes)
        sendingRules = try fields.optional(.sendingRules)
        sendGuards = try fields.optional(.sendGuards)
        adWordPosition = try fields.optional(.adWordPosition)
        payloadLimit = try fields.integer(.payloadLimit, App.payloadLimits)
        personalMessages = try fields.optional(.personalMessages)
        identity = try fields.optional(.identity)
        if identity == .open {
            throw FieldError(field: "identity", problem: "must be signed: it cannot be changed back to open")
        }
    }
}

/// The secrets of a new App, returned only once.
public struct AppSecrets: Hashable, Sendable, Codable {
    /// The App.
    public var app: App
    /// The App key that the app carries; public.
    public var appKey: String
    /// The key with which the customer's back end signs user proofs.
    public var identitySecret: String

    /// Creates the answer.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - appKey: The App key that the app carries.
    ///   - identitySecret: The key with which the customer's back end signs user proofs.
    public init(app: App, appKey: String, identitySecret: String) {
        self.app = app
        self.appKey = appKey
        self.identitySecret = identitySecret
    }
}
