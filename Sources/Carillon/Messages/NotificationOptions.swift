/// How an app's notifications make themselves noticed.
public struct NotificationOptions: Hashable, Sendable {
    /// Whether they are shown while the app is in front.
    public var foreground: Bool
    /// Whether they may put a number on the app's icon.
    public var badge: Bool
    /// Whether they may be heard.
    public var sound: Bool

    /// Chooses.
    ///
    /// - Parameters:
    ///   - foreground: Whether they are shown while the app is in front.
    ///   - badge: Whether they may put a number on the app's icon.
    ///   - sound: Whether they may be heard.
    public init(foreground: Bool = false, badge: Bool = true, sound: Bool = true) {
        self.foreground = foreground
        self.badge = badge
        self.sound = sound
    }
}
