public import CarillonModel

/// The body of `POST /v1/campaigns`.
public struct CampaignRequest: Hashable, Sendable, Codable {
    /// The App; may be missing when the API key belongs to one.
    public var app: AppID?
    /// What the operator calls it; 1 through 200 characters.
    public var name: String?
    /// Whom it is for; the recipients' Users where there are ``recipients``.
    public var audience: Audience
    /// Users with what the message says to each alone, in place of ``audience``; 1 through 1,000, each once.
    public var recipients: [CampaignRecipient]?
    /// What the places `{{recipient.NAME}}` are filled with in a test send, which has no recipients.
    package var recipientValues: TemplateValues?
    /// What it says; a blank, silent one while ``template`` stands for it.
    public var message: Message
    /// The template that it says, in place of ``message``.
    public var template: TemplateID?
    /// What the places `{{value.NAME}}` of the message are filled with.
    public var values: TemplateValues?
    /// What an advertisement says beside its content to phones whose language is Korean.
    ///
    /// Without it an advertisement does not go to them; where the App's rules for ads are Korea's it is required.
    public var adWording: AdWording?
    /// The contents that it is tried with, 2 through 8; missing: the message's own.
    public var variants: [Variant]?
    /// How many of a hundred Devices get nothing, to compare with: 1 through 90; missing: none.
    public var holdout: Int?
    /// True for advertising: only Devices with consent to ads get it, and at night only those with night consent.
    public var isAd: Bool
    /// When it goes out; missing: now.
    ///
    /// At most 60 days ahead; a past time means now.
    public var sendAt: Timestamp?
    /// When it goes out again and again, instead of ``sendAt``; at most 60 days ahead.
    public var schedule: Schedule?
    /// How its notifications are spread over time; missing: as fast as can be.
    public var pace: Pace?
    /// For how many seconds after its time it is worth something, 60 through 2,592,000 (thirty days); missing: without
    /// end.
    ///
    /// What has not gone out by then is over, with outcome `expired` and reason `Expired`; Apple is told to give up then.
    public var validFor: Int?
    /// What becomes of an ad to a Device at which it is night, and whose person did not agree to ads at night; missing:
    /// `skip`.
    ///
    /// With `defer` it goes out at 08:00, by the clock of the Device's time zone.
    public var nightPolicy: DelayPolicy
    /// True for what a person waits for, as a receipt: the App's quiet hours and frequency cap do not ask for it.
    public var isTransactional: Bool
    /// True keeps it as a draft, which goes out when it is sent by `POST /v1/campaigns/{campaign}/send`.
    public var draft: Bool
    /// How long failed attempts are repeated, in seconds, 0 through 259,200 (three days); missing: 86,400 (a day).
    public var retryFor: Int?
    /// Which of a Device's tokens it goes to; missing: `notification`.
    ///
    /// A call is never an ad and replaces no other.
    public var channel: Campaign.Channel
    /// What its figures are gathered under beside its own; missing: nothing.
    public var statisticsID: StatisticsID?

    /// Makes a request to send now; the rest is set field by field.
    ///
    /// - Parameters:
    ///   - app: The App; may be missing when the API key belongs to one.
    ///   - audience: Whom it is for.
    ///   - message: What it says.
    public init(app: AppID? = nil, audience: Audience, message: Message) {
        self.app = app
        self.audience = audience
        self.message = message
        isAd = false
        draft = false
        channel = .notification
        nightPolicy = .skip
        isTransactional = false
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case app, name, audience, recipients, message, isAd, sendAt, draft, retryFor, channel, statisticsID
        case schedule, pace, validFor, nightPolicy, isTransactional
        case template, values, adWording, variants, holdout
    }

    /// For how many seconds a Campaign may be worth something.
    static let validity = 60...2_592_000

    /// Reads a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        app = try fields.optional(.app)
        name = try fields.text(.name, 1...200)
        recipients = try fields.recipients(.recipients)
        audience = try fields.audience(.audience, besides: recipients) ?? fields.required(.audience)
        template = try fields.optional(.template)
        message = try fields.message(.message, besides: template)
        values = try fields.optional(.values)
        isAd = try fields.optional(.isAd) ?? false
        sendAt = try fields.optional(.sendAt)
        draft = try fields.optional(.draft) ?? false
        retryFor = try fields.integer(.retryFor, 0...259_200)
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
    /// Writes the request; an audience that recipients stand for is left out.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(app, forKey: .app)
        try fields.encodeIfPresent(name, forKey: .name)
        if recipients == nil { try fields.encode(audience, forKey: .audience) }
        try fields.encodeIfPresent(recipients, forKey: .recipients)
        try fields.encode(message, forKey: .message)
        try fields.encodeIfPresent(template, forKey: .template)
        try fields.encodeIfPresent(values, forKey: .values)
        try fields.encodeIfPresent(adWording, forKey: .adWording)
        try fields.encodeIfPresent(variants, forKey: .variants)
        try fields.encodeIfPresent(holdout, forKey: .holdout)
        try fields.encode(isAd, forKey: .isAd)
        try fields.encodeIfPresent(sendAt, forKey: .sendAt)
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

/// The body of `POST /v1/campaigns/test`: one message to one Device, at once, outside of any Campaign's funnel.
public struct TestSendRequest: Hashable, Sendable, Codable {
    /// The App; may be missing when the API key belongs to one.
    public var app: AppID?
    /// Which Device gets it.
    public var device: DeviceID
    /// What it says; a blank, silent one while ``template`` stands for it.
    public var message: Message
    /// The template that it says, in place of ``message``.
    public var template: TemplateID?
    /// What the places `{{value.NAME}}` of the message are filled with.
    public var values: TemplateValues?
    /// What the places `{{recipient.NAME}}` are filled with, as for a recipient of a Campaign.
    public var recipientValues: TemplateValues?
    /// Which of the Device's tokens it goes to; missing: `notification`.
    public var channel: Campaign.Channel

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - app: The App; may be missing when the API key belongs to one.
    ///   - device: Which Device gets it.
    ///   - message: What it says.
    public init(app: AppID? = nil, device: DeviceID, message: Message) {
        self.app = app
        self.device = device
        self.message = message
        channel = .notification
    }

    /// Makes a request for a template.
    ///
    /// - Parameters:
    ///   - template: What it says.
    ///   - device: Which Device gets it.
    public init(template: TemplateID, device: DeviceID) {
        self.init(device: device, message: .blank)
        self.template = template
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case app, device, message, template, values, recipientValues, channel
    }

    /// Reads a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        app = try fields.optional(.app)
        device = try fields.required(.device)
        template = try fields.optional(.template)
        message = try fields.message(.message, besides: template)
        values = try fields.optional(.values)
        recipientValues = try fields.optional(.recipientValues)
        channel = try fields.optional(.channel) ?? .notification
        if channel == .voip, template == nil { try message.checkCall(fields.failure(.message, "").field) }
    }
}

extension Fields {
    /// Reads a message, or what stands for it while a template does.
    fileprivate func message(_ key: Key, besides template: TemplateID?) throws -> Message {
        guard template != nil else { return try required(key) }
        // A request that was written by its type has what stands for its template's message.
        guard try optional(key, as: Message.self) ?? Message.blank == Message.blank else {
            throw failure(key, "must be missing: a template is given")
        }
        return .blank
    }
}
