#if canImport(UIKit)
public import Carillon
import CarillonContent
public import Foundation
public import UIKit

/// The app's delegate: joins the app to Carillon, and turns what the system says into what the screens know.
public final class FunArtDelegate: UIResponder, UIApplicationDelegate, CarillonAppDelegate {
    /// The app; `nil` when its configuration cannot be used.
    public private(set) var app: FunArtModel?
    /// The app's services.
    public private(set) var services: Services?
    private var carillon: CarillonApp?

    /// Starts, early enough to be told of what the app was started for.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        do {
            start(try CarillonApp(CarillonConfiguration(bundle: .main)))
        } catch {
            assertionFailure("\(error)")  // The Info.plist lacks the server's address or the App key.
        }
        return true
    }

    private func start(_ carillon: CarillonApp) {
        self.carillon = carillon
        let services = Services(carillon.client, content: carillon.content) {
            [weak carillon] () async throws(CarillonError) in
            try await carillon?.allowNotifications()
        }
        self.services = services
        app = FunArtModel(services)
        carillon.notificationOptions = NotificationOptions(foreground: true)
        carillon.delegate = self
        carillon.start()
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

    // MARK: - The person taps a notification

    /// Opens the event that the notification is about.
    public func carillon(_ app: CarillonApp, didOpen message: PushMessage) {
        guard let event = message.url.flatMap(Names.event(in:)) else { return }
        self.app?.open(event: event)
    }

    /// Links to the app's own screens are not for the system.
    public func carillon(_ app: CarillonApp, shouldOpen link: URL, of message: PushMessage) -> Bool {
        Names.event(in: link) == nil
    }
}

extension CarillonApp {
    /// Asks the person for the permission, and registers the phone with their consent.
    fileprivate func allowNotifications() async throws(CarillonError) {
        try await register()
        try await client.setConsent(Consent(notifications: true))
    }
}
#endif
