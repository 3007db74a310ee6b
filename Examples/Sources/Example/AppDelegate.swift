#if canImport(UIKit)
public import Carillon
public import CarillonCalls
public import Foundation
public import UIKit

/// The app's delegate; in an app of its own it is marked `@main`.
public final class AppDelegate: UIResponder, UIApplicationDelegate {
    /// Joins the app to Carillon; `nil` when its configuration cannot be used.
    public private(set) lazy var carillon = makeApp()
    /// The app's calls.
    public private(set) lazy var voIP = carillon.map { CarillonVoIP(client: $0.client) }
    private lazy var screen = Screen(log: log)
    private var makeClient: @MainActor () throws -> CarillonClient = {
        // CarillonServerURL and CarillonAppKey of the Info.plist.
        try CarillonClient(CarillonConfiguration(bundle: .main))
    }
    private var log: @MainActor (String) -> Void = { print($0) }

    /// Makes a delegate for a test; UIKit makes the app's by `init()`.
    ///
    /// - Parameters:
    ///   - makeClient: Makes the SDK's client.
    ///   - log: Takes what the app shows.
    public convenience init(
        makeClient: @escaping @MainActor () throws -> CarillonClient,
        log: @escaping @MainActor (String) -> Void
    ) {
        self.init()
        self.makeClient = makeClient
        self.log = log
    }

    private func makeApp() -> CarillonApp? {
        do {
            return CarillonApp(client: try makeClient())
        } catch {
            // A missing address or key is found here, at the app's start.
            log("Carillon cannot start: \(error)")
            return nil
        }
    }

    /// Starts, early enough to be told of what the app was started for.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        carillon?.notificationOptions = NotificationOptions(foreground: true)
        carillon?.delegate = screen
        voIP?.delegate = screen
        carillon?.start()
        voIP?.start()
        return true
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
