import Carillon
import CarillonCalls
import CarillonLocation
import CarillonPages
import CallKit
import Foundation
import UIKit

@MainActor
final class AppDelegate: UIResponder, UIApplicationDelegate, CarillonAppDelegate, CarillonVoIPDelegate {
    var carillon: CarillonApp?
    private var voIP: CarillonVoIP?

    func show(_ article: String?) {}
    func carillonVoIP(_ voIP: CarillonVoIP, didReceive call: IncomingCall) {}

    func example(
        client: CarillonClient, configuration: CarillonConfiguration, ownBackEnd: URL, archive: NotificationAction,
        frame: CGRect, window: UIWindow, top: UIViewController, message: PushMessage, call: IncomingCall,
        provider: CXProvider, update: CXCallUpdate
    ) async throws {
// BLOCK
    }
}
