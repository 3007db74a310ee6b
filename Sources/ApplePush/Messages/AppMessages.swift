// Push types whose payload is the app's own: an empty `aps` and members that only the app understands.

/// Requests the device's location from an app's Location Push Service Extension.
///
/// APNs takes it with a provider token only, never with a certificate.
/// Source: "Creating a location push service extension".
public struct LocationMessage: AppMessage {
    /// The app's own members beside `aps`; one named `aps` is left out.
    public var custom: PayloadObject
    /// The value of `apns-priority`; `nil` leaves the header out, which Apple reads as 10.
    public var priority: Priority?
    /// Until when APNs may deliver; `nil` means up to 30 days.
    public var expiration: Expiration?

    /// A question for a device's location.
    ///
    /// - Parameters:
    ///   - custom: The app's own members.
    ///   - priority: How urgent it is.
    ///   - expiration: Until when APNs may deliver.
    public init(custom: PayloadObject = [:], priority: Priority? = nil, expiration: Expiration? = nil) {
        self.custom = custom
        self.priority = priority
        self.expiration = expiration
    }

    /// Always ``APNsPushType/location``.
    public var pushType: APNsPushType { .location }

    /// An empty `aps` and the app's own members.
    public var payload: PayloadObject { PayloadObject(aps: [:], custom) }
}

/// A call, which the app must report to CallKit.
///
/// Up to 5,120 bytes. It is worthless when it comes late, so it is not stored unless told otherwise.
/// Source: "Responding to VoIP notifications from PushKit".
public struct VoIPMessage: AppMessage {
    /// The app's own members beside `aps`; one named `aps` is left out.
    public var custom: PayloadObject
    /// Until when APNs may try; Apple advises 0 or a few seconds from now.
    public var expiration: Expiration?

    /// A call.
    ///
    /// - Parameters:
    ///   - custom: The app's own members, such as who calls.
    ///   - expiration: Until when APNs may try; one attempt unless set.
    public init(custom: PayloadObject = [:], expiration: Expiration = .nowOrNever) {
        self.custom = custom
        self.expiration = expiration
    }

    /// Always ``APNsPushType/voip``.
    public var pushType: APNsPushType { .voip }

    /// Always ``Priority/immediate``.
    public var priority: Priority? { .immediate }

    /// An empty `aps` and the app's own members.
    public var payload: PayloadObject { PayloadObject(aps: [:], custom) }
}

/// Updates a watchOS complication.
///
/// Not for macOS, tvOS and iPadOS. Source: "Sending notification requests to APNs".
public struct ComplicationMessage: AppMessage {
    /// The app's own members beside `aps`; one named `aps` is left out.
    public var custom: PayloadObject
    /// The value of `apns-priority`; `nil` leaves the header out, which Apple reads as 10.
    public var priority: Priority?
    /// Until when APNs may deliver; `nil` means up to 30 days.
    public var expiration: Expiration?

    /// An update.
    ///
    /// - Parameters:
    ///   - custom: The app's own members.
    ///   - priority: How urgent it is.
    ///   - expiration: Until when APNs may deliver.
    public init(custom: PayloadObject = [:], priority: Priority? = nil, expiration: Expiration? = nil) {
        self.custom = custom
        self.priority = priority
        self.expiration = expiration
    }

    /// Always ``APNsPushType/complication``.
    public var pushType: APNsPushType { .complication }

    /// An empty `aps` and the app's own members.
    public var payload: PayloadObject { PayloadObject(aps: [:], custom) }
}

/// Notifies an app of an event of a Push to Talk channel.
///
/// Never stored, always at once. Source: "Creating a Push to Talk app".
public struct PushToTalkMessage: AppMessage {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// Somebody talks, or left: the app's members say which.
        case activity
        /// The service changed, and the app should look without presenting anything.
        ///
        /// Source: an Apple engineer in developer forum thread 787878.
        case serviceUpdate
    }

    /// What happened.
    public var event: Event
    /// The app's own members beside `aps`; one named `aps` is left out.
    public var custom: PayloadObject

    /// A message of a channel.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - custom: The app's own members.
    public init(_ event: Event = .activity, custom: PayloadObject = [:]) {
        self.event = event
        self.custom = custom
    }

    /// Always ``APNsPushType/pushToTalk``.
    public var pushType: APNsPushType { .pushToTalk }

    /// Always ``Priority/immediate``.
    public var priority: Priority? { .immediate }

    /// Always ``Expiration/nowOrNever``.
    public var expiration: Expiration? { .nowOrNever }

    /// `aps`, which is empty but for a service update, and the app's own members.
    public var payload: PayloadObject {
        switch event {
        case .activity: PayloadObject(aps: [:], custom)
        case .serviceUpdate: PayloadObject(aps: ["ptt-push-type": "service-update"], custom)
        }
    }
}
