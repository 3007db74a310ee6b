package import UserNotifications

extension SimulatedSystem {
    /// Installs an app: what to do when the system starts it, wakes it, or hands it something.
    ///
    /// - Parameter makeDelegate: Makes the app's delegate; called at each start, as the app's memory is new then.
    package func install(_ makeDelegate: @escaping @MainActor @Sendable () -> any UIApplicationDelegate) {
        launch = { [unowned self] in
            let application = UIApplication.shared
            let delegate = makeDelegate()
            appDelegate = delegate
            application.delegate = delegate
            _ = delegate.application(application, didFinishLaunchingWithOptions: nil)
        }
        wake = { userInfo in
            let application = UIApplication.shared
            let userInfo = Carried(userInfo)
            _ = await application.delegate?.application(application, didReceiveRemoteNotification: userInfo.value)
        }
    }

    /// Starts the app or brings it to the front.
    package func openApp() async {
        await Self.$current.withValue(self) {
            let wasRunning = appState != .notRunning
            appState = .foreground
            if !wasRunning, let launch { await launch() }
            await MainActor.run {
                let application = UIApplication.shared
                application.delegate?.applicationDidBecomeActive(application)
            }
        }
    }

    /// Sends the app behind; it goes on running.
    package func leaveApp() {
        if appState == .foreground { appState = .background }
    }

    /// Ends the app, as the system or the person may at any time.
    ///
    /// What it had only in memory is gone.
    package func killApp() {
        appState = .notRunning
        application = nil
        appDelegate = nil
    }
}
