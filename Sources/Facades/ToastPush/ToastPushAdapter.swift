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
        /// The user that the app has set in this process; the inner `nil`: nobody.
        var chosenUser: String??
        var isDebugging = false
        var isRegistering = false
        weak var delegate: (any ToastPushDelegate)?
        var options = ToastNotificationOptions.Fields()
    }

    let dependencies: FacadeDependencies
    /// Registrations and changes run one after another: a tag that is added after a login belongs to that login.
    let steps = StepLine()

    private let lock = NSLock()
    private var state = State()
    @MainActor private var app: Result<CarillonApp, any Error>?
    @MainActor private var listener: ToastListener?
    @MainActor private var startObserver: (@MainActor (CarillonApp) -> Void)?

    package init(_ dependencies: FacadeDependencies) {
        self.dependencies = dependencies
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

    var userID: String? { (try? readUserID()) ?? nil }

    var options: ToastNotificationOptions.Fields {
        get { with(\.options) }
        set {
            with { $0.options = newValue }
            MainThread.run { [self] in apply(newValue) }
        }
    }

    /// The device's own id; empty while the storage cannot be read.
    var deviceID: String { (try? readDeviceID()) ?? "" }

    /// The last consent; none before the person was asked, and none while the storage cannot be read.
    var consent: Consent {
        get { (try? readConsent()) ?? Consent(notifications: false) }
        set { dependencies.memory.keep(value: newValue, Name.consent) }
    }

    /// The last consent; none before the person was asked.
    func readConsent() throws -> Consent {
        try dependencies.memory.read(Name.consent) ?? Consent(notifications: false)
    }

    private func readUserID() throws -> String? {
        if let chosen = with(\.chosenUser) { return chosen }
        return try dependencies.memory.read(Name.userID)
    }

    /// The device's own id, under which it is registered while nobody is logged in; random, never the hardware's.
    private func readDeviceID() throws -> String {
        if let known: String = try dependencies.memory.read(Name.deviceID) { return known }
        let new = UUID().uuidString.lowercased()
        dependencies.memory.keep(value: new, Name.deviceID)
        return new
    }

    func setDeviceID(_ deviceID: String) { dependencies.memory.keep(value: deviceID, Name.deviceID) }

    func setUser(_ userID: String?) {
        with { $0.chosenUser = userID }
        dependencies.memory.keep(value: userID, Name.userID)
        if configuration != nil { notifyUser() }
    }

    /// Notifies the SDK of the user: a registration is changed, anything else waits for its registration.
    private func notifyUser() {
        guard let user = try? registeredUser() else { return }
        steps.add { @MainActor [self] in
            guard let client = try? app?.get().client else { return }
            try? await client.setUser(user)
        }
    }

    /// The user of the registration: the logged in user, otherwise the device's own id.
    package func registeredUser() throws(ToastPushError) -> UserID {
        let id: String
        do {
            id = try readUserID() ?? readDeviceID()
        } catch {
            // As before the phone's first unlock: it must not be registered under another id.
            throw ToastPushError(.systemFailed, "The phone's storage cannot be read.")
        }
        guard let user = UserID(rawValue: id) else {
            throw ToastPushError(.parameterInvalid, "A user id has 1 through \(UserID.maximumLength) characters.")
        }
        return user
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
        if userID != nil { notifyUser() }
    }

    /// Starts only to report events, for an app with the App key in its Info.plist and without a call of `initialize`.
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
            let app = CarillonApp(client: try makeClient(configuration))
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

    private func makeClient(_ fields: ToastPushConfiguration.Fields) throws -> CarillonClient {
        var configuration = try carillonConfiguration(fields)
        if isDebugging { configuration.log = { NSLog("%@", "Carillon: \($0.message) \($0.facts)") } }
        return try dependencies.client(configuration) { facts in
            if let country = fields.countryCode {
                facts.country = country
                if let zone = PhoneFacts.mainTimeZone(of: country) { facts.timeZone = zone }
            }
            if let language = fields.languageCode { facts.language = language }
            if let timezone = fields.timezone { facts.timeZone = timezone }
        }
    }

    /// Converts the vendor's configuration to the SDK's.
    func carillonConfiguration(_ fields: ToastPushConfiguration.Fields) throws(MissingServer) -> CarillonConfiguration {
        var configuration = CarillonConfiguration(
            server: try dependencies.server(fields.serverURL),
            appKey: fields.appKey
        )
        configuration.pushType = fields.sandbox.map { $0 ? .apnsSandbox : .apns }
        // The vendor's buttons and click actions may open other apps by their schemes.
        configuration.linkSchemes = nil
        return configuration
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

    private enum Name {
        static let userID = "toast.userID"
        static let deviceID = "toast.deviceID"
        static let consent = "toast.agreement"
    }

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
