#if canImport(UIKit)
// The vendor has renamed its SDK: TOAST Push is NHN Cloud Push. Swift callers may use either name.

/// ``ToastSDK``, by today's name.
public typealias NHNCloudSDK = ToastSDK
/// ``ToastNotificationOptions``, by today's name.
public typealias NHNCloudNotificationOptions = ToastNotificationOptions
/// ``ToastPush``, by today's name.
public typealias NHNCloudPush = ToastPush
/// ``ToastPushDelegate``, by today's name.
public typealias NHNCloudPushDelegate = ToastPushDelegate
/// ``ToastPushConfiguration``, by today's name.
public typealias NHNCloudPushConfiguration = ToastPushConfiguration
/// ``ToastPushAgreement``, by today's name.
public typealias NHNCloudPushAgreement = ToastPushAgreement
/// ``ToastPushMessage``, by today's name.
public typealias NHNCloudPushMessage = ToastPushMessage
/// ``ToastPushRichMessage``, by today's name.
public typealias NHNCloudPushRichMessage = ToastPushRichMessage
/// ``ToastPushMedia``, by today's name.
public typealias NHNCloudPushMedia = ToastPushMedia
/// ``ToastPushButton``, by today's name.
public typealias NHNCloudPushButton = ToastPushButton
/// ``ToastPushNotificationAction``, by today's name.
public typealias NHNCloudPushNotificationAction = ToastPushNotificationAction
/// ``ToastPushTokenInfo``, by today's name.
public typealias NHNCloudPushTokenInfo = ToastPushTokenInfo
/// ``ToastPushType``, by today's name.
public typealias NHNCloudPushType = ToastPushType
/// ``ToastPushServiceExtension``, by today's name.
public typealias NHNCloudPushServiceExtension = ToastPushServiceExtension
/// ``ToastPushError``, by today's name.
public typealias NHNCloudPushError = ToastPushError
/// ``ToastHttpError``, by today's name.
public typealias NHNCloudHttpError = ToastHttpError
#endif
