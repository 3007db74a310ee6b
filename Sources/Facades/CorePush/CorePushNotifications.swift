public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
extension Notification.Name {
    /// The token was sent.
    public static let CorePushManagerRegisterTokenRequestSuccess = Self("CorePushManagerRegisterTokenRequestSuccess")
    /// The token could not be sent; it is tried again by itself unless the server refused it.
    public static let CorePushManagerRegisterTokenRequestFail = Self("CorePushManagerRegisterTokenRequestFail")
    /// The token was taken back.
    public static let CorePushManagerUnregisterTokenRequestSuccess = Self(
        "CorePushManagerUnregisterTokenRequestSuccess"
    )
    /// The token could not be taken back; it is tried again by itself.
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
