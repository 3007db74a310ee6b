public import Foundation
public import UserNotifications

/// One of an app's interfaces.
@MainActor
open class UIScene: UIResponder {
    /// Why a scene is connected.
    @MainActor
    open class ConnectionOptions: NSObject {
        /// The tap that the scene is connected for.
        public let notificationResponse: UNNotificationResponse?

        package init(notificationResponse: UNNotificationResponse?) {
            self.notificationResponse = notificationResponse
            super.init()
        }
    }

    /// The state of a scene.
    public enum ActivationState: Int, Sendable {
        /// Not connected.
        case unattached = -1
        /// In the foreground.
        case foregroundActive
        /// Between foreground and background.
        case foregroundInactive
        /// In the background.
        case background
    }

    /// The state: that of the app, which has one scene.
    open var activationState: ActivationState {
        switch UIApplication.shared.applicationState {
        case .active: .foregroundActive
        case .inactive: .foregroundInactive
        case .background: .background
        }
    }

    /// The scene's delegate, made by the system.
    open var delegate: (any UISceneDelegate)?

    package override nonisolated init() { super.init() }
}

/// A scene with windows.
@MainActor
open class UIWindowScene: UIScene {
    /// The windows, in the order in which they joined the scene.
    open private(set) var windows: [UIWindow] = []
    /// The window that receives keys.
    open internal(set) weak var keyWindow: UIWindow?

    func add(_ window: UIWindow) {
        if !windows.contains(where: { $0 === window }) { windows.append(window) }
    }

    func remove(_ window: UIWindow) { windows.removeAll { $0 === window } }
}

/// What the system keeps of a scene.
@MainActor
open class UISceneSession: NSObject {
    /// What a scene is for.
    public struct Role: RawRepresentable, Hashable, Sendable {
        /// The role's name.
        public let rawValue: String

        /// Wraps a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Windows on the phone's own screen.
        public static let windowApplication = Self(rawValue: "UIWindowSceneSessionRoleApplication")
    }

    /// What the scene is for.
    public let role: Role

    package init(role: Role) { self.role = role }
}

/// How the system makes a scene.
@MainActor
open class UISceneConfiguration: NSObject {
    /// The configuration's name in the Info.plist.
    public let name: String?
    /// What the scene is for.
    public let role: UISceneSession.Role
    /// The class of the scene's delegate.
    open var delegateClass: AnyClass?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - name: Its name in the Info.plist.
    ///   - sessionRole: What the scene is for.
    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
    }
}

/// Notified of a scene's life cycle.
///
/// Every method has a default that does nothing.
@MainActor
public protocol UISceneDelegate: NSObjectProtocol {
    /// The scene was connected.
    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    )

    /// The scene became active.
    func sceneDidBecomeActive(_ scene: UIScene)
}

extension UISceneDelegate {
    /// Does nothing.
    public func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {}

    /// Does nothing.
    public func sceneDidBecomeActive(_ scene: UIScene) {}
}

/// Notified of the life cycle of a scene with windows.
@MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {
    /// The scene's window.
    var window: UIWindow? { get set }
}

extension UIWindowSceneDelegate {
    /// None.
    public var window: UIWindow? {
        get { nil }
        set {}
    }
}
