public import CarillonModel

/// The body of `PATCH /v1/campaigns/{campaign}`: missing fields stay unchanged, null removes optional ones.
///
/// Times, pace and name may change until the Campaign has ended; audience and message only before its first Occurrence
/// begins.
public struct CampaignUpdate: Hashable, Sendable, Codable {
    /// The operator's name for it; 1 through 200 characters.
    public var name: String??
    /// The audience; removes the Campaign's recipients.
    public var audience: Audience?
    /// Users with values of their own for the texts, instead of ``audience``; 1 through 1,000, each once.
    public var recipients: [CampaignRecipient]?
    /// The message.
    public var message: Message?
    /// Whether it is an ad.
    public var isAd: Bool?
    /// When it is sent, instead of a schedule; at most 60 days ahead, a past time means now.
    public var sendAt: Timestamp?
    /// When it is sent repeatedly, instead of ``sendAt``.
    public var schedule: Schedule?
    /// How its notifications are spread over time.
    public var pace: Pace??
    /// For how many seconds after its time it is valid, 60 through 2,592,000.
    public var validFor: Int??
    /// What happens to an ad at night for a Device without consent to ads at night.
    public var nightPolicy: DelayPolicy?
    /// Whether quiet hours and frequency caps do not apply.
    public var isTransactional: Bool?

    /// Creates an empty change.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, audience, recipients, message, isAd, sendAt, schedule, pace, validFor, nightPolicy, isTransactional
    }

    /// Decodes a change strictly.
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

    /// Whether it changes audience or content, which is forbidden once an Occurrence has begun.
    package var changesContent: Bool { audience != nil || message != nil || isAd != nil }

    /// The new recipients: none with another audience; `nil` when unchanged.
    package var newRecipients: [CampaignRecipient]? { recipients ?? (audience == nil ? nil : []) }

    /// Whether it changes times.
    package var changesTimes: Bool { sendAt != nil || schedule != nil || pace != nil }

    /// Applies the change.
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
