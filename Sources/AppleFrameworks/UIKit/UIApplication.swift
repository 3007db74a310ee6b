public import Foundation
import UserNotifications

/// An object that takes part in the chain of events.
@MainActor
open class UIResponder: NSObject {
    /// Makes a responder.
    public nonisolated override init() {}
}

/// The app as the system sees it.
@MainActor
open class UIApplication: UIResponder {
    /// Keys of what the app is started with.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        /// The key's name.
        public let rawValue: String

        /// Wraps a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The payload of the push by which the app was started.
        public static let remoteNotification = Self(rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
    }

    /// Where the app is.
    public enum State: Int, Sendable {
        /// In front.
        case active
        /// On its way.
        case inactive
        /// Behind.
        case background
    }

    private let system: SimulatedSystem

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

    /// Where the app is.
    open var applicationState: State {
        switch system.appState {
        case .foreground: .active
        case .inactive: .inactive
        case .background, .notRunning: .background
        }
    }

    /// Whether the app is registered for pushes.
    open private(set) var isRegisteredForRemoteNotifications = false

    /// Asks the system for a device token; the answer comes to the delegate, later.
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

    /// Takes no more pushes.
    open func unregisterForRemoteNotifications() {
        isRegisteredForRemoteNotifications = false
    }

    /// Keys of how a URL is opened.
    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        /// The key's name.
        public let rawValue: String

        /// Wraps a name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Has the system open a URL: a page, or another app by its scheme.
    ///
    /// - Parameters:
    ///   - url: What to open.
    ///   - options: None is looked at here.
    ///   - completion: Called with whether it was opened.
    open func open(
        _ url: URL,
        options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        system.open(url)
        completion?(true)
    }

    /// The phone has no way to Apple's push service.
    struct NoPushService: Error {}

    /// Posted when the app comes to the front.
    public nonisolated static let didBecomeActiveNotification = Notification.Name(
        "UIApplicationDidBecomeActiveNotification"
    )
}

/// What an app found after it was woken.
public enum UIBackgroundFetchResult: UInt, Sendable {
    /// Something new.
    case newData
    /// Nothing new.
    case noData
    /// It did not get that far.
    case failed
}

/// Is told of the app's life.
///
/// Every method has a default that does nothing.
@MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    /// The app was started.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// The device token came.
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    )

    /// No device token came.
    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    )

    /// A silent push came.
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult

    /// The app came to the front.
    func applicationDidBecomeActive(_ application: UIApplication)
}

extension UIApplicationDelegate {
    /// Lets the app start.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        true
    }

    /// Does nothing.
    public func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}

    /// Does nothing.
    public func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}

    /// Finds nothing new.
    public func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        .noData
    }

    /// Does nothing.
    public func applicationDidBecomeActive(_ application: UIApplication) {}
}
