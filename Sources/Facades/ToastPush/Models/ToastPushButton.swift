public import Foundation

/// What a button does.
#if canImport(ObjectiveC)
@objc
#endif
public enum ToastPushButtonType: Int, Codable, Sendable {
    /// Takes the notification away.
    case dismiss = 0
    /// Opens the app.
    case openApp = 1
    /// Opens a URL.
    case openURL = 2
    /// Asks for a text.
    case reply = 3
}

/// A button under a notification.
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

    /// The button's name for programs.
    public var identifier: String { fields.identifier }
    /// What it does.
    public var buttonType: ToastPushButtonType { fields.buttonType }
    /// What it shows.
    public var name: String { fields.name }
    /// Where it leads.
    public var link: String? { fields.link }
    /// What stands in the empty text field.
    public var hint: String? { fields.hint }
    /// What the button that sends the text shows.
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

    /// Itself: nothing in it can change.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
