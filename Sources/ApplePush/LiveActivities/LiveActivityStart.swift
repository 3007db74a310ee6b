#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Starts a Live Activity on a device, addressed to the app's push-to-start token there.
///
/// A device accepts few of these. A broadcast cannot start an activity.
/// Source: ActivityKit's "Starting and updating Live Activities with ActivityKit push notifications".
public struct LiveActivityStart: LiveActivityMessage {
    /// Where the started activity gets its updates from.
    public enum Input: Hashable, Sendable {
        /// A broadcast channel that it subscribes to, from iOS 18.
        case channel(ChannelID)
        /// A push token of its own, which the app is woken to report, from iOS 18.
        case token
    }

    /// The name of the app's `ActivityAttributes` type.
    public var attributesType: String
    /// The activity's attributes, which never change.
    public var attributes: PayloadObject
    /// What the activity shows first.
    public var contentState: PayloadObject
    /// The alert that is shown with the start.
    public var alert: LiveActivityAlert
    /// When the content was made.
    public var timestamp: Date
    /// Where the activity gets its updates from; `nil` leaves it to the app.
    public var input: Input?
    /// From when on the content counts as outdated; `nil` for never.
    public var staleDate: Date?
    /// Which of the app's activities comes first, any finite number; the highest wins.
    public var relevanceScore: Double?
    /// How urgent it is.
    public var urgency: LiveActivityPriority
    /// Until when APNs may deliver; `nil` means up to 30 days.
    public var expiration: Expiration?

    /// A start.
    ///
    /// - Parameters:
    ///   - attributesType: The name of the app's `ActivityAttributes` type.
    ///   - attributes: The activity's attributes.
    ///   - contentState: What it shows first.
    ///   - alert: What says that there is something new.
    ///   - timestamp: When the content was made.
    ///   - input: Where the activity gets its updates from.
    ///   - staleDate: From when on the content counts as outdated.
    ///   - relevanceScore: Which of the app's activities comes first.
    ///   - urgency: How urgent it is.
    ///   - expiration: Until when APNs may deliver.
    public init(
        attributesType: String,
        attributes: PayloadObject,
        contentState: PayloadObject,
        alert: LiveActivityAlert,
        timestamp: Date,
        input: Input? = nil,
        staleDate: Date? = nil,
        relevanceScore: Double? = nil,
        urgency: LiveActivityPriority = .immediate,
        expiration: Expiration? = nil
    ) {
        self.attributesType = attributesType
        self.attributes = attributes
        self.contentState = contentState
        self.alert = alert
        self.timestamp = timestamp
        self.input = input
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
        self.urgency = urgency
        self.expiration = expiration
    }

    /// `aps` with the event `start`.
    public var payload: PayloadObject {
        var aps: PayloadObject = [
            "timestamp": PayloadValue(seconds: timestamp),
            "event": "start",
            "content-state": .object(contentState.members),
            "attributes-type": .string(attributesType),
            "attributes": .object(attributes.members),
            "alert": alert.value,
        ]
        aps["stale-date"] = staleDate.map(PayloadValue.init(seconds:))
        aps["relevance-score"] = relevanceScore.map(PayloadValue.number)
        switch input {
        case nil: break
        case .channel(let id): aps["input-push-channel"] = .string(id.rawValue)
        case .token: aps["input-push-token"] = 1
        }
        return PayloadObject(aps: aps)
    }
}
