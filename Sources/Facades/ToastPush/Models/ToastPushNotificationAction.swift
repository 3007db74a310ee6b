public import Foundation

/// What a pressed button does.
#if canImport(ObjectiveC)
@objc
#endif
public enum ToastPushNotificationActionType: Int, Codable, Sendable {
    /// The notification was taken away.
    case dismiss = 0
    /// The app was opened.
    case openApp = 1
    /// A URL was opened.
    case openURL = 2
    /// A text was written.
    case reply = 3
}

/// A button that was pressed.
#if canImport(ObjectiveC)
@objc(ToastPushNotificationAction) @objcMembers
#endif
public final class ToastPushNotificationAction: NSObject, NSSecureCoding, NSCopying, Sendable {
    struct Fields: Codable, Hashable, Sendable {
        var actionIdentifier: String
        var categoryIdentifier: String
        var button: ToastPushButton.Fields
        var message: ToastPushMessage.Fields
        var userText: String?
    }

    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }

    /// The system's name for the action.
    public var actionIdentifier: String { fields.actionIdentifier }
    /// The system's name for the notification's category.
    public var categoryIdentifier: String { fields.categoryIdentifier }
    /// What the button does.
    public var actionType: ToastPushNotificationActionType {
        switch fields.button.buttonType {
        case .dismiss: .dismiss
        case .openApp: .openApp
        case .openURL: .openURL
        case .reply: .reply
        }
    }
    /// The button.
    public var button: ToastPushButton { ToastPushButton(fields.button) }
    /// The message it stood under.
    public var message: ToastPushMessage { ToastPushMessage(fields.message) }
    /// What was written.
    public var userText: String? { fields.userText }

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

    /// Itself: nothing in it can change.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
