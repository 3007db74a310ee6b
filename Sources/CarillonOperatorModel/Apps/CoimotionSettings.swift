import CarillonModel

/// What an App that has COIMOTION's API on says about it.
public struct CoimotionSettings: Hashable, Sendable, Codable {
    /// The content sets behind the vendor's repositories; a repository without one is refused.
    public struct ContentSets: Hashable, Sendable, Codable {
        /// A content set with the table `events`, as the preset `culture` has it.
        public var twShow: String?
        /// A content set with the tables `stops` and `routes`, as the preset `transit` has them.
        public var twCtBus: String?
        /// A content set with the tables `page` and `geoLoc`, to whose rows files are attached.
        public var cms: String?

        /// Creates a mapping.
        ///
        /// - Parameters:
        ///   - twShow: The name of a content set; `nil` for none.
        ///   - twCtBus: The name of a content set; `nil` for none.
        ///   - cms: The name of a content set; `nil` for none.
        public init(twShow: String? = nil, twCtBus: String? = nil, cms: String? = nil) {
            self.twShow = twShow
            self.twCtBus = twCtBus
            self.cms = cms
        }

        /// Whether a content set is one of these.
        public func contains(_ name: String) -> Bool { [twShow, twCtBus, cms].contains(name) }

        enum CodingKeys: String, CodingKey, CaseIterable {
            case twShow, twCtBus, cms
        }

        /// Decodes a mapping strictly.
        ///
        /// - Throws: ``FieldError`` or `DecodingError` naming the field.
        public init(from decoder: any Decoder) throws {
            let fields = try Fields<CodingKeys>(decoder)
            twShow = try fields.text(.twShow, CoimotionSettings.setNameLengths)
            twCtBus = try fields.text(.twCtBus, CoimotionSettings.setNameLengths)
            cms = try fields.text(.cms, CoimotionSettings.setNameLengths)
        }
    }

    /// Range of an app code's length in characters.
    public static let codeLengths = 6...63
    /// Range of a guest's name in characters.
    public static let guestNameLengths = 1...64
    /// Range of the radius around a place, in metres.
    public static let radii = 1...200_000
    /// Range of the number of stops of an answer.
    public static let stopLimits = 1...200
    static let setNameLengths = 1...64
    /// Names that the server's own paths and the vendor's repositories begin with, in lower case.
    public static let reservedCodes: Set<String> = [
        "health", "metrics", "corepush", "coimotion", "accounts", "twshow", "twctbus", "twcvstore", "twmarathon",
        "twtrain", "twbook", "twvista", "iticket", "openapi", "static", "assets", "console", "carillon",
    ]

    /// The app code: 6 through 63 letters and digits, unique in the server without regard to case.
    ///
    /// It is the first label of the host or the first segment of the path.
    public var code: String
    /// Which content sets the App's calls may read.
    public var contentSets: ContentSets
    /// The `dspName` of who is not signed in: `guest`, unless an old app looks for `Guest`.
    public var guestName: String
    /// How far a bus stop may be from the place that is asked for, in metres, when the call does not say it: 500.
    public var stopRadius: Int
    /// How many bus stops an answer has at most: 50.
    public var stopLimit: Int

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - code: The app code.
    ///   - contentSets: Which content sets the App's calls may read.
    ///   - guestName: The `dspName` of who is not signed in.
    ///   - stopRadius: How far a bus stop may be, in metres.
    ///   - stopLimit: How many bus stops an answer has at most.
    public init(
        code: String,
        contentSets: ContentSets = ContentSets(),
        guestName: String = "guest",
        stopRadius: Int = 500,
        stopLimit: Int = 50
    ) {
        self.code = code
        self.contentSets = contentSets
        self.guestName = guestName
        self.stopRadius = stopRadius
        self.stopLimit = stopLimit
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case code, contentSets, guestName, stopRadius, stopLimit
    }

    /// Decodes settings strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let code = try fields.text(.code, Self.codeLengths) else { throw fields.failure(.code, "is required") }
        guard code.utf8.allSatisfy(\.isLetterOrDigit) else {
            throw fields.failure(.code, "must be letters and digits")
        }
        guard !Self.reservedCodes.contains(code.lowercased()) else {
            throw fields.failure(.code, "must not be a name that the server's paths begin with")
        }
        self.init(code: code)
        contentSets = try fields.optional(.contentSets) ?? contentSets
        guestName = try fields.text(.guestName, Self.guestNameLengths) ?? guestName
        stopRadius = try fields.integer(.stopRadius, Self.radii) ?? stopRadius
        stopLimit = try fields.integer(.stopLimit, Self.stopLimits) ?? stopLimit
    }
}

extension UInt8 {
    var isLetterOrDigit: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
