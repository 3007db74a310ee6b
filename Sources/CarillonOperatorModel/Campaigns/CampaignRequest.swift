public import CarillonModel

/// The body of `POST /v1/campaigns`.
public struct CampaignRequest: Hashable, Sendable, Codable {
    /// The operator's name for it; 1 through 200 characters.
    public var name: String?
    /// The audience; the recipients' Users where there are ``recipients``.
    public var audience: Audience
    /// Users with values of their own for the texts, instead of ``audience``; 1 through 10,000, each once.
    public var recipients: [CampaignRecipient]?
    /// Values of the placeholders `{{recipient.NAME}}` in a test send, which has no recipients.
    package var recipientValues: TemplateValues?
    /// The message; an empty, silent one while ``template`` stands for it.
    public var message: Message
    /// The template, instead of ``message``.
    public var template: TemplateID?
    /// Values of the placeholders `{{value.NAME}}`.
    public var values: TemplateValues?
    /// What an ad carries beside its content for phones whose language is Korean.
    ///
    /// Without it no such phone gets the ad; it is required where the App's rules for ads are `korean`.
    public var adWording: AdWording?
    /// Contents to compare, 2 through 8; only the message's own when missing.
    public var variants: [Variant]?
    /// The percentage of Devices that get nothing, for comparison: 1 through 90; none when missing.
    public var holdout: Int?
    /// True for ads: only Devices with consent to ads get it, and at night only those with consent to ads at night.
    public var isAd: Bool
    /// When it is sent; now when missing.
    ///
    /// At most 60 days ahead; a time that is more than five minutes past is refused, unless ``sendsLate`` is true.
    public var sendAt: Timestamp?
    /// True sends at once when ``sendAt`` is past.
    public var sendsLate: Bool
    /// When it is sent repeatedly, instead of ``sendAt``.
    public var schedule: Schedule?
    /// How its notifications are spread over time; as fast as possible when missing.
    public var pace: Pace?
    /// For how many seconds after its time it is valid, 60 through 2,592,000 (thirty days); no limit when missing.
    ///
    /// Unsent notifications then end with outcome `expired` and reason `Expired`; Apple gets the same expiration.
    public var validFor: Int?
    /// What happens to an ad at night for a Device without consent to ads at night; `skip` when missing.
    ///
    /// With `defer` it is sent at 08:00 in the Device's time zone.
    public var nightPolicy: DelayPolicy
    /// True for messages that a person waits for, such as a receipt: the App's quiet hours and frequency caps do not
    /// apply.
    public var isTransactional: Bool
    /// True creates a draft, which is sent by `POST /v1/campaigns/{campaign}/send`.
    ///
    /// A draft may leave out audience and message.
    public var draft: Bool
    /// How long failed attempts are retried, in seconds, 0 through 259,200 (three days); 86,400 (a day) when missing.
    public var retryFor: Int?
    /// Which of a Device's tokens it addresses; `notification` when missing.
    ///
    /// A call is never an ad and has no collapse id.
    public var channel: Campaign.Channel
    /// The statistics key under which its counts are gathered as well; none when missing.
    public var statisticsID: StatisticsID?
    /// What a draft leaves open.
    package var undecided: [CampaignPart] = []

    /// How long failed attempts are retried when a request does not say so, in seconds.
    package static let usualRetryTime = 86_400
    /// The range of ``retryFor``.
    static let retryTimes = 0...259_200

    /// Creates a request to send now; set the other fields individually.
    ///
    /// - Parameters:
    ///   - audience: The audience.
    ///   - message: The message.
    public init(audience: Audience, message: Message) {
        self.audience = audience
        self.message = message
        isAd = false
        sendsLate = false
        draft = false
        channel = .notification
        nightPolicy = .skip
        isTransactional = false
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, audience, recipients, message, isAd, sendAt, sendsLate, draft, retryFor, channel, statisticsID
        case schedule, pace, validFor, nightPolicy, isTransactional
        case template, values, adWording, variants, holdout
    }

