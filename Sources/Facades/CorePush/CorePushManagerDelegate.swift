public import Foundation

#if canImport(ObjectiveC)
/// Is told of pushes; every method may be left out.
@preconcurrency @MainActor @objc(CorePushManagerDelegate)
public protocol CorePushManagerDelegate: NSObjectProtocol {
    /// The person opened the app, which was behind, by a notification.
    @objc optional func handleBackgroundNotification(_ notification: [AnyHashable: Any])

    /// A push came while the app is in front; spelled as the vendor's SDK spells it.
    @objc optional func handleForegroundNotifcation(_ notification: [AnyHashable: Any])

    /// A push came while the app is in front; called where ``handleForegroundNotifcation(_:)`` is left out.
    @objc optional func handleForegroundNotification(_ notification: [AnyHashable: Any])

    /// The app was started by a notification.
    @objc optional func handleLaunchingNotification(_ notification: [AnyHashable: Any])
}
#else
/// Is told of pushes; every method may be left out.
@preconcurrency @MainActor
public protocol CorePushManagerDelegate: NSObjectProtocol {
    /// The person opened the app, which was behind, by a notification.
    func handleBackgroundNotification(_ notification: [AnyHashable: Any])

    /// A push came while the app is in front; spelled as the vendor's SDK spells it.
    func handleForegroundNotifcation(_ notification: [AnyHashable: Any])

    /// A push came while the app is in front; called where ``handleForegroundNotifcation(_:)`` is left out.
    func handleForegroundNotification(_ notification: [AnyHashable: Any])

    /// The app was started by a notification.
    func handleLaunchingNotification(_ notification: [AnyHashable: Any])
}

extension CorePushManagerDelegate {
    /// Does nothing.
    public func handleBackgroundNotification(_ notification: [AnyHashable: Any]) {}

    /// Calls the one that is spelled right.
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
