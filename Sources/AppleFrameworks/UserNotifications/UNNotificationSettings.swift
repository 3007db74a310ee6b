public import Foundation

/// The app's notification settings.
open class UNNotificationSettings: NSObject {
    /// The authorization.
    public let authorizationStatus: UNAuthorizationStatus

    init(authorizationStatus: UNAuthorizationStatus) { self.authorizationStatus = authorizationStatus }
}

/// Whether an app may notify.
public enum UNAuthorizationStatus: Int, Sendable {
    /// The person was not asked.
    case notDetermined
    /// No.
    case denied
    /// Yes.
    case authorized
    /// Quietly, without a prompt.
    case provisional
    /// Temporarily, as an app clip.
    case ephemeral
}

/// Requested authorization options.
public struct UNAuthorizationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A number on the app's icon.
    public static let badge = Self(rawValue: 1)
    /// Sounds.
    public static let sound = Self(rawValue: 2)
    /// Notifications on the screen.
    public static let alert = Self(rawValue: 4)
    /// Quiet notifications, without asking.
    public static let provisional = Self(rawValue: 64)
}

/// How a notification is presented while its app is in the foreground.
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The number on the app's icon changes.
    public static let badge = Self(rawValue: 1)
    /// Its sound is played.
    public static let sound = Self(rawValue: 2)
    /// It is added to the list.
    public static let list = Self(rawValue: 8)
    /// It is shown as a banner.
    public static let banner = Self(rawValue: 16)

    /// Marks a method that the delegate does not implement: here the delegate's methods cannot be optional.
    package static let unanswered = Self(rawValue: 1 << 63)
}
