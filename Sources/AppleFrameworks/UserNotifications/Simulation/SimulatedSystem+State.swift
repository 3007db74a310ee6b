package import Foundation

extension SimulatedSystem {
    /// The state of the app.
    package enum AppState: Sendable {
        case notRunning, background
        /// On its way to the foreground: visible, but without touch events.
        case inactive
        case foreground
    }

    /// The person's answer to the permission prompt.
    package enum PromptAnswer: Sendable {
        case allow, deny
    }

    /// The properties of the phone; set before it starts.
    package struct Traits: Sendable {
        package var promptAnswer = PromptAnswer.allow
        /// Whether the app has the life cycle of scenes: no launch options, no `applicationDidBecomeActive(_:)`.
        ///
        /// `CARILLON_SIMULATED_SCENES=1` makes it so for every phone of a process.
        package var usesScenes = ProcessInfo.processInfo.environment["CARILLON_SIMULATED_SCENES"] == "1"
        package var systemName = "iOS"
        package var systemVersion = "17.4"
        /// Time limit of the service extension in seconds; Apple documents about 30.
        package var extensionTimeLimit: TimeInterval = 30
        /// Time that an extension has after its expiration call, in seconds.
        package var extensionGrace: TimeInterval = 1
        /// Time limit of the app for a response in the background, in seconds.
        package var responseTimeLimit: TimeInterval = 30
        /// The system's folder for attachments.
        package var attachmentStore = FileManager.default.temporaryDirectory

        package init() {}
    }

    /// What a phone knows of its app and of the person; the members of ``SimulatedSystem`` read and write it.
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
        var tap: UNNotificationResponse?
        var enterForeground: (@MainActor @Sendable () -> Void)?
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
}
