public import Foundation

/// A file that is shown with a notification.
open class UNNotificationAttachment: NSObject {
    /// Its identifier within the notification.
    public let identifier: String
    /// The URL of the file; the system moves it into its own store when it shows the notification.
    open internal(set) var url: URL
    /// The file's type, such as `public.png`.
    public let type: String

    /// Creates an attachment.
    ///
    /// - Parameters:
    ///   - identifier: Its identifier; empty for one of the system's.
    ///   - url: An existing file.
    ///   - options: Ignored here.
    /// - Throws: ``UNError`` when there is no such file, its type is unknown or it is too large.
    public init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws {
        guard url.isFileURL,
            let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber
        else { throw UNError(.attachmentInvalidURL) }
        guard let kind = Self.kinds[url.pathExtension.lowercased()] else { throw UNError(.attachmentUnrecognizedType) }
        guard size.intValue <= kind.maximumBytes else { throw UNError(.attachmentInvalidFileSize) }
        self.identifier = identifier.isEmpty ? UUID().uuidString : identifier
        self.url = url
        type = kind.type
    }

    /// Apple's limits: 10 MB for an image, 5 MB for a sound, 50 MB for a video.
    private static let kinds: [String: (type: String, maximumBytes: Int)] = [
        "jpg": ("public.jpeg", 10_485_760), "jpeg": ("public.jpeg", 10_485_760),
        "gif": ("com.compuserve.gif", 10_485_760), "png": ("public.png", 10_485_760),
        "aiff": ("public.aiff-audio", 5_242_880), "wav": ("com.microsoft.waveform-audio", 5_242_880),
        "mp3": ("public.mp3", 5_242_880), "m4a": ("public.mpeg-4-audio", 5_242_880),
        "mpg": ("public.mpeg", 52_428_800), "mp4": ("public.mpeg-4", 52_428_800), "avi": ("public.avi", 52_428_800),
    ]
}

/// An error of notifications.
public struct UNError: Error, Hashable, Sendable {
    /// The code of the error.
    public enum Code: Int, Sendable {
        /// The person did not allow notifications.
        case notificationsNotAllowed = 1
        /// There is no file at the attachment's URL.
        case attachmentInvalidURL = 100
        /// Files of this type are not supported.
        case attachmentUnrecognizedType = 101
        /// The file is too large.
        case attachmentInvalidFileSize = 102
    }

    /// The code of the error.
    public let code: Code

    init(_ code: Code) { self.code = code }
}
