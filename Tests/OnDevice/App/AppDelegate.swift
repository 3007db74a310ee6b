#if canImport(UIKit)
import Carillon
import CarillonCalls
import Foundation
import UIKit

/// The delegate of the app that the tests on an iPhone use.
// The package makes a library of this file, which has no entry point.
#if !SWIFT_PACKAGE
@main
#endif
final class AppDelegate: UIResponder, UIApplicationDelegate {
    let log = EventLog()
    private(set) lazy var pushEvents = PushEvents(log: log)
    private lazy var carillon = makeApp()
    private lazy var voIP = carillon.map { CarillonVoIP(client: $0.client) }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // The process shows the tests whether a tap started the app.
        log.add("launched \(ProcessInfo.processInfo.processIdentifier)")
        // A tap in the foreground needs a notification that is shown there.
        carillon?.notificationOptions = NotificationOptions(foreground: true)
        carillon?.delegate = pushEvents
        carillon?.start()
        voIP?.delegate = pushEvents
        voIP?.callDelegate = pushEvents
        voIP?.start()
        return true
    }

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        // The token itself is not shown: a screenshot of the log goes into a report.
        log.add("token of \(deviceToken.count) bytes")
        carillon?.didRegister(deviceToken: deviceToken)
    }

    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        log.add("no token: \(error.localizedDescription)")
        carillon?.didFailToRegister(error)
    }

    private func makeApp() -> CarillonApp? {
        do {
            return try CarillonApp(CarillonConfiguration(bundle: .main))
        } catch {
            log.add("failed: \(error.code.rawValue), \(error.detail)")
            return nil
        }
    }
}

// What the buttons of the screen do.
extension AppDelegate {
    func register() async {
        guard let carillon else { return }
        do {
            let registered = try await carillon.register(consent: Consent(notifications: true))
            log.add("device \(registered.device)")
        } catch {
            log.add("failed: \(error.code.rawValue), \(error.detail)")
        }
    }

    func registerCalls() async {
        guard let voIP else { return }
        do {
            let record = try await voIP.register()
            log.add("calls \(record.tokenState.rawValue) \(record.pushType.rawValue)")
        } catch {
            log.add("failed: \(error.code.rawValue), \(error.detail)")
        }
    }
}
#endif
