public import CarillonModel

/// An App as the API shows it.
public struct App: Hashable, Sendable, Codable {
    /// How a Device may claim a User.
    public enum Identity: String, Hashable, Sendable, Codable, CaseIterable {
        /// By a proof that the customer's back end makes.
        case signed
        /// By saying so.
        case open
    }

    /// Which words the App's phones understand in a payload, beside Carillon's own.
    public enum Dialect: String, Hashable, Sendable, Codable, CaseIterable {
        /// Carillon's own alone.
        case carillon
        /// TOAST Push's.
        case toast
        /// CORE PUSH's.
        case corepush
    }

    /// Whom the rules for ads cover: who gets no ad without consent, and none at night without consent to that.
    public enum AdRule: String, Hashable, Sendable, Codable, CaseIterable {
        /// Every phone.
        case everyone
        /// Phones whose language is Korean, as TOAST Push has it; to all others consent to notifications is enough.
        case korean
    }

    /// How many of a User's Devices may have a token for notifications, and how many one for calls.
    public enum TokensPerUser: String, Hashable, Sendable, Codable, CaseIterable {
        /// The one that registered last.
        case one
        /// As many as there are.
        case many
    }

    /// For how many days a token may be sent to after its Device registered last.
    public static let tokenLifetimes = 1...730
    /// A year.
    public static let standardTokenLifetime = 365

    /// Its id.
    public var id: AppID
    /// What its owner calls it.
    public var name: String
    /// The bundle id, which is the topic at Apple.
    public var bundleID: String
    /// How its Devices claim a User.
    public var identity: Identity
    /// Whether Campaigns may go to Users by name or show what is known of them although the identity is `open`.
    public var personalMessages: Bool
    /// Which words its phones understand in a payload.
    public var dialect: Dialect
    /// Whom the rules for ads cover.
    public var adRule: AdRule
    /// How many of a User's Devices may have a token.
    public var tokensPerUser: TokensPerUser
    /// For how many days a Device is sent to after it registered last, 1 through 730.
    public var tokenLifetimeDays: Int
    /// When its phones are left alone.
    public var sendingRules: SendingRules
    /// Where ads say that they are ads, to phones whose language is Korean.
    public var adWordPosition: AdWording.Position
    /// The most bytes of a payload, if it is fewer than Apple's: 256 through 4,096.
    public var payloadLimit: Int?
    /// Whether there is a key to send with.
    public var hasPushKey: Bool
    /// Keys that were replaced and are still taken, the first end first; missing when there are none.
    public var formerKeys: [FormerAppKey]?
    /// When it was made.
    public var createdAt: Timestamp

    /// What ``payloadLimit`` may be: from what iOS 7 took to what iOS takes.
    public static let payloadLimits = 256...4_096

    /// Makes an App.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - request: What was asked for.
    ///   - createdAt: When it was made.
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
    /// How a Device may claim a User; missing: `signed`.
    public var identity: App.Identity
    /// Whether Campaigns may go to Users by name or show what is known of them although the identity is `open`: anybody
    /// who knows a User's id can get those messages; missing: `false`.
    public var personalMessages = false
    /// Which words its phones understand in a payload; missing: `carillon`.
    public var dialect: App.Dialect
    /// Whom the rules for ads cover; missing: `everyone`.
    public var adRule: App.AdRule
    /// How many of a User's Devices may have a token; missing: `many`.
    public var tokensPerUser: App.TokensPerUser = .many
    /// For how many days a Device is sent to after it registered last, 1 through 730; missing: 365.
    public var tokenLifetimeDays = App.standardTokenLifetime
    /// When its phones are left alone; missing: never.
    public var sendingRules = SendingRules()
    /// Where ads say that they are ads, to phones whose language is Korean; missing: `title`.
    public var adWordPosition: AdWording.Position
    /// The most bytes of a payload, 256 through 4,096; missing: Apple's limits.
    public var payloadLimit: Int?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - name: 1 through 100 characters.
    ///   - bundleID: The bundle id of the app.
    ///   - identity: How a Device may claim a User.
    ///   - dialect: Which words its phones understand in a payload.
    ///   - adRule: Whom the rules for ads cover.
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
        case adWordPosition, payloadLimit, personalMessages
    }

    /// Reads a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let name = try fields.text(.name, 1...100) else { throw fields.failure(.name, "is required") }
        guard let bundleID = try fields.text(.bundleID, 1...155) else { throw fields.failure(.bundleID, "is required") }
        guard bundleID.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }) else {
            throw fields.failure(.bundleID, "must be letters, digits, hyphens and dots")
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
        adWordPosition = try fields.optional(.adWordPosition) ?? .title
        payloadLimit = try fields.integer(.payloadLimit, App.payloadLimits)
    }
}

/// The body of `PATCH /v1/apps/{app}`: what is missing stays as it is.
public struct AppUpdate: Hashable, Sendable, Codable {
    /// 1 through 100 characters.
    public var name: String?
    /// Which words its phones understand in a payload.
    public var dialect: App.Dialect?
    /// Whom the rules for ads cover.
    public var adRule: App.AdRule?
    /// How many of a User's Devices may have a token; it rules registrations from then on.
    public var tokensPerUser: App.TokensPerUser?
    /// For how many days a Device is sent to after it registered last, 1 through 730.
    public var tokenLifetimeDays: Int?
    /// When its phones are left alone, in the place of all such rules before; `{}` for never.
    public var sendingRules: SendingRules?
    /// Where ads say that they are ads, to phones whose language is Korean.
    public var adWordPosition: AdWording.Position?
    /// The most bytes of a payload: 256 through 4,096, which is Apple's own limit.
    public var payloadLimit: Int?
    /// Whether Campaigns may go to Users by name or show what is known of them although the identity is `open`.
    public var personalMessages: Bool?
    /// `signed` alone: from then on a Device that claims a User needs a proof, and claims of before stay.
    public var identity: App.Identity?

    /// Makes a change.
    ///
    /// - Parameters:
    ///   - name: 1 through 100 characters; `nil` leaves it.
    ///   - dialect: Which words its phones understand in a payload; `nil` leaves it.
    ///   - adRule: Whom the rules for ads cover; `nil` leaves it.
    ///   - adWordPosition: Where ads say that they are ads; `nil` leaves it.
    ///   - payloadLimit: The most bytes of a payload, 256 through 4,096; `nil` leaves it.
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
        case identity, personalMessages
    }

    /// Reads a change strictly.
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
        adWordPosition = try fields.optional(.adWordPosition)
        payloadLimit = try fields.integer(.payloadLimit, App.payloadLimits)
        personalMessages = try fields.optional(.personalMessages)
        identity = try fields.optional(.identity)
        if identity == .open {
            throw FieldError(field: "identity", problem: "must be signed: there is no way back to open")
        }
    }
}

/// The secrets of an App, shown once: when it is made.
public struct AppSecrets: Hashable, Sendable, Codable {
    /// The App.
    public var app: App
    /// What the app carries; public.
    public var appKey: String
    /// What the customer's back end signs user proofs with.
    public var identitySecret: String

    /// Makes the answer.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - appKey: What the app carries.
    ///   - identitySecret: What the customer's back end signs user proofs with.
    public init(app: App, appKey: String, identitySecret: String) {
        self.app = app
        self.appKey = appKey
        self.identitySecret = identitySecret
    }
}
