public import Foundation

// The vendor's constants, under its names. Swift exports no global constant to Objective-C, but classes and their properties:
// `nType.NIMAGE` is read there as before.

/// The most bytes of all files of one upload together.
public let maxFileSize = 1_000_000
/// The operation that makes an account.
public let registerURL = "core/user/register"
/// The operation that activates an account; the id follows.
public let activateURL = "core/user/activate"
/// The operation that ends a session.
public let logoutURL = "core/user/logout"

// swift-format-ignore: TypeNamesShouldBeCapitalized, AlwaysUseLowerCamelCase
/// Kinds of attachments, for the parameter `nType`.
///
/// They are those of the Objective-C SDK; the Swift SDK of 2014 had 4 for audio and 5 for video.
#if canImport(ObjectiveC)
@objc(nType) @objcMembers
#endif
public final class nType: NSObject {
    /// An icon.
    public static let NICON = "1"
    /// A file.
    public static let NFILE = "2"
    /// An image.
    public static let NIMAGE = "3"
    /// A video.
    public static let NVIDEO = "4"
    /// A sound.
    public static let NAUDIO = "5"
}
