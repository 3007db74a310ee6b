#if canImport(UIKit)
public import Foundation

/// The function of a pressed button.
#if canImport(ObjectiveC)
@objc
#endif
public enum ToastPushNotificationActionType: Int, Codable, Sendable {
    /// The notification was dismissed.
    case dismiss = 0
    /// The app was opened.
    case openApp = 1
    /// A URL was opened.
    case openURL = 2
    /// A text was sent.
    case reply = 3
}

/// A pressed button.
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

    /// The system's identifier of the action.
    public var actionIdentifier: String { fields.actionIdentifier }
    /// The system's identifier of the notification's category.
    public var categoryIdentifier: String { fields.categoryIdentifier }
    /// The button's function.
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
    /// The button's message.
    public var message: ToastPushMessage { ToastPushMessage(fields.message) }
    /// The text.
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

    /// Itself: it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
#endif
