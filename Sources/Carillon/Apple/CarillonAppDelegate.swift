#if canImport(UIKit) && canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
public import Foundation
public import UIKit

/// Is told what happens to an app's pushes; every method has a default.
@MainActor
public protocol CarillonAppDelegate: AnyObject {
    /// A push came while the app was in front, or a silent one woke it.
    func carillon(_ app: CarillonApp, didReceive message: PushMessage)

    /// The person tapped a notification; the app may have been started by it.
    func carillon(_ app: CarillonApp, didOpen message: PushMessage)

    /// The person pressed a button under a notification, or answered.
    func carillon(_ app: CarillonApp, didPerform action: PushAction)

    /// Whether the system may open a link now; false when the app shows by itself what it leads to.
    func carillon(_ app: CarillonApp, shouldOpen link: URL, of message: PushMessage) -> Bool
}

extension CarillonAppDelegate {
    /// Does nothing.
    public func carillon(_ app: CarillonApp, didReceive message: PushMessage) {}
    /// Does nothing.
    public func carillon(_ app: CarillonApp, didOpen message: PushMessage) {}
    /// Does nothing.
    public func carillon(_ app: CarillonApp, didPerform action: PushAction) {}
    /// Says yes.
    public func carillon(_ app: CarillonApp, shouldOpen link: URL, of message: PushMessage) -> Bool { true }
}

extension PushMessage {
    /// The push that the app was started by; `nil` when it was started otherwise, or the push is not Carillon's.
    ///
    /// - Parameter launchOptions: From `application(_:didFinishLaunchingWithOptions:)`.
    public init?(launchOptions: [UIApplication.LaunchOptionsKey: Any]?) {
        guard let userInfo = launchOptions?[.remoteNotification] as? [AnyHashable: Any] else { return nil }
        self.init(userInfo: userInfo)
    }
}
#endif
