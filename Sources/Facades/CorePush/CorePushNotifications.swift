#if canImport(UIKit)
public import Foundation

/// What calls of the manager end with.
///
/// A failure's `userInfo` has the reason under `NSUnderlyingErrorKey`, mostly a `CarillonError`; the vendor's SDK documents no
/// `userInfo`, and an app of theirs does not read it.
// swift-format-ignore: AlwaysUseLowerCamelCase
extension Notification.Name {
    /// The token was sent.
    public static let CorePushManagerRegisterTokenRequestSuccess = Self("CorePushManagerRegisterTokenRequestSuccess")
    /// The token could not be sent; it is sent again automatically unless the server refused it.
    public static let CorePushManagerRegisterTokenRequestFail = Self("CorePushManagerRegisterTokenRequestFail")
    /// The token was unregistered.
    public static let CorePushManagerUnregisterTokenRequestSuccess = Self(
        "CorePushManagerUnregisterTokenRequestSuccess"
    )
    /// The token could not be unregistered; it is tried again automatically.
    public static let CorePushManagerUnregisterTokenRequestFail = Self("CorePushManagerUnregisterTokenRequestFail")
    /// The attributes were sent.
    public static let CorePushManagerRegisterUserAttributesRequestSuccess = Self(
        "CorePushManagerRegisterUserAttributesRequestSuccess"
    )
    /// The attributes could not be sent.
    public static let CorePushManagerRegisterUserAttributesRequestFail = Self(
        "CorePushManagerRegisterUserAttributesRequestFail"
    )
}
#endif
