#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Changes what a Live Activity shows, addressed to the activity's token, or to a channel in a ``Broadcast``.
///
/// Source: ActivityKit's "Starting and updating Live Activities with ActivityKit push notifications".
public struct LiveActivityUpdate: LiveActivityMessage {
    /// What the activity shows from now on.
    public var contentState: PayloadObject
    /// When the content was made.
    public var timestamp: Date
    /// The alert that is shown with the change; `nil`: none.
    public var alert: LiveActivityAlert?
    /// From when on the content counts as outdated; `nil` for never.
    public var staleDate: Date?
    /// Which of the app's activities comes first, any finite number; the highest wins.
    public var relevanceScore: Double?
    /// How urgent it is.
    public var urgency: LiveActivityPriority
    /// Until when APNs may deliver; `nil` means up to 30 days.
    ///
    /// A ``Broadcast`` has its own.
    public var expiration: Expiration?

    /// An update.
    ///
    /// - Parameters:
    ///   - contentState: What the activity shows from now on.
    ///   - timestamp: When the content was made.
    ///   - alert: What says that something changed.
    ///   - staleDate: From when on the content counts as outdated.
    ///   - relevanceScore: Which of the app's activities comes first.
    ///   - urgency: How urgent it is.
    ///   - expiration: Until when APNs may deliver.
    public init(
        contentState: PayloadObject,
        timestamp: Date,
        alert: LiveActivityAlert? = nil,
        staleDate: Date? = nil,
        relevanceScore: Double? = nil,
        urgency: LiveActivityPriority = .immediate,
        expiration: Expiration? = nil
    ) {
        self.contentState = contentState
        self.timestamp = timestamp
        self.alert = alert
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
        self.urgency = urgency
        self.expiration = expiration
    }

    /// `aps` with the event `update`.
    public var payload: PayloadObject {
        var aps: PayloadObject = [
            "timestamp": PayloadValue(seconds: timestamp),
            "event": "update",
            "content-state": .object(contentState.members),
        ]
        aps["alert"] = alert?.value
        aps["stale-date"] = staleDate.map(PayloadValue.init(seconds:))
        aps["relevance-score"] = relevanceScore.map(PayloadValue.number)
        return PayloadObject(aps: aps)
    }
}
