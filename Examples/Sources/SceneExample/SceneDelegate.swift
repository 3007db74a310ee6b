#if canImport(UIKit)
import Carillon
public import Foundation
public import UIKit

/// The delegate of an app with scenes; in an app of its own it is marked `@main`.
///
/// The SDK's lines are those of an app without scenes: it observes what UIKit posts in any case.
public final class SceneAppDelegate: UIResponder, UIApplicationDelegate {
    private var carillon: CarillonApp?

    /// Starts, early enough to be told of what the app was started for.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        do {
            carillon = try CarillonApp(CarillonConfiguration(bundle: .main))
            carillon?.start()
        } catch {
            assertionFailure("\(error)")  // The Info.plist lacks the server's address or the App key.
        }
        return true
    }

    /// Names the scene's delegate; an Info.plist with `UIApplicationSceneManifest` does the same.
    public func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(name: nil, sessionRole: connectingSceneSession.role)
        configuration.delegateClass = SceneDelegate.self
        return configuration
    }

    /// Hands the token on.
    public func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        carillon?.didRegister(deviceToken: deviceToken)
    }

    /// The person agrees in the app's own screen.
    public func subscribe() async {
        _ = try? await carillon?.register(consent: Consent(notifications: true))
    }
}

/// The delegate of the app's scene.
public final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    /// The title of the push whose tap connected the scene.
    public private(set) var launchTitle: String?

    /// Reads which push the scene was connected for, before `carillon(_:didOpen:)` tells the app.
    public func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        launchTitle = PushMessage(connectionOptions: connectionOptions)?.title
    }
}
#endif
