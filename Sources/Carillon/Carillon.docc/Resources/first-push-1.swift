import Carillon
import UIKit

final class AppDelegate: UIResponder, UIApplicationDelegate {
    private let carillon = try? CarillonApp(CarillonConfiguration(bundle: .main))
}