    /// Range of a Campaign's validity in seconds.
    static let validity = 60...2_592_000

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        name = try fields.text(.name, 1...200)
        recipients = try fields.recipients(.recipients)
        draft = try fields.optional(.draft) ?? false
        if draft, !fields.contains(.audience), recipients == nil {
            (audience, undecided) = (.redacted, [.audience])
        } else {
            audience = try fields.audience(.audience, besides: recipients) ?? fields.required(.audience)
        }
        template = try fields.optional(.template)
        if draft, template == nil, !fields.contains(.message) {
            message = .blank
            undecided.append(.message)
        } else {
            message = try fields.message(.message, besides: template)
        }
        values = try fields.optional(.values)
        isAd = try fields.optional(.isAd) ?? false
        sendAt = try fields.optional(.sendAt)
        sendsLate = try fields.optional(.sendsLate) ?? false
        retryFor = try fields.integer(.retryFor, Self.retryTimes)
        channel = try fields.optional(.channel) ?? .notification
        statisticsID = try fields.optional(.statisticsID)
        schedule = try fields.optional(.schedule)
        pace = try fields.optional(.pace)
        validFor = try fields.integer(.validFor, Self.validity)
        nightPolicy = try fields.optional(.nightPolicy) ?? .skip
        isTransactional = try fields.optional(.isTransactional) ?? false
        guard sendAt == nil || schedule == nil else {
            throw fields.failure(.sendAt, "must be missing: there is a schedule")
        }
        adWording = try fields.optional(.adWording)
        variants = try fields.optional(.variants)
        holdout = try fields.integer(.holdout, 1...90)
        guard adWording == nil || isAd else { throw fields.failure(.adWording, "must be missing: isAd is false") }
        try checkVariants(fields.failure(.variants, "").field)
        guard channel == .voip else { return }
        guard variants == nil else { throw fields.failure(.variants, "must be missing: the channel is voip") }
        guard holdout == nil else { throw fields.failure(.holdout, "must be missing: the channel is voip") }
        guard !isAd else { throw fields.failure(.isAd, "must be false: the channel is voip") }
        try message.checkCall(fields.failure(.message, "").field)
    }
}

extension CampaignRequest {
    /// Encodes the request, without an audience that is derived from recipients.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(name, forKey: .name)
        if recipients == nil, !undecided.contains(.audience) { try fields.encode(audience, forKey: .audience) }
        try fields.encodeIfPresent(recipients, forKey: .recipients)
        if !undecided.contains(.message) { try fields.encode(message, forKey: .message) }
        try fields.encodeIfPresent(template, forKey: .template)
        try fields.encodeIfPresent(values, forKey: .values)
        try fields.encodeIfPresent(adWording, forKey: .adWording)
        try fields.encodeIfPresent(variants, forKey: .variants)
        try fields.encodeIfPresent(holdout, forKey: .holdout)
        try fields.encode(isAd, forKey: .isAd)
        try fields.encodeIfPresent(sendAt, forKey: .sendAt)
        try fields.encode(sendsLate, forKey: .sendsLate)
        try fields.encodeIfPresent(schedule, forKey: .schedule)
        try fields.encodeIfPresent(pace, forKey: .pace)
        try fields.encodeIfPresent(validFor, forKey: .validFor)
        try fields.encode(nightPolicy, forKey: .nightPolicy)
        try fields.encode(isTransactional, forKey: .isTransactional)
        try fields.encode(draft, forKey: .draft)
        try fields.encodeIfPresent(retryFor, forKey: .retryFor)
        try fields.encode(channel, forKey: .channel)
        try fields.encodeIfPresent(statisticsID, forKey: .statisticsID)
    }
}

/// The body of `POST /v1/test-send`: one message to one Device, at once, outside of any Campaign's funnel.
public struct TestSendRequest: Hashable, Sendable, Codable {
    /// The Device.
    public var device: DeviceID
    /// The message; an empty, silent one while ``template`` stands for it.
    public var message: Message
    /// The template, instead of ``message``.
    public var template: TemplateID?
    /// Values of the placeholders `{{value.NAME}}`.
    public var values: TemplateValues?
    /// Values of the placeholders `{{recipient.NAME}}`, as for a recipient of a Campaign.
    public var recipientValues: TemplateValues?
    /// Whether it is an ad, which reaches only Devices with consent to ads.
    public var isAd: Bool
    /// What an ad carries beside its content for phones whose language is Korean.
    public var adWording: AdWording?
    /// Which of the Device's tokens it addresses; `notification` when missing.
    public var channel: Campaign.Channel

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - device: The Device.
    ///   - message: The message.
    public init(device: DeviceID, message: Message) {
        self.device = device
        self.message = message
        isAd = false
        channel = .notification
    }

    /// Creates a request for a template.
    ///
    /// - Parameters:
    ///   - template: The template.
    ///   - device: The Device.
    public init(template: TemplateID, device: DeviceID) {
        self.init(device: device, message: .blank)
        self.template = template
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case device, message, template, values, recipientValues, isAd, adWording, channel
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        device = try fields.required(.device)
        template = try fields.optional(.template)
        message = try fields.message(.message, besides: template)
        values = try fields.optional(.values)
        recipientValues = try fields.optional(.recipientValues)
        isAd = try fields.optional(.isAd) ?? false
        adWording = try fields.optional(.adWording)
        guard adWording == nil || isAd else { throw fields.failure(.adWording, "must be missing: isAd is false") }
        channel = try fields.optional(.channel) ?? .notification
        if channel == .voip, template == nil { try message.checkCall(fields.failure(.message, "").field) }
    }
}

extension Fields {
    /// Reads a message, or returns an empty one for a template.
    func message(_ key: Key, besides template: TemplateID?) throws -> Message {
        guard template != nil else { return try required(key) }
        // An encoded request has an empty message for its template.
        guard try optional(key, as: Message.self) ?? Message.blank == Message.blank else {
            throw failure(key, "must be missing: template is present")
        }
        return .blank
    }
}
