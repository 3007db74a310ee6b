import CarillonModel

/// A daily period without notifications, in each Device's own time zone.
///
/// Does not apply to calls, silent messages and transactional Campaigns.
public struct QuietHours: Hashable, Sendable, Codable {
    /// When it begins.
    public var from: TimeOfDay
    /// When it ends; the next day when it is not after ``from``.
    public var until: TimeOfDay
    /// What happens to a notification in that period; `skip` when missing.
    public var policy: DelayPolicy
    /// The IANA time zone of Devices that report none; `UTC` when missing.
    public var zone: String

    /// Creates quiet hours.
    ///
    /// - Parameters:
    ///   - from: When they begin.
    ///   - until: When they end.
    ///   - policy: What happens to a notification in that period.
    ///   - zone: The IANA time zone of Devices that report none.
    public init(from: TimeOfDay, until: TimeOfDay, policy: DelayPolicy = .skip, zone: String = "UTC") {
        self.from = from
        self.until = until
        self.policy = policy
        self.zone = zone
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case from, until, policy, zone
    }

    /// Decodes quiet hours strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        from = try fields.required(.from)
        until = try fields.required(.until)
        policy = try fields.optional(.policy) ?? .skip
        zone = try fields.text(.zone, 1...64) ?? "UTC"
        guard from != until else { throw fields.failure(.until, "must differ from from") }
    }
}

/// The maximum number of notifications for a phone in a period; more are skipped.
///
/// Calls, silent messages and transactional Campaigns are neither limited nor counted.
public struct FrequencyCap: Hashable, Sendable, Codable {
    /// Which notifications are counted together.
    public enum Subject: String, Hashable, Sendable, Codable, CaseIterable {
        /// Those of one Device.
        case device
        /// Those of all Devices of a User, an Occurrence once; a Device without a User is counted separately.
        case user
    }

    /// The maximum number, 1 through 1,000.
    public var limit: Int
    /// The preceding period in seconds, 60 through 2,592,000 (thirty days).
    public var period: Int
    /// Which are counted together; `device` when missing.
    public var per: Subject
    /// Whether only ads are counted and limited; false when missing.
    public var adsOnly: Bool

    /// Maximum number of caps of an App.
    public static let maximumCount = 4

    /// Creates a cap.
    ///
    /// - Parameters:
    ///   - limit: The maximum number, 1 through 1,000.
    ///   - period: The period in seconds, 60 through 2,592,000.
    ///   - per: Which are counted together.
    ///   - adsOnly: Whether only ads are counted and limited.
    public init(limit: Int, period: Int, per: Subject = .device, adsOnly: Bool = false) {
        self.limit = limit
        self.period = period
        self.per = per
        self.adsOnly = adsOnly
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case limit, period, per, adsOnly
    }

    /// Decodes a cap strictly.
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

/// When, and how often, an App leaves phones alone.
public struct SendingRules: Hashable, Sendable, Codable {
    /// The quiet hours; none when missing.
    public var quietHours: QuietHours?
    /// The frequency caps; empty for none.
    public var frequencyCaps: [FrequencyCap]
    /// For how many minutes the same message is not sent again to the same token, 1 through 60; no limit when missing.
    ///
    /// Messages are the same when kind (ad or not), content in all languages, and the wording of an ad are equal.
    public var duplicateGuard: Int?
    /// The percentage of Users that get no Campaigns, for comparison, 1 through 50; none when missing.
    ///
    /// Always the same Users, on all their Devices. Does not apply to calls, silent messages, transactional Campaigns
    /// and test sends.
    public var controlGroup: Int?

    /// Creates rules without restrictions.
    public init() { frequencyCaps = [] }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case quietHours, frequencyCaps, duplicateGuard, controlGroup
    }

    /// Decodes rules strictly.
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
