import Foundation
import ToastPush
import UIKit

final class AppDelegate: UIResponder, UIApplicationDelegate {
// BLOCK
}
