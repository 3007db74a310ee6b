import CarillonModel

/// A part of every day in which an App's phones are left alone, by the clock of each Device's own time zone.
///
/// Calls, silent messages and transactional Campaigns are not asked.
public struct QuietHours: Hashable, Sendable, Codable {
    /// When it begins.
    public var from: TimeOfDay
    /// When it ends; the next day when it is not after ``from``.
    public var to: TimeOfDay
    /// What becomes of a notification in between; missing: `skip`.
    public var policy: DelayPolicy
    /// The IANA time zone of Devices that name none; missing: `UTC`.
    public var zone: String

    /// Makes quiet hours.
    ///
    /// - Parameters:
    ///   - from: When they begin.
    ///   - to: When they end.
    ///   - policy: What becomes of a notification in between.
    ///   - zone: The IANA time zone of Devices that name none.
    public init(from: TimeOfDay, to: TimeOfDay, policy: DelayPolicy = .skip, zone: String = "UTC") {
        self.from = from
        self.to = to
        self.policy = policy
        self.zone = zone
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case from, to, policy, zone
    }

    /// Reads quiet hours strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        from = try fields.required(.from)
        to = try fields.required(.to)
        policy = try fields.optional(.policy) ?? .skip
        zone = try fields.text(.zone, 1...64) ?? "UTC"
        guard from != to else { throw fields.failure(.to, "must differ from from") }
    }
}

/// How many notifications an App's phones get in some time; what would be more is skipped.
///
/// Calls, silent messages and transactional Campaigns neither ask nor count.
public struct FrequencyCap: Hashable, Sendable, Codable {
    /// Whose notifications are counted together.
    public enum Subject: String, Hashable, Sendable, Codable, CaseIterable {
        /// Those of one Device.
        case device
        /// Those of all Devices of a User, a Campaign's firing once; a Device without a User is on its own.
        case user
    }

    /// How many, 1 through 1,000.
    public var limit: Int
    /// In how many seconds before the one in question, 60 through 2,592,000 (thirty days).
    public var period: Int
    /// Whose are counted together; missing: `device`.
    public var per: Subject
    /// Whether only ads count and are held back; missing: false.
    public var adsOnly: Bool

    /// The most caps of an App.
    public static let maximumCount = 4

    /// Makes a cap.
    ///
    /// - Parameters:
    ///   - limit: How many, 1 through 1,000.
    ///   - period: In how many seconds, 60 through 2,592,000.
    ///   - per: Whose are counted together.
    ///   - adsOnly: Whether only ads count and are held back.
    public init(limit: Int, period: Int, per: Subject = .device, adsOnly: Bool = false) {
        self.limit = limit
        self.period = period
        self.per = per
        self.adsOnly = adsOnly
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case limit, period, per, adsOnly
    }

    /// Reads a cap strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let limit = try fields.integer(.limit, 1...1_000) else { throw fields.failure(.limit, "is required") }
        guard let period = try fields.integer(.period, 60...2_592_000) else {
            throw fields.failure(.period, "is required")
        }
        self.limit = limit
        self.period = period
        per = try fields.optional(.per) ?? .device
        adsOnly = try fields.optional(.adsOnly) ?? false
    }
}

/// An App's rules of when its phones are left alone.
public struct SendingRules: Hashable, Sendable, Codable {
    /// When; missing: never.
    public var quietHours: QuietHours?
    /// How many notifications they get; empty: any number.
    public var frequencyCaps: [FrequencyCap]
    /// For how many minutes the same is not sent again to the same token, 1 through 60; missing: it is.
    ///
    /// The same is: the kind (ad or not), the content in all languages, and the wording of an ad.
    public var duplicateGuard: Int?
    /// How many of a hundred Users get no Campaigns, to compare all others with, 1 through 50; missing: none.
    ///
    /// Always the same ones, on all their Devices. Calls, silent messages, transactional Campaigns and test sends go to
    /// them as well.
    public var controlGroup: Int?

    /// Makes rules that ask for nothing.
    public init() { frequencyCaps = [] }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case quietHours, frequencyCaps, duplicateGuard, controlGroup
    }

    /// Reads rules strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        quietHours = try fields.optional(.quietHours)
        frequencyCaps = try fields.optional(.frequencyCaps) ?? []
        duplicateGuard = try fields.integer(.duplicateGuard, 1...60)
        controlGroup = try fields.integer(.controlGroup, 1...50)
        guard frequencyCaps.count <= FrequencyCap.maximumCount else {
            throw fields.failure(.frequencyCaps, "must list at most \(FrequencyCap.maximumCount)")
        }
    }
}
