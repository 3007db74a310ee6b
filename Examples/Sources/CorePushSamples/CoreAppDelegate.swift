#if canImport(UIKit)
public import CorePush
public import Foundation
public import UIKit
import UserNotifications

/// The vendor's samples of starting, registration and the three callbacks, in Swift.
public final class CoreAppDelegate: UIResponder, UIApplicationDelegate, CorePushManagerDelegate {
    private let configKey: String
    private let log: @MainActor (String) -> Void
    private let presenter = NotificationPresenter()

    /// Makes the delegate.
    ///
    /// - Parameters:
    ///   - configKey: The App key of Carillon's server.
    ///   - log: Takes what happens.
    public init(configKey: String, log: @escaping @MainActor (String) -> Void) {
        self.configKey = configKey
        self.log = log
        super.init()
    }

    /// Starts, registers, and handles the push that the app was started by.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // The app's own notification delegate first: Carillon's calls it.
        UNUserNotificationCenter.current().delegate = presenter
        CorePushManager.shared.configKey = configKey
        CorePushManager.shared.delegate = self
        CorePushManager.shared.registerForRemoteNotifications()
        CorePushManager.shared.handleLaunchingNotification(withOption: launchOptions)
        CorePushManager.resetApplicationIconBadgeNumber()
        return true
    }

    /// Hands the token on, as ever.
    public func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        CorePushManager.shared.registerDeviceToken(deviceToken)
    }

    /// The app was behind and is opened by a notification.
    public func handleBackgroundNotification(_ notification: [AnyHashable: Any]) {
        handle(notification, "background")
    }

    /// A push came while the app is in front.
    public func handleForegroundNotifcation(_ notification: [AnyHashable: Any]) {
        handle(notification, "foreground")
    }

    /// The app was started by a notification.
    public func handleLaunchingNotification(_ notification: [AnyHashable: Any]) {
        handle(notification, "launching")
    }

    private func handle(_ userInfo: [AnyHashable: Any], _ name: String) {
        log("\(name): \(userInfo["url"] as? String ?? "")")
        if let pushId = userInfo["push_id"] as? String {
            CorePushAnalyticsManager.shared.requestAppLaunchAnalytics(pushId, latitude: "0", longitude: "0")
        }
        if let survey = ResearchSamples.showSurvey(of: userInfo) { log("survey: \(survey.urlString ?? "")") }
    }
}

/// Where a notification leads to the vendor's manager, on today's systems.
final class NotificationPresenter: NSObject, UNUserNotificationCenterDelegate {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        await handle(notification)
        return []
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse
    ) async {
        await handle(response.notification)
    }

    private func handle(_ notification: UNNotification) async {
        let userInfo = Payload(notification.request.content.userInfo)
        await MainActor.run { CorePushManager.shared.handleRemoteNotification(userInfo.fields) }
    }
}

/// Carries a payload to the main thread.
///
/// Unchecked: nobody changes it.
private struct Payload: @unchecked Sendable {
    let fields: [AnyHashable: Any]

    init(_ fields: [AnyHashable: Any]) { self.fields = fields }
}
#endif
