#if canImport(UIKit)
public import Foundation

/// A received push.
#if canImport(ObjectiveC)
@objc(ToastPushMessage) @objcMembers
#endif
public final class ToastPushMessage: NSObject, NSSecureCoding, NSCopying, Sendable {
    struct Fields: Codable, Hashable, Sendable {
        var identifier: String
        var title: String?
        var body: String?
        var badge: Int?
        var sound: String?
        var clickAction: String?
        var rich: ToastPushRichMessage.Fields?
        var payload: [String: String]
    }

    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }

    /// The server's number for the message.
    public var identifier: String { fields.identifier }
    /// The title.
    public var title: String? { fields.title }
    /// The text.
    public var body: String? { fields.body }
    /// The number for the app's icon; 0 when there is none.
    public var badge: Int { fields.badge ?? 0 }
    /// The sound's name.
    public var sound: String? { fields.sound }
    /// The link of a tap; the SDK opens it automatically.
    public var clickAction: String? { fields.clickAction }
    /// Media and buttons.
    public var richMessage: ToastPushRichMessage? { fields.rich.map(ToastPushRichMessage.init) }
    /// The whole payload; a value that is not a string is encoded as JSON.
    public var payload: [String: String] { fields.payload }

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

/// Media and buttons of a message.
#if canImport(ObjectiveC)
@objc(ToastPushRichMessage) @objcMembers
#endif
public final class ToastPushRichMessage: NSObject, NSSecureCoding, NSCopying, Sendable {
    struct Fields: Codable, Hashable, Sendable {
        var media: ToastPushMedia.Fields?
        var buttons: [ToastPushButton.Fields]?
    }

    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }

    /// An image, video or sound.
    public var media: ToastPushMedia? { fields.media.map(ToastPushMedia.init) }
    /// At most three.
    public var buttons: [ToastPushButton]? { fields.buttons.map { $0.map(ToastPushButton.init) } }

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
