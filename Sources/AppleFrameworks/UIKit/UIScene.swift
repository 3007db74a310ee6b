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

    /// The scene's delegate, made by the system.
    open var delegate: (any UISceneDelegate)?

    package override nonisolated init() { super.init() }
}

/// A scene with windows.
@MainActor
open class UIWindowScene: UIScene {}

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
    /// Makes the delegate; every Objective-C class has it, and Swift's on Linux only if somebody asks for it.
    init()

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
