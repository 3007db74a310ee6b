package import Carillon
package import Foundation
package import UIKit

/// The app on a simulated phone: written as any app's delegate is.
@MainActor
package final class PhoneApp: UIResponder, UIApplicationDelegate {
    package let carillon: CarillonApp

    init(client: CarillonClient) {
        carillon = CarillonApp(client: client)
        super.init()
    }

    package func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        carillon.start()
        return true
    }

    package func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        carillon.didRegister(deviceToken: deviceToken)
    }

    package func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        carillon.didFailToRegister(error)
    }

    package func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        await carillon.didReceiveRemoteNotification(userInfo)
    }

    package func applicationDidBecomeActive(_ application: UIApplication) {
        carillon.didBecomeActive()
    }
}

/// The app's service extension: an empty subclass suffices.
final class PhoneServiceExtension: CarillonNotificationServiceExtension {}
