import Foundation
package import UserNotifications

extension SimulatedSystem {
    /// Installs an app: connects its delegate to launches, wake-ups and events of the system.
    ///
    /// - Parameter makeDelegate: Creates the app's delegate; called at each launch, because the app's memory is new
    ///   then.
    package func install(_ makeDelegate: @escaping @MainActor @Sendable () -> any UIApplicationDelegate) {
        launch = { [unowned self] payload in
            let application = UIApplication.shared
            let delegate = makeDelegate()
            appDelegate = delegate
            application.delegate = delegate
            if !traits.usesScenes { application.scene = UIWindowScene() }
            // "If the app supports scenes, this is nil."
            let options =
                traits.usesScenes
                ? nil : payload.map { [UIApplication.LaunchOptionsKey.remoteNotification: $0 as Any] }
            _ = delegate.application(application, didFinishLaunchingWithOptions: options)
            if traits.usesScenes { application.connectScene(for: tap) }
        }
        wake = { userInfo in
            let application = UIApplication.shared
            let userInfo = Carried(userInfo)
            _ = await application.delegate?.application(application, didReceiveRemoteNotification: userInfo.value)
        }
        enterForeground = {
            let application = UIApplication.shared
            NotificationCenter.default.post(name: UIApplication.willEnterForegroundNotification, object: application)
        }
        activate = { [unowned self] in
            let application = UIApplication.shared
            NotificationCenter.default.post(name: UIApplication.didBecomeActiveNotification, object: application)
            // "If your app uses scenes, UIKit doesn't call this method."
            if traits.usesScenes {
                if let scene = application.scene { scene.delegate?.sceneDidBecomeActive(scene) }
            } else {
                application.delegate?.applicationDidBecomeActive(application)
            }
        }
    }

    /// Launches the app or brings it to the foreground.
    package func openApp() async {
        await Self.$current.withValue(self) {
            let wasRunning = appState != .notRunning
            await becomeInactive()
            if !wasRunning, let launch { await launch(nil) }
            await becomeActive()
        }
    }

    /// Sends the app to the background.
    package func leaveApp() {
        if appState == .foreground || appState == .inactive { appState = .background }
    }
}

extension UIApplication {
    /// Makes the scene of a launched app, with the delegate whose class the app's delegate names.
    fileprivate func connectScene(for tap: UNNotificationResponse?) {
        let session = UISceneSession(role: .windowApplication)
        let options = UIScene.ConnectionOptions(notificationResponse: tap)
        let configuration = delegate?.application(self, configurationForConnecting: session, options: options)
        let scene = UIWindowScene()
        self.scene = scene
        if let wanted = configuration?.delegateClass, let system = SimulatedSystem.current {
            scene.delegate = system.part(SimulatedScenes.self).makeDelegate?()
            if scene.delegate.map({ type(of: $0) == wanted }) != true {
                system.complain("the phone was told of no way to make a \(wanted) (TestKitPhone.Setup.sceneDelegate)")
            }
        }
        scene.delegate?.scene(scene, willConnectTo: session, options: options)
    }
}
