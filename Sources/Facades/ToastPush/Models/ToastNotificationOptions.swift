#if canImport(UIKit)
public import Foundation

/// How notifications are presented.
#if canImport(ObjectiveC)
@objc(ToastNotificationOptions) @objcMembers
#endif
public final class ToastNotificationOptions: NSObject, NSSecureCoding, NSCopying {
    struct Fields: Codable, Hashable, Sendable {
        var foregroundEnabled = false
        var badgeEnabled = true
        var soundEnabled = true
    }

    var fields = Fields()

    /// Creates the defaults: not in the foreground, with badge and sound.
    public override init() {}

    /// Creates a copy.
    ///
    /// - Parameter options: The original.
    public init(options: ToastNotificationOptions) { fields = options.fields }

    /// Whether notifications are shown while the app is in the foreground.
    public var foregroundEnabled: Bool {
        get { fields.foregroundEnabled }
        set { fields.foregroundEnabled = newValue }
    }

    /// Whether the number on the app's icon is used.
    public var badgeEnabled: Bool {
        get { fields.badgeEnabled }
        set { fields.badgeEnabled = newValue }
    }

    /// Whether there is a sound.
    public var soundEnabled: Bool {
        get { fields.soundEnabled }
        set { fields.soundEnabled = newValue }
    }

    // MARK: - Archives and copies

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive.
    public init?(coder: NSCoder) {
        guard let fields: Fields = Archive.decode(coder) else { return nil }
        self.fields = fields
    }

    /// Writes an archive.
    public func encode(with coder: NSCoder) { Archive.encode(fields, in: coder) }

    /// A copy.
    public func copy(with zone: NSZone? = nil) -> Any { ToastNotificationOptions(options: self) }
}
#endif
