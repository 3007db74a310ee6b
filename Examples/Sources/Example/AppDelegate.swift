#if canImport(UIKit)
import Carillon
import Foundation
import UIKit
import UserNotifications

/// The app's delegate; in an app of its own it is marked `@main`.
final class AppDelegate: UIResponder, UIApplicationDelegate {
    /// `CarillonServerURL` and `CarillonAppKey` stand in the app's Info.plist.
    private let carillon = try? CarillonApp(CarillonConfiguration(bundle: .main))

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        carillon?.notificationOptions.foreground = true
        carillon?.delegate = self
        carillon?.start()
        return true
    }

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        carillon?.didRegister(deviceToken: deviceToken)
    }

    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        carillon?.didFailToRegister(error)
    }

    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        await carillon?.didReceiveRemoteNotification(userInfo) ?? .noData
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        carillon?.didBecomeActive()
    }

    /// Called when the person agrees in the app's own screen; asks for the system's permission and registers.
    func subscribe(user: UserID?, wantsAds: Bool) async {
        do {
            try await carillon?.register(consent: Consent(notifications: true, ads: wantsAds), user: user)
        } catch {
            // Nothing to do: it is tried again by itself, unless the server refused it.
            print("not registered yet: \(error.code.rawValue)")
        }
    }

    /// Called when the person logs out: the phone stays registered, for nobody.
    func logOut() async {
        try? await carillon?.client.setUser(nil)
    }

    /// Called when the person wants to be forgotten.
    func forget() async {
        try? await carillon?.client.unregister()
    }
}

extension AppDelegate: CarillonAppDelegate {
    func carillon(_ app: CarillonApp, shouldOpen link: URL, of message: PushMessage) -> Bool {
        Router.open(link)
        return false
    }
}

/// Shows what a link leads to.
@MainActor
enum Router {
    static func open(_ link: URL) {
        print("showing \(link)")
    }
}
#endif
