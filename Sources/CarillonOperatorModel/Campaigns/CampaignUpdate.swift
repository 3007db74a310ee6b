public import CarillonModel

/// The body of `PATCH /v1/campaigns/{campaign}`: missing fields stay unchanged, null removes optional ones.
///
/// A schedule, pace, name and statistics key may change until the Campaign has ended; audience, content, ``sendAt`` and
/// groups only before its first Occurrence begins, channel and retry time only in a draft.
public struct CampaignUpdate: Hashable, Sendable, Codable {
    /// The operator's name for it; 1 through 200 characters.
    public var name: String??
    /// The audience; removes the Campaign's recipients.
    public var audience: Audience?
    /// Users with values of their own for the texts, instead of ``audience``; 1 through 10,000, each once.
    public var recipients: [CampaignRecipient]?
    /// The message, instead of a template.
    public var message: Message?
    /// The template, instead of ``message``.
    public var template: TemplateID?
    /// Values of the placeholders `{{value.NAME}}` of the new message or template.
    public var values: TemplateValues?
    /// What an ad carries beside its content for phones whose language is Korean.
    public var adWording: AdWording??
    /// Contents to compare, 2 through 8.
    public var variants: [Variant]??
    /// The percentage of Devices that get nothing, for comparison: 1 through 90.
    public var holdout: Int??
    /// The statistics key under which its counts are gathered as well, from now on.
    public var statisticsID: StatisticsID??
    /// Whether it is an ad.
    public var isAd: Bool?
    /// Whether a draft loses its time and its schedule, so that it begins when it is sent; not part of the JSON.
    package var clearsTimes = false
    /// When it is sent, instead of a schedule: at most 60 days ahead, and not past unless ``sendsLate`` is true.
    public var sendAt: Timestamp?
    /// Whether a past ``sendAt`` means now.
    public var sendsLate: Bool?
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
    /// Which of a Device's tokens a draft addresses.
    public var channel: Campaign.Channel?
    /// How long failed attempts of a draft are retried, in seconds, 0 through 259,200.
    public var retryFor: Int?
    /// The version that the change was made from; any when missing.
    public var version: Int?

    /// Creates an empty change.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, audience, recipients, message, template, values, adWording, variants, holdout, isAd
        case sendAt, sendsLate, schedule, pace, validFor, nightPolicy, isTransactional, statisticsID
        case channel, retryFor, version
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
        template = try fields.optional(.template)
        values = try fields.optional(.values)
        if fields.contains(.adWording) { adWording = .some(try fields.optional(.adWording)) }
        if fields.contains(.variants) { variants = .some(try fields.optional(.variants)) }
        if fields.contains(.holdout) { holdout = .some(try fields.integer(.holdout, 1...90)) }
        if fields.contains(.statisticsID) { statisticsID = .some(try fields.optional(.statisticsID)) }
        isAd = try fields.optional(.isAd)
        sendAt = try fields.optional(.sendAt)
        sendsLate = try fields.optional(.sendsLate)
        schedule = try fields.optional(.schedule)
        if fields.contains(.pace) { pace = .some(try fields.optional(.pace)) }
        if fields.contains(.validFor) { validFor = .some(try fields.integer(.validFor, CampaignRequest.validity)) }
        nightPolicy = try fields.optional(.nightPolicy)
        isTransactional = try fields.optional(.isTransactional)
        channel = try fields.optional(.channel)
        retryFor = try fields.integer(.retryFor, CampaignRequest.retryTimes)
        version = try fields.integer(.version, 1...Int(Int32.max))
        guard sendsLate == nil || sendAt != nil else {
            throw fields.failure(.sendsLate, "must be missing: sendAt is missing")
        }
        guard sendAt == nil || schedule == nil else {
            throw fields.failure(.sendAt, "must be missing: there is a schedule")
        }
        guard message == nil || template == nil else {
            throw fields.failure(.message, "must be missing: template is present")
        }
        guard values == nil || message != nil || template != nil else {
            throw fields.failure(.values, "must be missing: neither message nor template is present")
        }
    }

    /// Whether it changes audience or content, which is forbidden once an Occurrence has begun.
    package var changesContent: Bool {
        audience != nil || message != nil || template != nil || isAd != nil || adWording != nil || variants != nil
            || holdout != nil || channel != nil || recipients != nil
    }

    /// The new recipients: none with another audience; `nil` when unchanged.
    package var newRecipients: [CampaignRecipient]? { recipients ?? (audience == nil ? nil : []) }

    /// Whether it changes times.
    package var changesTimes: Bool { sendAt != nil || schedule != nil || pace != nil }

    /// Applies the change.
    package func apply(to campaign: inout Campaign) {
        if let name { campaign.name = name }
        campaign.audience = audience ?? campaign.audience
        if let message { (campaign.message, campaign.template) = (message, nil) }
        if let template { campaign.template = template }
        if let adWording { campaign.adWording = adWording }
        if let variants { campaign.variants = variants }
        if let holdout { campaign.holdout = holdout }
        if let statisticsID { campaign.statisticsID = statisticsID }
        campaign.isAd = isAd ?? campaign.isAd
        if clearsTimes { (campaign.sendAt, campaign.schedule) = (nil, nil) }
        if let sendAt { (campaign.sendAt, campaign.schedule) = (sendAt, nil) }
        if let schedule { (campaign.sendAt, campaign.schedule) = (nil, schedule) }
        if let pace { campaign.pace = pace }
        if let validFor { campaign.validFor = validFor }
        campaign.nightPolicy = nightPolicy ?? campaign.nightPolicy
        campaign.isTransactional = isTransactional ?? campaign.isTransactional
        campaign.channel = channel ?? campaign.channel
        campaign.retryFor = retryFor ?? campaign.retryFor
        var undecided = campaign.undecided ?? []
        if audience != nil || recipients != nil { undecided.removeAll { $0 == .audience } }
        if message != nil || template != nil { undecided.removeAll { $0 == .message } }
        if isAd != nil { undecided.removeAll { $0 == .kind } }
        campaign.undecided = undecided.isEmpty ? nil : undecided
    }
}
