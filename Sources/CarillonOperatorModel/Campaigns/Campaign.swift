public import CarillonModel

/// A Campaign.
public struct Campaign: Hashable, Sendable, Codable {
    /// The state of a Campaign.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Not to be sent yet.
        case draft
        /// Waits until a second person approves it.
        case needsApproval
        /// A second person refused it; ``Campaign/approval`` says why.
        case refused
        /// Nobody approved it in time; nothing was sent.
        case expired
        /// Confirmed: it can be undone until ``Campaign/heldUntil``, and nothing is sent before.
        case held
        /// The time of its first or next Occurrence is in the future.
        case scheduled
        /// Notifications are being sent or retried.
        case sending
        /// Paused by an operator, or halted because Apple refused all notifications; then ``Campaign/alarm`` has the
        /// reason.
        case paused
        /// Nothing new is sent; notifications in flight are awaited.
        case cancelling
        /// Cancelled; notifications that were sent are counted.
        case cancelled
        /// Every targeted Device has an outcome.
        case sent
    }

    /// Which of a Device's tokens it addresses.
    public enum Channel: String, Hashable, Sendable, Codable, CaseIterable {
        /// The device token.
        case notification
        /// The VoIP token: no consent is required, and the app is launched in any state.
        case voip
    }

    /// Its id.
    public var id: CampaignID
    /// Its App.
    public var app: AppID
    /// The operator's name for it.
    public var name: String?
    /// Its state.
    public var state: State
    /// Why it is paused.
    public var alarm: String?
    /// Since when the store does not accept the outcomes of its notifications; missing when none wait.
    public var waitingForStoreSince: Timestamp?
    /// The audience.
    public var audience: Audience
    /// The message.
    public var message: Message
    /// Whether it is an ad.
    public var isAd: Bool
    /// The template of its message.
    public var template: TemplateID?
    /// What an ad carries beside its content for phones whose language is Korean.
    public var adWording: AdWording?
    /// Contents to compare.
    public var variants: [Variant]?
    /// The percentage of Devices that get nothing, for comparison.
    public var holdout: Int?
    /// Which of a Device's tokens it addresses.
    public var channel: Channel
    /// The statistics key under which its counts are gathered as well.
    public var statisticsID: StatisticsID?
    /// When it is sent; missing when it is sent at once, or has a schedule.
    public var sendAt: Timestamp?
    /// When it is sent repeatedly.
    public var schedule: Schedule?
    /// How its notifications are spread over time.
    public var pace: Pace?
    /// For how many seconds after its time it is valid.
    public var validFor: Int?
    /// What happens to an ad at night for a Device without consent to ads at night.
    public var nightPolicy: DelayPolicy
    /// Whether quiet hours and frequency caps do not apply.
    public var isTransactional: Bool
    /// How long failed attempts are retried, in seconds.
    public var retryFor: Int
    /// What a draft does not say yet; missing when it is complete.
    ///
    /// Its audience is `redacted` then, its message silent and empty, and it is no ad.
    public var undecided: [CampaignPart]?
    /// The number of its version: 1, and one more with each change.
    public var version: Int
    /// Until when it can be undone; only in state `held`.
    public var heldUntil: Timestamp?
    /// The last request for approval; missing when nobody asked.
    public var approval: CampaignApproval?
    /// Who created it; missing when that is unknown.
    public var createdBy: CampaignAuthor?
    /// Who changed it last; missing when nobody did, or that is unknown.
    public var updatedBy: CampaignAuthor?
    /// When it was accepted.
    public var createdAt: Timestamp
    /// When it was last changed.
    public var updatedAt: Timestamp?
    /// The last Occurrence that has begun.
    public var occurrence: OccurrenceID?
    /// When its next Occurrence is due; with Devices' own time zones, in the first one.
    public var nextAt: Timestamp?
    /// When its last Occurrence began.
    public var startedAt: Timestamp?
    /// When every targeted Device had an outcome.
    public var finishedAt: Timestamp?
    /// Whether it ended without sending anything: it matched no Device, or rules skipped all of them.
    public var reachedNobody: Bool

    /// Creates a Campaign in its initial state.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - app: Its App.
    ///   - request: The request.
    ///   - state: Its state.
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
        retryFor = request.retryFor ?? CampaignRequest.usualRetryTime
        undecided = request.undecided.isEmpty ? nil : request.undecided
        version = 1
        self.createdAt = createdAt
        reachedNobody = false
    }
}

/// The counts of a Campaign: the answer to `GET /v1/campaigns/{campaign}/funnel`.
///
/// Counts derive from deliveries and events: an event counts once per Device and kind, whenever it is reported.
public struct Funnel: Hashable, Sendable, Codable {
    /// Devices that the audience matched and that were processed.
    public var targeted: Int
    /// Devices that a rule excluded, by reason.
    public var skipped: [String: Int]
    /// Notifications that APNs accepted.
    public var accepted: Int
    /// Notifications that failed permanently, by reason.
    public var failed: [String: Int]
    /// Notifications that will be retried.
    public var retrying: Int
    /// The estimated number of Devices that wait for their local time or the end of night or quiet hours.
    ///
    /// They are not part of ``targeted`` yet.
    public var deferred: Int
    /// Devices whose service extension got it.
    public var received: Int
    /// Devices on which it was tapped.
    public var opened: Int
    /// Devices on which it was dismissed.
    public var dismissed: Int
    /// Devices on which a button was pressed.
    public var actions: Int
    /// Devices on which a reply was sent; they are part of ``actions`` too.
    public var replies: Int
    /// Devices on which it launched the app.
    public var launched: Int
    /// The same for each variant, in the Campaign's order; missing without variants.
    public var variants: [VariantCounts]?
    /// The variant that was opened significantly more often than every other; missing when there is none, and while a
    /// variant has fewer than 100 accepted notifications.
    public var winner: String?

    /// Creates a funnel of zeros.
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

/// The delivery of one notification: a row of `GET /v1/campaigns/{campaign}/deliveries`.
public struct Delivery: Hashable, Sendable, Codable {
    /// The outcome.
    public enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
        /// APNs accepted it.
        case accepted
        /// It failed permanently.
        case failed
        /// A rule excluded the Device.
        case skipped
        /// It was not accepted before it expired.
        case expired
    }

    /// The Device; missing once the Device was deleted.
    public var device: DeviceID?
    /// The push type of the token that was used.
    public var pushType: PushType
    /// The outcome.
    public var outcome: Outcome
    /// The reason, unless it was accepted.
    public var reason: String?
    /// The time.
    public var at: Timestamp

    /// Creates a delivery.
    ///
    /// - Parameters:
    ///   - device: The Device; `nil` once it was deleted.
    ///   - pushType: The push type of the token that was used.
    ///   - outcome: The outcome.
    ///   - reason: The reason, unless it was accepted.
    ///   - at: The time.
    public init(device: DeviceID?, pushType: PushType, outcome: Outcome, reason: String?, at: Timestamp) {
        self.device = device
        self.pushType = pushType
        self.outcome = outcome
        self.reason = reason
        self.at = at
    }
}
