#if canImport(UIKit)
public import Foundation

#if canImport(ObjectiveC)
/// Notified of pushes; every method is optional.
@preconcurrency @MainActor @objc(CorePushManagerDelegate)
public protocol CorePushManagerDelegate: NSObjectProtocol {
    /// The person opened the app from the background by a notification.
    @objc optional func handleBackgroundNotification(_ notification: [AnyHashable: Any])

    /// A push was received while the app is active; spelled as in the vendor's SDK.
    @objc optional func handleForegroundNotifcation(_ notification: [AnyHashable: Any])

    /// A push was received while the app is active; called when ``handleForegroundNotifcation(_:)`` is not implemented.
    @objc optional func handleForegroundNotification(_ notification: [AnyHashable: Any])

    /// A notification launched the app.
    @objc optional func handleLaunchingNotification(_ notification: [AnyHashable: Any])
}
#else
/// Notified of pushes; every method is optional.
@preconcurrency @MainActor
public protocol CorePushManagerDelegate: NSObjectProtocol {
    /// The person opened the app from the background by a notification.
    func handleBackgroundNotification(_ notification: [AnyHashable: Any])

    /// A push was received while the app is active; spelled as in the vendor's SDK.
    func handleForegroundNotifcation(_ notification: [AnyHashable: Any])

    /// A push was received while the app is active; called when ``handleForegroundNotifcation(_:)`` is not implemented.
    func handleForegroundNotification(_ notification: [AnyHashable: Any])

    /// A notification launched the app.
    func handleLaunchingNotification(_ notification: [AnyHashable: Any])
}

extension CorePushManagerDelegate {
    /// Does nothing.
    public func handleBackgroundNotification(_ notification: [AnyHashable: Any]) {}

    /// Calls the correctly spelled method.
    public func handleForegroundNotifcation(_ notification: [AnyHashable: Any]) {
        handleForegroundNotification(notification)
    }

    /// Does nothing.
    public func handleForegroundNotification(_ notification: [AnyHashable: Any]) {}

    /// Does nothing.
    public func handleLaunchingNotification(_ notification: [AnyHashable: Any]) {}
}
#endif

extension CorePushManagerDelegate {
    func notifyBackground(_ userInfo: [AnyHashable: Any]) {
        #if canImport(ObjectiveC)
        handleBackgroundNotification?(userInfo)
        #else
        handleBackgroundNotification(userInfo)
        #endif
    }

    func notifyForeground(_ userInfo: [AnyHashable: Any]) {
        #if canImport(ObjectiveC)
        if handleForegroundNotifcation?(userInfo) == nil { handleForegroundNotification?(userInfo) }
        #else
        handleForegroundNotifcation(userInfo)
        #endif
    }

    func notifyLaunching(_ userInfo: [AnyHashable: Any]) {
        #if canImport(ObjectiveC)
        handleLaunchingNotification?(userInfo)
        #else
        handleLaunchingNotification(userInfo)
        #endif
    }
}
#endif
