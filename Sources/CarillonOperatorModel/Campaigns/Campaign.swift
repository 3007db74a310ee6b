public import CarillonModel

/// A Campaign as the API shows it.
public struct Campaign: Hashable, Sendable, Codable {
    /// Where a Campaign stands.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// It waits to be sent.
        case draft
        /// Its time, or its next, has not come.
        case scheduled
        /// Notifications are going out, or are being tried again.
        case sending
        /// An operator paused it, or it was halted by what Apple answered for everybody; then ``Campaign/alarm`` says
        /// why.
        case paused
        /// Nothing new goes out; answers that are under way are being waited for.
        case cancelling
        /// It was cancelled; what had gone out is counted.
        case cancelled
        /// Every targeted Device has an outcome.
        case sent
    }

    /// Which of a Device's tokens it goes to.
    public enum Channel: String, Hashable, Sendable, Codable, CaseIterable {
        /// The one for notifications.
        case notification
        /// The one for incoming calls: no consent is asked for, and the app is woken whatever it does.
        case voip
    }

    /// Its id.
    public var id: CampaignID
    /// Its App.
    public var app: AppID
    /// What the operator calls it.
    public var name: String?
    /// Where it stands.
    public var state: State
    /// Why it is paused.
    public var alarm: String?
    /// Since when some of what was sent of it cannot be committed, because the store does not take it; missing when
    /// nothing waits.
    public var waitingForStoreSince: Timestamp?
    /// Whom it is for.
    public var audience: Audience
    /// What it says.
    public var message: Message
    /// Whether it is advertising.
    public var isAd: Bool
    /// The template that its message was made of.
    public var template: TemplateID?
    /// What it says beside its content to phones whose language is Korean.
    public var adWording: AdWording?
    /// The contents that it is tried with.
    public var variants: [Variant]?
    /// How many of a hundred Devices get nothing, to compare with.
    public var holdout: Int?
    /// Which of a Device's tokens it goes to.
    public var channel: Channel
    /// What its figures are gathered under beside its own.
    public var statisticsID: StatisticsID?
    /// When it goes out; missing: at once, or by its schedule.
    public var sendAt: Timestamp?
    /// When it goes out again and again.
    public var schedule: Schedule?
    /// How its notifications are spread over time.
    public var pace: Pace?
    /// For how many seconds after its time it is worth something.
    public var validFor: Int?
    /// What becomes of an ad to a Device at which it is night, and whose person did not agree to ads at night.
    public var nightPolicy: DelayPolicy
    /// Whether quiet hours and frequency caps do not ask for it.
    public var isTransactional: Bool
    /// When it was accepted.
    public var createdAt: Timestamp
    /// When it was changed last.
    public var updatedAt: Timestamp?
    /// The last firing of it that has begun.
    public var occurrence: OccurrenceID?
    /// When its next firing is due; in each Device's own zone, when it is in the first one.
    public var nextAt: Timestamp?
    /// When its last firing began to go out.
    public var startedAt: Timestamp?
    /// When every targeted Device had an outcome.
    public var finishedAt: Timestamp?
    /// Whether it is over and nothing of it was sent to anybody: it matched nobody, or rules kept everybody back.
    public var reachedNobody: Bool

    /// Makes a Campaign as it is right after its acceptance.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - app: Its App.
    ///   - request: What was asked for.
    ///   - state: Where it stands.
    ///   - createdAt: When it was accepted.
    public init(id: CampaignID, app: AppID, request: CampaignRequest, state: State, createdAt: Timestamp) {
        self.id = id
        self.app = app
        name = request.name
        self.state = state
        audience = request.audience
        message = request.message
        isAd = request.isAd
        template = request.template
        adWording = request.adWording
        variants = request.variants
        holdout = request.holdout
        channel = request.channel
        statisticsID = request.statisticsID
        sendAt = request.sendAt
        schedule = request.schedule
        pace = request.pace
        validFor = request.validFor
        nightPolicy = request.nightPolicy
        isTransactional = request.isTransactional
        self.createdAt = createdAt
        reachedNobody = false
    }
}

/// What became of a Campaign: the answer to `GET /v1/campaigns/{campaign}/funnel`.
///
/// Counts derive from deliveries and events: an event counts once a Device and kind, whenever it comes.
public struct Funnel: Hashable, Sendable, Codable {
    /// Devices that the audience matched and that were looked at.
    public var targeted: Int
    /// Devices that did not get it by a rule, by reason.
    public var skipped: [String: Int]
    /// Notifications that Apple took.
    public var accepted: Int
    /// Notifications that are over without being taken, by reason.
    public var failed: [String: Int]
    /// Notifications that will be tried again.
    public var retrying: Int
    /// About how many Devices wait for their time: in their own time zone, for the end of the night or of quiet hours.
    ///
    /// They are not among ``targeted`` yet.
    public var deferred: Int
    /// Devices whose service extension got it.
    public var received: Int
    /// Devices on which it was tapped.
    public var opened: Int
    /// Devices on which it was thrown away.
    public var dismissed: Int
    /// Devices on which a button was pressed.
    public var actions: Int
    /// Devices on which a text was typed under a button that asks for one; they are among ``actions`` too.
    public var replies: Int
    /// Devices on which it launched the app.
    public var launched: Int
    /// The same for each variant, in the Campaign's order; missing when it has none.
    public var variants: [VariantCounts]?
    /// The variant that was tapped more often than every other beyond chance; missing while there is none.
    public var winner: String?

    /// Makes a funnel in which nothing has happened.
    public init() {
        targeted = 0
        skipped = [:]
        accepted = 0
        failed = [:]
        retrying = 0
        deferred = 0
        received = 0
        opened = 0
        dismissed = 0
        actions = 0
        replies = 0
        launched = 0
    }
}

/// The fate of one notification: a row of `GET /v1/campaigns/{campaign}/deliveries`.
public struct Delivery: Hashable, Sendable, Codable {
    /// How it ended.
    public enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
        /// Apple took it.
        case accepted
        /// It is over without Apple taking it.
        case failed
        /// A rule kept it back.
        case skipped
        /// It was not taken before its time ran out.
        case expired
    }

    /// The Device; missing once the Device was deleted.
    public var device: DeviceID?
    /// The push type of the token that was used.
    public var pushType: PushType
    /// How it ended.
    public var outcome: Outcome
    /// Why, unless it was accepted.
    public var reason: String?
    /// When.
    public var at: Timestamp

    /// Makes a delivery.
    ///
    /// - Parameters:
    ///   - device: The Device; `nil` once it was deleted.
    ///   - pushType: The push type of the token that was used.
    ///   - outcome: How it ended.
    ///   - reason: Why, unless it was accepted.
    ///   - at: When.
    public init(device: DeviceID?, pushType: PushType, outcome: Outcome, reason: String?, at: Timestamp) {
        self.device = device
        self.pushType = pushType
        self.outcome = outcome
        self.reason = reason
        self.at = at
    }
}
