#if canImport(UIKit)
public import Carillon
public import Foundation
public import UIKit
import UserNotifications

/// CORE PUSH's API on Carillon: each of the vendor's calls is translated to one of Carillon's SDK.
///
/// Callbacks are called on the main thread.
#if canImport(ObjectiveC)
@objc(CorePushManager) @objcMembers
#endif
@preconcurrency @MainActor
public final class CorePushManager: NSObject {
    /// The manager; `CorePushManager.shared()`, as with the vendor's first SDK, is the same.
    public static var shared: CorePushManager { CorePushAdapter.current.manager }

    let memory: CoreMemory

    /// Notified of pushes; a weak reference.
    public weak var delegate: (any CorePushManagerDelegate)?

    nonisolated init(memory: CoreMemory) { self.memory = memory }

    /// Returns itself: the vendor's first SDK is called as `CorePushManager.shared()`.
    @nonobjc
    public func callAsFunction() -> CorePushManager { self }

    /// Carillon's own SDK, for what the vendor's names do not have: categories of buttons, tags, attributes
    /// (`carillonApp?.client`).
    ///
    /// `nil` without ``configKey``, and when the SDK cannot be started. Its `delegate` is the facade's own.
    @nonobjc
    public var carillonApp: CarillonApp? { try? CorePushAdapter.current.startedApp() }

    // MARK: - Settings, kept between starts

    /// The App key of Carillon's server; setting it starts the SDK.
    public var configKey: String? {
        get { memory.value(.configKey) }
        set {
            let isNew = newValue != configKey
            memory.keep(newValue, .configKey)
            if isNew { CorePushAdapter.current.restart() } else { _ = try? CorePushAdapter.current.startedApp() }
        }
    }

    /// The URL of Carillon's server; `CarillonServerURL` of the Info.plist when missing.
    ///
    /// Set it before ``configKey``.
    public var serverURL: URL? {
        get { CorePushAdapter.current.serverURL }
        set { CorePushAdapter.current.serverURL = newValue }
    }

    /// The state of the app's own switch; only stored.
    public var pushEnabled: Bool {
        get { memory.value(.pushEnabled) ?? false }
        set { memory.keep(newValue, .pushEnabled) }
    }

    /// Whether the SDK logs to the console; set it before ``configKey``.
    public var debugEnabled: Bool {
        get { memory.value(.debugEnabled) ?? false }
        set { memory.keep(newValue, .debugEnabled) }
    }

    /// Stored without effect: the device is always identified by a random id of the SDK's own, never by its hardware's.
    public var deviceIdEnabled: Bool {
        get { memory.value(.deviceIdEnabled) ?? false }
        set { memory.keep(newValue, .deviceIdEnabled) }
    }

    /// Stored without effect: see ``deviceIdEnabled``.
    public var deviceIdHashEnabled: Bool {
        get { memory.value(.deviceIdHashEnabled) ?? false }
        set { memory.keep(newValue, .deviceIdHashEnabled) }
    }

    /// Whether `reportCurrentLocation()` of the module `CorePushLocation` has an effect.
    public var locationServiceEnabled: Bool {
        get { memory.value(.locationServiceEnabled) ?? false }
        set {
            memory.keep(newValue, .locationServiceEnabled)
            CorePushAdapter.current.client?.isLocationEnabled = newValue
        }
    }

    /// One-dimensional categories, sent with the next registration; `nil` for the category `1`.
    public var categoryIds: [String]? {
        get { memory.value(.categoryIds) }
        set { memory.keep(newValue, .categoryIds) }
    }

    /// Two-dimensional categories: labels by id; they take precedence over ``categoryIds``.
    public var multiCategoryIds: [String: [String]]? {
        get { memory.value(.multiCategoryIds) }
        set { memory.keep(newValue, .multiCategoryIds) }
    }

    /// The person, under the app's own id; sent with the next registration.
    public var appUserId: String? {
        get { memory.value(.appUserId) }
        set { memory.keep(newValue, .appUserId) }
    }

    /// The last sent token, as 64 lower-case hexadecimal digits; empty after it was unregistered.
    public var deviceToken: String? { memory.value(.deviceToken) }

    /// Whether the server has the token.
    public var isDeviceTokenSentToServer: Bool { memory.value(.isDeviceTokenSentToServer) ?? false }

    /// The respondent's id in surveys on this installation; never the hardware's id.
    ///
    /// It is available before ``configKey`` is set and without a server, and stays the same across restarts.
    public var uuid: String { CorePushAdapter.current.surveyID }

    /// The categories that are sent to the server.
    ///
    /// - Throws: Any error when the stored ones cannot be read, as before the phone's first unlock.
    func readCategories() throws -> DeviceCategories? {
        if let many: [String: [String]] = try memory.read(.multiCategoryIds), !many.isEmpty { return .dimensions(many) }
        if let list: [String] = try memory.read(.categoryIds), !list.isEmpty { return .list(list) }
        return nil
    }

    /// The user that is sent to the server.
    ///
    /// - Throws: Any error when the stored one cannot be read, as before the phone's first unlock.
    func readUser() throws -> UserID? { try (memory.read(.appUserId) as String?).flatMap(UserID.init(rawValue:)) }
}

// MARK: - The badge

extension CorePushManager {
    /// Removes the number from the app's icon.
    public static func resetApplicationIconBadgeNumber() { setApplicationIconBadgeNumber(0) }

    /// Sets the number on the app's icon.
    public static func setApplicationIconBadgeNumber(_ number: Int) {
        guard let app = try? CorePushAdapter.current.startedApp() else { return }
        app.setBadge(number)
    }
}

// MARK: - Pushes

extension CorePushManager {
    /// Passes a push to the delegate, by the state of the app: active, or inactive.
    ///
    /// The push of ``handleLaunchingNotification(withOption:)`` is not passed a second time when the system reports the
    /// same tap. In an app with scenes, whose launch options are `nil`, the first tap before the app has been active is the one
    /// that launched it.
    public func handleRemoteNotification(_ userInfo: [AnyHashable: Any]) {
        let adapter = CorePushAdapter.current
        adapter.record(userInfo)
        switch UIApplication.shared.applicationState {
        case .active: delegate?.notifyForeground(userInfo)
        case .inactive: notifyTap(userInfo)
        // An app with scenes is still there when a tap launches it.
        case .background where adapter.isTap(userInfo): notifyTap(userInfo)
        // It was launched for a silent push, if at all.
        case .background: adapter.endLaunch()
        @unknown default: break
        }
    }

    private func notifyTap(_ userInfo: [AnyHashable: Any]) {
        switch CorePushAdapter.current.tap(userInfo) {
        case .launchedEarlier: break
        case .launches: delegate?.notifyLaunching(userInfo)
        case .background: delegate?.notifyBackground(userInfo)
        }
    }

    /// Passes the push that launched the app to the delegate, if there is one.
    #if canImport(ObjectiveC)
    @objc(handleLaunchingNotificationWithOption:)
    #endif
    public func handleLaunchingNotification(withOption launchOptions: [UIApplication.LaunchOptionsKey: Any]?) {
        guard let userInfo = launchOptions?[.remoteNotification] as? [AnyHashable: Any] else {
            return CorePushAdapter.current.recordLaunchWithoutPush()
        }
        CorePushAdapter.current.recordLaunch(userInfo)
        delegate?.notifyLaunching(userInfo)
    }
}
#endif
