package import Carillon
package import CarillonCalls
import CarillonServiceExtension
package import Foundation
package import UIKit

/// The app on a simulated phone, with an ordinary app delegate.
@MainActor
package final class PhoneApp: UIResponder, UIApplicationDelegate {
    /// What the app does at its launch, with the launch options.
    package typealias Launch = @MainActor @Sendable (PhoneApp, [UIApplication.LaunchOptionsKey: Any]?) -> Void

    package let carillon: CarillonApp
    package let voIP: CarillonVoIP
    private let onLaunch: Launch?

    init(client: CarillonClient, onLaunch: Launch? = nil) {
        self.onLaunch = onLaunch
        carillon = CarillonApp(client: client)
        voIP = CarillonVoIP(client: client)
        super.init()
    }

    package func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        onLaunch?(self, launchOptions)
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
}

/// The app's service extension: an empty subclass suffices.
final class PhoneServiceExtension: CarillonNotificationServiceExtension {}
