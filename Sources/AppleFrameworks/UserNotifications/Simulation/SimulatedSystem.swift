package import Foundation

/// The operating system of one simulated phone, as far as it concerns one app's notifications.
///
/// Code that runs on the phone finds it through a task-local value, so hundreds of phones live in one process; the
/// system runs the app's code and the extension's within it.
///
/// Unchecked: `lock` protects `state`; delegates are called on the main actor, outside the lock.
package final class SimulatedSystem: @unchecked Sendable {
    /// Where the app is.
    package enum AppState: Sendable {
        case notRunning, background
        /// On its way to the front: it is drawn, and takes no touches yet.
        case inactive
        case foreground
    }

    /// What the person answers when asked for permission.
    package enum PromptAnswer: Sendable {
        case allow, deny
    }

    /// What the phone is like; set before it starts.
    package struct Traits: Sendable {
        package var promptAnswer = PromptAnswer.allow
        package var systemName = "iOS"
        package var systemVersion = "17.4"
        /// How long the service extension may take, in seconds; Apple speaks of about 30.
        package var extensionTimeLimit: TimeInterval = 30
        /// How long an extension that was told of its end still has, in seconds.
        package var extensionGrace: TimeInterval = 1
        /// How long the app may take over a response in the background, in seconds.
        package var responseTimeLimit: TimeInterval = 30
        /// Where the system keeps attachments.
        package var attachmentStore = FileManager.default.temporaryDirectory

        package init() {}
    }

    struct State {
        var traits: Traits
        var appState = AppState.notRunning
        var permission = UNAuthorizationStatus.notDetermined
        var promptCount = 0
        var categories: Set<UNNotificationCategory> = []
        var visible: [UNNotification] = []
        var badge = 0
        var complaints: [String] = []
        weak var delegate: (any UNUserNotificationCenterDelegate)?
        var makeExtension: (@Sendable () -> UNNotificationServiceExtension)?
        var launch: (@MainActor @Sendable ([AnyHashable: Any]?) -> Void)?
        var wake: (@MainActor @Sendable ([AnyHashable: Any]) async -> Void)?
        var activate: (@MainActor @Sendable () -> Void)?
        var token: (@Sendable () async throws -> Data)?
        var application: AnyObject?
        var appDelegate: AnyObject?
        var parts: [ObjectIdentifier: any SimulatedPart] = [:]
        var isLocked = false
        var unlocksWhenAsked = true
        var openedURLs: [URL] = []
        var authorizationOptions: UNAuthorizationOptions = []
    }

    @TaskLocal package static var current: SimulatedSystem?

    private let lock = NSLock()
    private var state: State
    private let storedCenter = FirstUse<UNUserNotificationCenter>()
    let sleep: @Sendable (TimeInterval) async throws -> Void
    let now: @Sendable () -> Date

    /// Switches a phone on, with the app installed and not yet started.
    ///
    /// - Parameters:
    ///   - traits: What the phone is like.
    ///   - now: Tells the time.
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

    /// Where the app is.
    package var appState: AppState {
        get { with(\.appState) }
        set { with { $0.appState = newValue } }
    }

    /// What the person allows; a test may set it, as the person may in Settings.
    package var permission: UNAuthorizationStatus {
        get { with(\.permission) }
        set { with { $0.permission = newValue } }
    }

    /// Whether the phone is locked: what brings the app to the front, or asks for authentication, waits for the person.
    package var isLocked: Bool {
        get { with(\.isLocked) }
        set { with { $0.isLocked = newValue } }
    }

    /// Whether the person unlocks the phone when something asks for it.
    package var unlocksWhenAsked: Bool {
        get { with(\.unlocksWhenAsked) }
        set { with { $0.unlocksWhenAsked = newValue } }
    }

    /// What the app had the system open, oldest first.
    package var openedURLs: [URL] { with(\.openedURLs) }

    /// Opens a URL for the app.
    package func open(_ url: URL) { with { $0.openedURLs.append(url) } }

    /// What the app asked to be allowed last.
    package var authorizationOptions: UNAuthorizationOptions { with(\.authorizationOptions) }

    /// How often the person was asked for permission.
    package var promptCount: Int { with(\.promptCount) }

    /// The registered categories.
    package var categories: Set<UNNotificationCategory> {
        get { with(\.categories) }
        set { with { $0.categories = newValue } }
    }

    /// What is on the screen, oldest first.
    package var visible: [UNNotification] { with(\.visible) }

    /// The number on the app's icon.
    package var badge: Int {
        get { with(\.badge) }
        set { with { $0.badge = newValue } }
    }

    /// What the app did wrong: answers given twice or never.
    package var complaints: [String] { with(\.complaints) }

    /// Makes the app's service extension; none: the app has no such target.
    package var makeExtension: (@Sendable () -> UNNotificationServiceExtension)? {
        get { with(\.makeExtension) }
        set { with { $0.makeExtension = newValue } }
    }

    /// Starts the app: `application(_:didFinishLaunchingWithOptions:)`, with the payload of the notification that was
    /// tapped, if one was.
    package var launch: (@MainActor @Sendable ([AnyHashable: Any]?) -> Void)? {
        get { with(\.launch) }
        set { with { $0.launch = newValue } }
    }

    /// Hands a silent push to the app.
    package var wake: (@MainActor @Sendable ([AnyHashable: Any]) async -> Void)? {
        get { with(\.wake) }
        set { with { $0.wake = newValue } }
    }

    /// Tells the app that it is in front: `applicationDidBecomeActive(_:)`.
    package var activate: (@MainActor @Sendable () -> Void)? {
        get { with(\.activate) }
        set { with { $0.activate = newValue } }
    }

    /// Where the phone gets its device token.
    package var token: (@Sendable () async throws -> Data)? {
        get { with(\.token) }
        set { with { $0.token = newValue } }
    }

    /// The application object, which belongs to UIKit.
    package var application: AnyObject? {
        get { with(\.application) }
        set { with { $0.application = newValue } }
    }

    /// The app's delegate, kept alive as the system does.
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

    /// Asks the person once; later calls get the same answer, as on a phone.
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

/// A value that is made when it is first asked for.
///
/// Unchecked: `lock` protects it.
final class FirstUse<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var made: Value?

    func value(_ make: () -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        if let made { return made }
        let value = make()
        made = value
        return value
    }
}
