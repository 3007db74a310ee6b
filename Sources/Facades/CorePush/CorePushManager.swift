import Carillon
public import Foundation
public import UIKit
import UserNotifications

/// CORE PUSH, done by Carillon: the vendor's calls, each translated to one of Carillon's SDK.
///
/// Callbacks arrive on the main thread.
#if canImport(ObjectiveC)
@objc(CorePushManager)
#endif
@preconcurrency @MainActor
public final class CorePushManager: NSObject {
    /// The manager; `CorePushManager.shared()`, as with the vendor's first SDK, is the same.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static var shared: CorePushManager { CorePushAdapter.current.manager }

    let memory: CoreMemory

    /// Is told of pushes; not kept alive.
    public weak var delegate: (any CorePushManagerDelegate)?

    nonisolated init(memory: CoreMemory) { self.memory = memory }

    /// Itself: `CorePushManager.shared()` is how the vendor's first SDK is called.
    public func callAsFunction() -> CorePushManager { self }

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

    /// Where Carillon's server is; missing: `CarillonServerURL` of the Info.plist.
    ///
    /// Set it before ``configKey``.
    public var serverURL: URL? {
        get { CorePushAdapter.current.serverURL }
        set { CorePushAdapter.current.serverURL = newValue }
    }

    /// What the app's own switch says; the SDK only keeps it.
    public var pushEnabled: Bool {
        get { memory.value(.pushEnabled) ?? false }
        set { memory.keep(newValue, .pushEnabled) }
    }

    /// Whether the SDK writes to the console; set it before ``configKey``.
    public var debugEnabled: Bool {
        get { memory.value(.debugEnabled) ?? false }
        set { memory.keep(newValue, .debugEnabled) }
    }

    /// Kept, and without effect: the device is always known by a random id of the SDK's own, never by its hardware's.
    public var deviceIdEnabled: Bool {
        get { memory.value(.deviceIdEnabled) ?? false }
        set { memory.keep(newValue, .deviceIdEnabled) }
    }

    /// Kept, and without effect: see ``deviceIdEnabled``.
    public var deviceIdHashEnabled: Bool {
        get { memory.value(.deviceIdHashEnabled) ?? false }
        set { memory.keep(newValue, .deviceIdHashEnabled) }
    }

    /// Whether ``reportCurrentLocation()`` does anything.
    public var locationServiceEnabled: Bool {
        get { memory.value(.locationServiceEnabled) ?? false }
        set {
            memory.keep(newValue, .locationServiceEnabled)
            CorePushAdapter.current.client?.isLocationEnabled = newValue
        }
    }

    /// One-dimensional categories, told at the next registration; `nil`: the category `1`.
    public var categoryIds: [String]? {
        get { memory.value(.categoryIds) }
        set { memory.keep(newValue, .categoryIds) }
    }

    /// Two-dimensional categories: labels by id; they win over ``categoryIds``.
    public var multiCategoryIds: [String: [String]]? {
        get { memory.value(.multiCategoryIds) }
        set { memory.keep(newValue, .multiCategoryIds) }
    }

    /// The person, under the app's own id; told at the next registration.
    public var appUserId: String? {
        get { memory.value(.appUserId) }
        set { memory.keep(newValue, .appUserId) }
    }

    /// The token that was sent last, as 64 lower-case hexadecimal digits; empty after it was taken back.
    public var deviceToken: String? { memory.value(.deviceToken) }

    /// Whether the server has the token.
    public var isDeviceTokenSentToServer: Bool { memory.value(.isDeviceTokenSentToServer) ?? false }

    /// Names who answers surveys on this installation, and nobody else; never the hardware's id.
    ///
    /// It is there before ``configKey`` is set and without a server, and stays the same over restarts.
    public var uuid: String { CorePushAdapter.current.surveyID }

    /// The categories that the server is told.
    var categories: DeviceCategories? {
        if let multiCategoryIds, !multiCategoryIds.isEmpty { return .dimensions(multiCategoryIds) }
        if let categoryIds, !categoryIds.isEmpty { return .list(categoryIds) }
        return nil
    }
}

// MARK: - The badge

extension CorePushManager {
    /// Takes the number off the app's icon.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func resetApplicationIconBadgeNumber() { setApplicationIconBadgeNumber(0) }

    /// Sets the number on the app's icon.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func setApplicationIconBadgeNumber(_ number: Int) {
        guard let app = try? CorePushAdapter.current.startedApp() else { return }
        app.setBadge(number)
    }
}

// MARK: - Pushes

extension CorePushManager {
    /// Hands a push to the delegate, by where the app is: in front, or on its way there.
    ///
    /// The push that ``handleLaunchingNotification(withOption:)`` took is not handed over a second time when the system
    /// tells of the same tap.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public func handleRemoteNotification(_ userInfo: [AnyHashable: Any]) {
        let adapter = CorePushAdapter.current
        adapter.remember(userInfo)
        switch UIApplication.shared.applicationState {
        case .active: delegate?.notifyForeground(userInfo)
        case .inactive: if !adapter.isLaunch(userInfo) { delegate?.notifyBackground(userInfo) }
        case .background: break
        @unknown default: break
        }
    }

    /// Hands the push that the app was started by to the delegate, if it was started by one.
    #if canImport(ObjectiveC)
    @objc(handleLaunchingNotificationWithOption:)
    #endif
    public func handleLaunchingNotification(withOption launchOptions: [UIApplication.LaunchOptionsKey: Any]?) {
        guard let userInfo = launchOptions?[.remoteNotification] as? [AnyHashable: Any] else { return }
        CorePushAdapter.current.rememberLaunch(userInfo)
        delegate?.notifyLaunching(userInfo)
    }
}
