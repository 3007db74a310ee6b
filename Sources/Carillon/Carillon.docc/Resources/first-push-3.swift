import Carillon
import UIKit

final class AppDelegate: UIResponder, UIApplicationDelegate {
    private var carillon: CarillonApp?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        do {
            carillon = try CarillonApp(CarillonConfiguration(bundle: .main))
        } catch {
            // The Info.plist lacks the server's address or the App key; the console says which.
            assertionFailure("\(error)")
        }
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
}
