import Carillon
import UIKit

final class AppDelegate: UIResponder, UIApplicationDelegate {
    private let carillon = try? CarillonApp(CarillonConfiguration(bundle: .main))

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        carillon?.start()
        return true
    }
}
