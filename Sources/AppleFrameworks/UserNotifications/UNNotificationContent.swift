public import Foundation

/// The content of a notification.
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying {
    fileprivate(set) var fields = Fields()

    struct Fields {
        var attachments: [UNNotificationAttachment] = []
        var badge: NSNumber?
        var body = ""
        var categoryIdentifier = ""
        var interruptionLevel = UNNotificationInterruptionLevel.active
        var sound: UNNotificationSound?
        var subtitle = ""
        var threadIdentifier = ""
        var title = ""
        var userInfo: [AnyHashable: Any] = [:]
    }

    /// Creates empty content.
    public override init() {}

    init(_ fields: Fields) { self.fields = fields }

    /// Attached images, sounds and videos.
    open var attachments: [UNNotificationAttachment] { fields.attachments }
    /// The number on the app's icon; `nil` leaves it unchanged.
    open var badge: NSNumber? { fields.badge }
    /// The text.
    open var body: String { fields.body }
    /// The identifier of its category.
    open var categoryIdentifier: String { fields.categoryIdentifier }
    /// The interruption level.
    open var interruptionLevel: UNNotificationInterruptionLevel { fields.interruptionLevel }
    /// The sound.
    open var sound: UNNotificationSound? { fields.sound }
    /// The second line.
    open var subtitle: String { fields.subtitle }
    /// Groups notifications.
    open var threadIdentifier: String { fields.threadIdentifier }
    /// The first line.
    open var title: String { fields.title }
    /// The payload.
    open var userInfo: [AnyHashable: Any] { fields.userInfo }

    /// An immutable copy.
    public func copy(with zone: NSZone?) -> Any { UNNotificationContent(fields) }

    /// A mutable copy.
    public func mutableCopy(with zone: NSZone?) -> Any { UNMutableNotificationContent(fields) }
}

/// Mutable content.
open class UNMutableNotificationContent: UNNotificationContent {
    /// Creates empty content.
    public override init() { super.init() }

    override init(_ fields: Fields) { super.init(fields) }

    /// Attached images, sounds and videos.
    open override var attachments: [UNNotificationAttachment] {
        get { fields.attachments }
        set { fields.attachments = newValue }
    }
    /// The number on the app's icon; `nil` leaves it unchanged.
    open override var badge: NSNumber? {
        get { fields.badge }
        set { fields.badge = newValue }
    }
    /// The text.
    open override var body: String {
        get { fields.body }
        set { fields.body = newValue }
    }
    /// The identifier of its category.
    open override var categoryIdentifier: String {
        get { fields.categoryIdentifier }
        set { fields.categoryIdentifier = newValue }
    }
    /// The interruption level.
    open override var interruptionLevel: UNNotificationInterruptionLevel {
        get { fields.interruptionLevel }
        set { fields.interruptionLevel = newValue }
    }
    /// The sound.
    open override var sound: UNNotificationSound? {
        get { fields.sound }
        set { fields.sound = newValue }
    }
    /// The second line.
    open override var subtitle: String {
        get { fields.subtitle }
        set { fields.subtitle = newValue }
    }
    /// Groups notifications.
    open override var threadIdentifier: String {
        get { fields.threadIdentifier }
        set { fields.threadIdentifier = newValue }
    }
    /// The first line.
    open override var title: String {
        get { fields.title }
        set { fields.title = newValue }
    }
    /// The payload.
    open override var userInfo: [AnyHashable: Any] {
        get { fields.userInfo }
        set { fields.userInfo = newValue }
    }
}

/// How much a notification may interrupt.
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    /// Added to the list without an alert.
    case passive
    /// Presented at once, with sound.
    case active
    /// Presented at once, despite most settings.
    case timeSensitive
    /// Presented at once, even when the phone is muted.
    case critical
}

/// The sound of a notification.
open class UNNotificationSound: NSObject {
    let name: String

    /// Creates a sound from a file of the app.
    public init(named name: UNNotificationSoundName) { self.name = name.rawValue }

    /// The system's sound.
    public class var `default`: UNNotificationSound { UNNotificationSound(named: UNNotificationSoundName("default")) }
}

/// The name of a sound file.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
    /// The file's name.
    public let rawValue: String

    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Wraps a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}
