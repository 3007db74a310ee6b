import Carillon
import CarillonCalls
import Foundation
import UIKit

@MainActor
final class AppDelegate: UIResponder, UIApplicationDelegate {
    var carillon: CarillonApp?

    func show(_ article: String?) {}
    func answer(_ message: Any, _ reply: String?) {}
}

// BLOCK
