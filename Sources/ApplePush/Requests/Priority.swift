/// How urgent a notification is: the value of `apns-priority`.
///
/// Without one Apple assumes ``immediate``.
public enum Priority: Int, Hashable, Sendable, CaseIterable {
    /// Power before everything: it never wakes the device.
    case low = 1
    /// When the device's power allows; the only one Apple permits for background notifications.
    case considerate = 5
    /// At once.
    case immediate = 10
}
