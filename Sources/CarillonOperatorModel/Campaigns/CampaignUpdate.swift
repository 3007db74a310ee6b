public import CarillonModel

/// The body of `PATCH /v1/campaigns/{campaign}`: what is missing stays as it is, what may be missing in a request is
/// taken away by null.
///
/// Times, pace and name may be changed until the Campaign is over; whom it is for and what it says only before its first
/// firing has begun.
public struct CampaignUpdate: Hashable, Sendable, Codable {
    /// What the operator calls it; 1 through 200 characters.
    public var name: String??
    /// Whom it is for; recipients that the Campaign had are gone then.
    public var audience: Audience?
    /// Users with what the message says to each alone, in place of ``audience``; 1 through 1,000, each once.
    public var recipients: [CampaignRecipient]?
    /// What it says.
    public var message: Message?
    /// Whether it is advertising.
    public var isAd: Bool?
    /// When it goes out, instead of a schedule; at most 60 days ahead, a past time means now.
    public var sendAt: Timestamp?
    /// When it goes out again and again, instead of ``sendAt``.
    public var schedule: Schedule?
    /// How its notifications are spread over time.
    public var pace: Pace??
    /// For how many seconds after its time it is worth something, 60 through 2,592,000.
    public var validFor: Int??
    /// What becomes of an ad to a Device at which it is night.
    public var nightPolicy: DelayPolicy?
    /// Whether quiet hours and frequency caps do not ask for it.
    public var isTransactional: Bool?

    /// Makes a change of nothing.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, audience, recipients, message, isAd, sendAt, schedule, pace, validFor, nightPolicy, isTransactional
    }

    /// Reads a change strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        if fields.contains(.name) { name = .some(try fields.text(.name, 1...200)) }
        recipients = try fields.recipients(.recipients)
        audience = try fields.audience(.audience, besides: recipients)
        message = try fields.optional(.message)
        isAd = try fields.optional(.isAd)
        sendAt = try fields.optional(.sendAt)
        schedule = try fields.optional(.schedule)
        if fields.contains(.pace) { pace = .some(try fields.optional(.pace)) }
        if fields.contains(.validFor) { validFor = .some(try fields.integer(.validFor, CampaignRequest.validity)) }
        nightPolicy = try fields.optional(.nightPolicy)
        isTransactional = try fields.optional(.isTransactional)
        guard sendAt == nil || schedule == nil else {
            throw fields.failure(.sendAt, "must be missing: there is a schedule")
        }
    }

    /// Whether it says who gets what: that may not change once somebody may have got it.
    package var changesContent: Bool { audience != nil || message != nil || isAd != nil }

    /// The recipients that take the place of the stored ones: none with another audience; `nil` when they stay.
    package var newRecipients: [CampaignRecipient]? { recipients ?? (audience == nil ? nil : []) }

    /// Whether it says when.
    package var changesTimes: Bool { sendAt != nil || schedule != nil || pace != nil }

    /// Carries the change out.
    package func apply(to campaign: inout Campaign) {
        if let name { campaign.name = name }
        campaign.audience = audience ?? campaign.audience
        campaign.message = message ?? campaign.message
        campaign.isAd = isAd ?? campaign.isAd
        if let sendAt { (campaign.sendAt, campaign.schedule) = (sendAt, nil) }
        if let schedule { (campaign.sendAt, campaign.schedule) = (nil, schedule) }
        if let pace { campaign.pace = pace }
        if let validFor { campaign.validFor = validFor }
        campaign.nightPolicy = nightPolicy ?? campaign.nightPolicy
        campaign.isTransactional = isTransactional ?? campaign.isTransactional
    }
}
