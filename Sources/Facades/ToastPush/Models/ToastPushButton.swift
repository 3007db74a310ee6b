#if canImport(UIKit)
public import Foundation

/// The function of a button.
#if canImport(ObjectiveC)
@objc
#endif
public enum ToastPushButtonType: Int, Codable, Sendable {
    /// Dismisses the notification.
    case dismiss = 0
    /// Opens the app.
    case openApp = 1
    /// Opens a URL.
    case openURL = 2
    /// Requests a text.
    case reply = 3
}

/// A button of a notification.
#if canImport(ObjectiveC)
@objc(ToastPushButton) @objcMembers
#endif
public final class ToastPushButton: NSObject, NSSecureCoding, NSCopying, Sendable {
    struct Fields: Codable, Hashable, Sendable {
        var identifier: String
        var buttonType: ToastPushButtonType
        var name: String
        var link: String?
        var hint: String?
        var submit: String?
    }

    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }

    /// The button's id.
    public var identifier: String { fields.identifier }
    /// Its function.
    public var buttonType: ToastPushButtonType { fields.buttonType }
    /// Its title.
    public var name: String { fields.name }
    /// Its link.
    public var link: String? { fields.link }
    /// The placeholder of the text field.
    public var hint: String? { fields.hint }
    /// The title of the button that sends the text.
    public var submit: String? { fields.submit }

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
