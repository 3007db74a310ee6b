#if canImport(UIKit)
public import Foundation

/// A kind of media.
#if canImport(ObjectiveC)
@objc
#endif
public enum ToastPushMediaType: Int, Codable, Sendable {
    /// An image.
    case image = 0
    /// A video.
    case video = 1
    /// A sound.
    case audio = 2
}

/// An image, video or sound.
#if canImport(ObjectiveC)
@objc(ToastPushMedia) @objcMembers
#endif
public final class ToastPushMedia: NSObject, NSSecureCoding, NSCopying, Sendable {
    struct Fields: Codable, Hashable, Sendable {
        var mediaType: ToastPushMediaType
        var source: String
    }

    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }

    /// The kind of media.
    public var mediaType: ToastPushMediaType { fields.mediaType }
    /// A URL, or the full name of a file in the extension's bundle.
    public var source: String { fields.source }

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
