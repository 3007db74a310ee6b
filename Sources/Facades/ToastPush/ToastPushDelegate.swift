#if canImport(UIKit)
public import Foundation

#if canImport(ObjectiveC)
/// Notified of pushes on the main thread; every method is optional.
@preconcurrency @MainActor @objc(ToastPushDelegate)
public protocol ToastPushDelegate: NSObjectProtocol {
    /// A push was received while the app runs.
    @objc(didReceiveNotificationWithMessage:)
    optional func didReceiveNotification(message: ToastPushMessage)

    /// The person tapped a notification, and the app was opened.
    @objc(didReceiveNotificationResponseWithMessage:)
    optional func didReceiveNotificationResponse(message: ToastPushMessage)

    /// The person pressed a button, or sent a reply.
    @objc(didReceiveNotificationAction:)
    optional func didReceiveNotificationAction(action: ToastPushNotificationAction)
}
#else
/// Notified of pushes on the main thread; every method is optional.
@preconcurrency @MainActor
public protocol ToastPushDelegate: NSObjectProtocol {
    /// A push was received while the app runs.
    func didReceiveNotification(message: ToastPushMessage)

    /// The person tapped a notification, and the app was opened.
    func didReceiveNotificationResponse(message: ToastPushMessage)

    /// The person pressed a button, or sent a reply.
    func didReceiveNotificationAction(action: ToastPushNotificationAction)
}

extension ToastPushDelegate {
    /// Does nothing.
    public func didReceiveNotification(message: ToastPushMessage) {}

    /// Does nothing.
    public func didReceiveNotificationResponse(message: ToastPushMessage) {}

    /// Does nothing.
    public func didReceiveNotificationAction(action: ToastPushNotificationAction) {}
}
#endif

extension ToastPushDelegate {
    func notifyReceived(_ message: ToastPushMessage) {
        #if canImport(ObjectiveC)
        didReceiveNotification?(message: message)
        #else
        didReceiveNotification(message: message)
        #endif
    }

    func notifyOpened(_ message: ToastPushMessage) {
        #if canImport(ObjectiveC)
        didReceiveNotificationResponse?(message: message)
        #else
        didReceiveNotificationResponse(message: message)
        #endif
    }

    func notifyAction(_ action: ToastPushNotificationAction) {
        #if canImport(ObjectiveC)
        didReceiveNotificationAction?(action: action)
        #else
        didReceiveNotificationAction(action: action)
        #endif
    }
}
#endif
