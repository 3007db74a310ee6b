/// How an app's notifications are presented.
public struct NotificationOptions: Hashable, Sendable {
    /// Whether they are shown while the app is in the foreground.
    public var foreground: Bool
    /// Whether they may set the number on the app's icon.
    public var badge: Bool
    /// Whether they may play sounds.
    public var sound: Bool

    /// Makes options.
    ///
    /// - Parameters:
    ///   - foreground: Whether they are shown while the app is in the foreground.
    ///   - badge: Whether they may set the number on the app's icon.
    ///   - sound: Whether they may play sounds.
    public init(foreground: Bool = false, badge: Bool = true, sound: Bool = true) {
        self.foreground = foreground
        self.badge = badge
        self.sound = sound
    }
}
