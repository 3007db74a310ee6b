#if canImport(UIKit)
public import Carillon
public import CarillonCalls
public import Foundation
public import UIKit

/// The app's delegate; in an app of its own it is marked `@main`.
public final class AppDelegate: UIResponder, UIApplicationDelegate {
    /// Joins the app to Carillon; `nil` when its configuration cannot be used.
    public private(set) var carillon: CarillonApp?
    /// The app's calls.
    public private(set) var voIP: CarillonVoIP?
    /// Takes what the app shows.
    public var log: @MainActor (String) -> Void = { print($0) }
    private lazy var screen = Screen(log: log)

    /// Starts, early enough to be told of what the app was started for.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        do {
            start(try CarillonApp(CarillonConfiguration(bundle: .main)))
        } catch {
            // The Info.plist lacks CarillonServerURL or CarillonAppKey.
            log("Carillon cannot start: \(error)")
        }
        return true
    }

    private func start(_ carillon: CarillonApp) {
        self.carillon = carillon
        carillon.notificationOptions = NotificationOptions(foreground: true)
        carillon.delegate = screen
        carillon.start()
        let voIP = CarillonVoIP(client: carillon.client)
        self.voIP = voIP
        voIP.delegate = screen
        voIP.start()
    }

    /// Hands the token on.
    public func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        carillon?.didRegister(deviceToken: deviceToken)
    }

    /// Hands the failure on.
    public func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        carillon?.didFailToRegister(error)
    }

    /// Hands a silent push on.
    public func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        await carillon?.didReceiveRemoteNotification(userInfo) ?? .noData
    }
}
#endif
