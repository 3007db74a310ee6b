#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Ends a Live Activity, addressed to the activity's token, or to a channel in a ``Broadcast``.
///
/// Source: ActivityKit's "Starting and updating Live Activities with ActivityKit push notifications".
public struct LiveActivityEnd: LiveActivityMessage {
    /// What the activity shows last; `nil` leaves what it shows.
    public var contentState: PayloadObject?
    /// When the content was made.
    public var timestamp: Date
    /// When the activity leaves the screen; a past date removes it at once, `nil` leaves it to the system, which keeps it
    /// up to four hours.
    public var dismissalDate: Date?
    /// How urgent it is.
    public var urgency: LiveActivityPriority
    /// Until when APNs may deliver; `nil` means up to 30 days.
    ///
    /// A ``Broadcast`` has its own.
    public var expiration: Expiration?

    /// An end.
    ///
    /// - Parameters:
    ///   - contentState: What the activity shows last.
    ///   - timestamp: When the content was made.
    ///   - dismissalDate: When the activity leaves the screen.
    ///   - urgency: How urgent it is.
    ///   - expiration: Until when APNs may deliver.
    public init(
        contentState: PayloadObject? = nil,
        timestamp: Date,
        dismissalDate: Date? = nil,
        urgency: LiveActivityPriority = .immediate,
        expiration: Expiration? = nil
    ) {
        self.contentState = contentState
        self.timestamp = timestamp
        self.dismissalDate = dismissalDate
        self.urgency = urgency
        self.expiration = expiration
    }

    /// `aps` with the event `end`.
    public var payload: PayloadObject {
        var aps: PayloadObject = ["timestamp": PayloadValue(seconds: timestamp), "event": "end"]
        aps["content-state"] = contentState.map { .object($0.members) }
        aps["dismissal-date"] = dismissalDate.map(PayloadValue.init(seconds:))
        return PayloadObject(aps: aps)
    }
}
