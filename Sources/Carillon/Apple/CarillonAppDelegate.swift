#if canImport(UIKit) && canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
public import Foundation
public import UIKit
import UserNotifications

/// Receives what happens to an app's pushes; every method has a default.
@MainActor
@available(iOSApplicationExtension, unavailable)
public protocol CarillonAppDelegate: AnyObject {
    /// A push arrived while the app was in the foreground, or a silent one woke it.
    func carillon(_ app: CarillonApp, didReceive message: PushMessage)

    /// The person tapped a notification, which may have launched the app.
    func carillon(_ app: CarillonApp, didOpen message: PushMessage)

    /// The person pressed a button of a notification, or answered.
    func carillon(_ app: CarillonApp, didPerform action: PushAction)

    /// Whether the SDK may open a link; false when the app handles it.
    func carillon(_ app: CarillonApp, shouldOpen link: URL, of message: PushMessage) -> Bool
}

@available(iOSApplicationExtension, unavailable)
extension CarillonAppDelegate {
    /// Does nothing.
    public func carillon(_ app: CarillonApp, didReceive message: PushMessage) {}
    /// Does nothing.
    public func carillon(_ app: CarillonApp, didOpen message: PushMessage) {}
    /// Does nothing.
    public func carillon(_ app: CarillonApp, didPerform action: PushAction) {}
    /// Returns true.
    public func carillon(_ app: CarillonApp, shouldOpen link: URL, of message: PushMessage) -> Bool { true }
}

extension PushMessage {
    /// The push whose tap connected a scene; `nil` when none did, or the push is not Carillon's.
    ///
    /// - Parameter connectionOptions: From `scene(_:willConnectTo:options:)`.
    @MainActor
    public init?(connectionOptions: UIScene.ConnectionOptions) {
        guard let response = connectionOptions.notificationResponse else { return nil }
        self.init(userInfo: response.notification.request.content.userInfo)
    }

    /// The push that launched the app; `nil` when none did, or the push is not Carillon's.
    ///
    /// "If the app supports scenes, this is `nil`" (Apple): see ``init(connectionOptions:)``.
    ///
    /// - Parameter launchOptions: From `application(_:didFinishLaunchingWithOptions:)`.
    public init?(launchOptions: [UIApplication.LaunchOptionsKey: Any]?) {
        guard let userInfo = launchOptions?[.remoteNotification] as? [AnyHashable: Any] else { return nil }
        self.init(userInfo: userInfo)
    }
}
#endif
