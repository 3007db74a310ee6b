/// A notification that a person notices: it shows a text, plays a sound or sets the badge, and at least one of these.
///
/// Sources: "Generating a remote notification", "Sending notification requests to APNs".
public struct AlertMessage: AppMessage {
    /// What it shows; `nil` when it only plays a sound or sets the badge.
    public let alert: Payload.Alert?
    /// What it plays; `nil` plays nothing.
    public let sound: Payload.Sound?
    /// The number on the app's icon: 0 clears it, `nil` leaves it as it is; a negative number counts as 0.
    public let badge: Int?
    /// Groups notifications on the screen.
    public var threadID: String?
    /// Names the registered actions it offers.
    public var category: String?
    /// Wakes the app in the background as well.
    public var wakesApp = false
    /// Runs the app's notification service extension first.
    public var isMutableContent = false
    /// Which window of the app it concerns.
    public var targetContentID: String?
    /// How much it may interrupt; `nil` means active.
    public var interruptionLevel: Payload.InterruptionLevel?
    /// Its rank in a summary.
    public var relevanceScore: Fraction?
    /// The criteria that a Focus compares with the app's filter.
    public var filterCriteria: String?
    /// The app's own members beside `aps`; one named `aps` is left out.
    public var custom: PayloadObject = [:]
    /// The value of `apns-priority`; `nil` leaves the header out, which Apple reads as 10.
    public var priority: Priority?
    /// Until when APNs may deliver; `nil` means up to 30 days.
    public var expiration: Expiration?
    /// Which earlier notification it replaces on the screen; `nil` for none.
    public var collapseID: CollapseID?

    /// A notification that shows a title, and perhaps more.
    ///
    /// - Parameters:
    ///   - title: The first line.
    ///   - subtitle: The second line.
    ///   - body: The text.
    ///   - launchImage: The image or storyboard that is shown while the app starts.
    ///   - sound: What it plays.
    ///   - badge: The number on the app's icon.
    public init(
        title: Payload.Text,
        subtitle: Payload.Text? = nil,
        body: Payload.Text? = nil,
        launchImage: String? = nil,
        sound: Payload.Sound? = nil,
        badge: Int? = nil
    ) {
        alert = Payload.Alert(title: title, subtitle: subtitle, body: body, launchImage: launchImage)
        self.sound = sound
        self.badge = badge
    }

    /// A notification that shows a text alone.
    ///
    /// - Parameters:
    ///   - body: The text.
    ///   - launchImage: The image or storyboard that is shown while the app starts.
    ///   - sound: What it plays.
    ///   - badge: The number on the app's icon.
    public init(
        body: Payload.Text,
        launchImage: String? = nil,
        sound: Payload.Sound? = nil,
        badge: Int? = nil
    ) {
        alert = Payload.Alert(title: nil, subtitle: nil, body: body, launchImage: launchImage)
        self.sound = sound
        self.badge = badge
    }

    /// A notification that plays a sound and shows no text.
    ///
    /// - Parameters:
    ///   - sound: What it plays.
    ///   - badge: The number on the app's icon.
    public init(sound: Payload.Sound, badge: Int? = nil) {
        alert = nil
        self.sound = sound
        self.badge = badge
    }

    /// A notification that sets the badge and does nothing else.
    ///
    /// - Parameter badge: The number on the app's icon; 0 clears it.
    public init(badge: Int) {
        alert = nil
        sound = nil
        self.badge = badge
    }

    /// Always ``APNsPushType/alert``.
    public var pushType: APNsPushType { .alert }

    /// `aps` with what is set, then the app's own members.
    public var payload: PayloadObject {
        var payload = Payload()
        payload.alert = alert
        payload.badge = badge
        payload.sound = sound
        payload.threadID = threadID
        payload.category = category
        payload.isContentAvailable = wakesApp
        payload.isMutableContent = isMutableContent
        payload.targetContentID = targetContentID
        payload.interruptionLevel = interruptionLevel
        payload.relevanceScore = relevanceScore
        payload.filterCriteria = filterCriteria
        payload.custom = custom.members
        return PayloadObject(payload.members)
    }
}
