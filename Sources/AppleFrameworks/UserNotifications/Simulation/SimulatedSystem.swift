package import Foundation

/// The operating system of one simulated phone, for one app's notifications.
///
/// Code on the phone finds it through a task-local value, so hundreds of phones run in one process; the system runs the
/// app's code and the extension's within it.
///
/// Unchecked: `lock` protects `state`; delegates are called on the main actor, outside the lock.
package final class SimulatedSystem: @unchecked Sendable {
    @TaskLocal package static var current: SimulatedSystem?

    private let lock = NSLock()
    private var state: State
    private let storedCenter = FirstUse<UNUserNotificationCenter>()
    let sleep: @Sendable (TimeInterval) async throws -> Void
    let now: @Sendable () -> Date

    /// Switches a phone on, with the app installed but not launched.
    ///
    /// - Parameters:
    ///   - traits: The properties of the phone.
    ///   - now: The clock.
    ///   - sleep: Waits for so many seconds; throws when cancelled.
    package init(
        traits: Traits = Traits(),
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = {
            try await Task.sleep(nanoseconds: UInt64(max(0, $0) * 1e9))
        }
    ) {
        state = State(traits: traits)
        self.now = now
        self.sleep = sleep
    }

    /// The phone that the calling task runs on.
    package static var required: SimulatedSystem {
        guard let current else {
            preconditionFailure(
                "Apple's simulated frameworks work within SimulatedSystem.$current.withValue(phone) only"
            )
        }
        return current
    }

    func with<Result>(_ body: (inout State) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&state)
    }
}

extension SimulatedSystem {
    package var center: UNUserNotificationCenter { storedCenter.value { UNUserNotificationCenter(system: self) } }

    package var traits: Traits { with(\.traits) }

    /// The state of the app.
    package var appState: AppState {
        get { with(\.appState) }
        set { with { $0.appState = newValue } }
    }

    /// The permission; a test may set it, as the person may in Settings.
    package var permission: UNAuthorizationStatus {
        get { with(\.permission) }
        set { with { $0.permission = newValue } }
    }

    /// Whether the phone is locked: foreground actions and authentication wait for the person.
    package var isLocked: Bool {
        get { with(\.isLocked) }
        set { with { $0.isLocked = newValue } }
    }

    /// Whether the person unlocks the phone when asked.
    package var unlocksWhenAsked: Bool {
        get { with(\.unlocksWhenAsked) }
        set { with { $0.unlocksWhenAsked = newValue } }
    }

    /// The URLs that the app opened, oldest first.
    package var openedURLs: [URL] { with(\.openedURLs) }

    /// Opens a URL for the app.
    package func open(_ url: URL) { with { $0.openedURLs.append(url) } }

    /// The last requested authorization options.
    package var authorizationOptions: UNAuthorizationOptions { with(\.authorizationOptions) }

    /// How often the person was asked for permission.
    package var promptCount: Int { with(\.promptCount) }

    /// The registered categories.
    package var categories: Set<UNNotificationCategory> {
        get { with(\.categories) }
        set { with { $0.categories = newValue } }
    }

    /// Visible notifications, oldest first.
    package var visible: [UNNotification] { with(\.visible) }

    /// The number on the app's icon.
    package var badge: Int {
        get { with(\.badge) }
        set { with { $0.badge = newValue } }
    }

    /// Errors of the app: answers given twice or never.
    package var complaints: [String] { with(\.complaints) }

    /// Creates the app's service extension; `nil` when the app has no such target.
    package var makeExtension: (@Sendable () -> UNNotificationServiceExtension)? {
        get { with(\.makeExtension) }
        set { with { $0.makeExtension = newValue } }
    }

    /// Launches the app: `application(_:didFinishLaunchingWithOptions:)`, with the payload of the tapped notification,
    /// if any.
    package var launch: (@MainActor @Sendable ([AnyHashable: Any]?) -> Void)? {
        get { with(\.launch) }
        set { with { $0.launch = newValue } }
    }

    /// Delivers a silent push to the app.
    package var wake: (@MainActor @Sendable ([AnyHashable: Any]) async -> Void)? {
        get { with(\.wake) }
        set { with { $0.wake = newValue } }
    }

    /// The tap that launches the app.
    package var tap: UNNotificationResponse? {
        get { with(\.tap) }
        set { with { $0.tap = newValue } }
    }

    /// Notifies the app that it leaves the background, before it is active.
    package var enterForeground: (@MainActor @Sendable () -> Void)? {
        get { with(\.enterForeground) }
        set { with { $0.enterForeground = newValue } }
    }

    /// Notifies the app that it is active: `applicationDidBecomeActive(_:)`.
    package var activate: (@MainActor @Sendable () -> Void)? {
        get { with(\.activate) }
        set { with { $0.activate = newValue } }
    }

    /// Provides the phone's device token.
    package var token: (@Sendable () async throws -> Data)? {
        get { with(\.token) }
        set { with { $0.token = newValue } }
    }

    /// The application object, which belongs to UIKit.
    package var application: AnyObject? {
        get { with(\.application) }
        set { with { $0.application = newValue } }
    }

    /// The app's delegate, retained as the system does.
    package var appDelegate: AnyObject? {
        get { with(\.appDelegate) }
        set { with { $0.appDelegate = newValue } }
    }

    var delegate: (any UNUserNotificationCenterDelegate)? {
        get { with(\.delegate) }
        set { with { $0.delegate = newValue } }
    }

    package func complain(_ complaint: String) {
        with { $0.complaints.append(complaint) }
    }

    /// Asks the person once; later calls return the same answer, as on a phone.
    func prompt(_ options: UNAuthorizationOptions) -> Bool {
        with { state in
            state.authorizationOptions = options
            if state.permission == .notDetermined {
                if options.contains(.provisional) {
                    state.permission = .provisional
                } else {
                    state.promptCount += 1
                    state.permission = state.traits.promptAnswer == .allow ? .authorized : .denied
                }
            }
            return state.permission != .denied
        }
    }

    func remove(_ identifiers: [String]) {
        let gone = with { state in
            let gone = state.visible.filter { identifiers.contains($0.request.identifier) }
            state.visible.removeAll { identifiers.contains($0.request.identifier) }
            return Carried(gone)
        }
        for notification in gone.value { discardAttachments(of: notification) }
    }
}
