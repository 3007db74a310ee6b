// Apple's UIKit exports it too: an app's files import UIKit alone.
@_exported public import Foundation
import UserNotifications

/// An object in the responder chain.
@MainActor
open class UIResponder: NSObject {
    /// Creates a responder.
    public nonisolated override init() {}
}

/// The app.
@MainActor
open class UIApplication: UIResponder {
    /// Keys of the launch options.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        /// The key's name.
        public let rawValue: String

        /// Wraps a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The payload of the push that launched the app.
        public static let remoteNotification = Self(rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
    }

    /// The state of the app.
    public enum State: Int, Sendable {
        /// In the foreground.
        case active
        /// Between foreground and background.
        case inactive
        /// In the background.
        case background
    }

    private let system: SimulatedSystem
    /// The app's scene; one without scenes has one too, without a delegate.
    package var scene: UIWindowScene?

    /// The app's scenes: one.
    open var connectedScenes: Set<UIScene> { scene.map { [$0] } ?? [] }

    init(system: SimulatedSystem) { self.system = system }

    /// The application of the phone that the calling task runs on.
    public class var shared: UIApplication {
        let system = SimulatedSystem.required
        if let application = system.application as? UIApplication { return application }
        let application = UIApplication(system: system)
        system.application = application
        return application
    }

    /// The app's delegate.
    weak open var delegate: (any UIApplicationDelegate)?

    /// The state of the app.
    open var applicationState: State {
        switch system.appState {
        case .foreground: .active
        case .inactive: .inactive
        case .background, .notRunning: .background
        }
    }

    /// The number on the app's icon.
    open var applicationIconBadgeNumber: Int {
        get { system.badge }
        set { system.badge = newValue }
    }

    /// Whether the app is registered for pushes.
    open private(set) var isRegisteredForRemoteNotifications = false

    /// Requests a device token; the delegate gets it later.
    open func registerForRemoteNotifications() {
        let token = system.token
        Task {
            do {
                guard let token else { throw NoPushService() }
                let bytes = try await token()
                isRegisteredForRemoteNotifications = true
                delegate?.application(self, didRegisterForRemoteNotificationsWithDeviceToken: bytes)
            } catch {
                delegate?.application(self, didFailToRegisterForRemoteNotificationsWithError: error)
            }
        }
    }

    /// Unregisters the app from pushes.
    open func unregisterForRemoteNotifications() {
        isRegisteredForRemoteNotifications = false
    }

    /// Options of opening a URL.
    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        /// The key's name.
        public let rawValue: String

        /// Wraps a name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Opens a URL with the system: a page, or another app by its scheme.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - options: Ignored here.
    ///   - completion: Called with whether it was opened.
    open func open(
        _ url: URL,
        options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        // "is neither visible nor entitled, so may not perform un-trusted user actions", as the system logs it.
        let isVisible = applicationState != .background
        if isVisible { system.open(url) }
        completion?(isVisible)
    }

    /// The phone has no connection to APNs.
    struct NoPushService: Error {}

    /// Posted when the app leaves the background, before it is active.
    public nonisolated static let willEnterForegroundNotification = Notification.Name(
        "UIApplicationWillEnterForegroundNotification"
    )

    /// Posted when the app becomes active.
    public nonisolated static let didBecomeActiveNotification = Notification.Name(
        "UIApplicationDidBecomeActiveNotification"
    )
}

/// The result of a background fetch.
public enum UIBackgroundFetchResult: UInt, Sendable {
    /// New data.
    case newData
    /// No new data.
    case noData
    /// The fetch failed.
    case failed
}
