#if canImport(UIKit)
package import Carillon
import CarillonModel
package import FacadeSupport
import Foundation

/// The shared state of the facade's static calls.
///
/// Unchecked: `lock` protects `state`; `app` belongs to the main actor.
package final class ToastPushAdapter: @unchecked Sendable {
    package static var current: ToastPushAdapter { FacadeDependencies.current.state(ToastPushAdapter.init) }

    static let version = CarillonVersion.current

    private struct State {
        var configuration: ToastPushConfiguration.Fields?
        var isDebugging = false
        var isRegistering = false
        weak var delegate: (any ToastPushDelegate)?
        var options = ToastNotificationOptions.Fields()
    }

    let dependencies: FacadeDependencies
    package let identity: ToastIdentity
    /// Registrations and changes run one after another: a tag that is added after a login belongs to that login.
    let steps = StepLine()

    private let lock = NSLock()
    private var state = State()
    @MainActor private var app: Result<CarillonApp, any Error>?
    @MainActor private var listener: ToastListener?
    @MainActor private var startObserver: (@MainActor (CarillonApp) -> Void)?

    package init(_ dependencies: FacadeDependencies) {
        self.dependencies = dependencies
        identity = ToastIdentity(dependencies.memory)
    }

    // MARK: - What the app says

    var configuration: ToastPushConfiguration.Fields? { with(\.configuration) }

    var delegate: (any ToastPushDelegate)? {
        get { with(\.delegate) }
        set { with { $0.delegate = newValue } }
    }

    var isDebugging: Bool {
        get { with(\.isDebugging) }
        set { with { $0.isDebugging = newValue } }
    }

    var options: ToastNotificationOptions.Fields {
        get { with(\.options) }
        set {
            with { $0.options = newValue }
            MainThread.run { [self] in apply(newValue) }
        }
    }

    /// Sets the user, here and in the registration.
    func setUser(_ userID: String?) {
        identity.setUser(userID)
        if configuration != nil { notifyUser() }
    }

    /// Notifies the SDK of the user: a registration is changed, anything else waits for its registration.
    private func notifyUser() {
        guard let user = try? identity.registered() else { return }
        steps.add { @MainActor [self] in
            guard let client = try? app?.get().client else { return }
            try? await client.setUser(user)
        }
    }

    // MARK: - Starting

    /// Starts the SDK; in a service extension only stores the configuration for it.
    func begin(_ configuration: ToastPushConfiguration.Fields) {
        let isFirst = with { state in
            defer { state.configuration = configuration }
            return state.configuration == nil
        }
        guard isFirst, !dependencies.isExtension else { return }
        MainThread.run { [self] in start(configuration) }
        if identity.userID != nil { notifyUser() }
    }

    /// Starts only to report events, for an app with the App key in its Info.plist that has not called `initialize`, or not yet.
    func beginByInfo() {
        guard configuration == nil, !dependencies.isExtension, let key = appKeyOfInfo else { return }
        MainThread.run { [self] in
            if app == nil { start(ToastPushConfiguration.Fields(appKey: key)) }
        }
    }

    @MainActor
    private func start(_ configuration: ToastPushConfiguration.Fields) {
        (try? app?.get())?.stop()
        do {
            let app = CarillonApp(client: try dependencies.client(of: configuration, isDebugging: isDebugging))
            app.alwaysRegisters = configuration.alwaysAllowTokenRegistration
            let listener = ToastListener(adapter: self)
            self.listener = listener
            app.delegate = listener
            self.app = .success(app)
            apply(options)
            app.start()
            startObserver?(app)
        } catch {
            // The vendor's initialization returns nothing, so the reason is logged to the console, and part of every
            // call's error.
            let error = ToastErrors.translate(error, nil)
            NSLog("%@", "ToastPush could not start: \(error.localizedDescription)")
            self.app = .failure(error)
        }
    }

    /// Calls a closure with the running SDK: now if there is one, and each time that it starts.
    ///
    /// - Parameter observer: Takes the place of an earlier one.
    @MainActor
    package func observeStart(_ observer: @escaping @MainActor (CarillonApp) -> Void) {
        startObserver = observer
        if let app = try? app?.get() { observer(app) }
    }

    /// The running SDK.
    @MainActor
    func startedApp() throws -> CarillonApp {
        guard let app, configuration != nil else {
            if dependencies.isExtension {
                throw ToastPushError(.notSupported, "A service extension has no registration, tags or calls.")
            }
            throw ToastPushError(.notInitialized, "Call ToastPush.initialize(configuration:) first.")
        }
        return try app.get()
    }

    /// Reports events; may exist although ``startedApp()`` throws.
    @MainActor
    var reporter: CarillonClient? { try? app?.get().client }

    @MainActor
    private func apply(_ options: ToastNotificationOptions.Fields) {
        guard let app = try? app?.get() else { return }
        app.notificationOptions = NotificationOptions(
            foreground: options.foregroundEnabled,
            badge: options.badgeEnabled,
            sound: options.soundEnabled
        )
    }

    // MARK: - Private

    private func with<Result>(_ body: (inout State) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&state)
    }

    /// - Returns: False when a registration is in progress.
    func beginRegistration() -> Bool {
        with { state in
            defer { state.isRegistering = true }
            return !state.isRegistering
        }
    }

    func endRegistration() { with { $0.isRegistering = false } }
}
#endif
