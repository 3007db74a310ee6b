#if canImport(UIKit)
import Carillon
import FacadeSupport
public import Foundation

/// Notified of the result of a report.
@preconcurrency @MainActor
#if canImport(ObjectiveC)
@objc(CorePushAnalyticsManagerDelegate)
#endif
public protocol CorePushAnalyticsManagerDelegate: AnyObject {
    /// The server has accepted it.
    func analyticsManagerSuccess()

    /// The server has not accepted it; a stored report is sent again later.
    func analyticsManagerFail()
}

/// Reports that the app was launched by a push.
#if canImport(ObjectiveC)
@objc(CorePushAnalyticsManager) @objcMembers
#endif
@preconcurrency @MainActor
public final class CorePushAnalyticsManager: NSObject {
    /// The action key of a launch, the default.
    public nonisolated static let launchActionKey = "001"

    /// The manager; `CorePushAnalyticsManager.shared()` is the same.
    public static var shared: CorePushAnalyticsManager { CorePushAdapter.current.analytics }

    /// Notified of the result of a report; a weak reference.
    public weak var delegate: (any CorePushAnalyticsManagerDelegate)?

    nonisolated override init() {}

    /// Returns itself: the vendor's first SDK is called as `shared()`.
    @nonobjc
    public func callAsFunction() -> CorePushAnalyticsManager { self }

    /// Reports a launch.
    ///
    /// - Parameters:
    ///   - pushId: `push_id` of the push's `userInfo`; without one nothing is sent.
    ///   - latitude: Degrees north as text; `0` with `0` for none.
    ///   - longitude: Degrees east as text.
    public func requestAppLaunchAnalytics(_ pushId: String?, latitude: String?, longitude: String?) {
        requestAppLaunchAnalytics(pushId, actionKey: nil, latitude: latitude, longitude: longitude)
    }

    /// Reports a launch or another action.
    ///
    /// - Parameters:
    ///   - pushId: `push_id` of the push's `userInfo`; without one nothing is sent.
    ///   - actionKey: The key of the action; `nil` for ``launchActionKey``.
    ///   - latitude: Degrees north as text; `0` with `0` for none.
    ///   - longitude: Degrees east as text.
    public func requestAppLaunchAnalytics(
        _ pushId: String?,
        actionKey: String?,
        latitude: String?,
        longitude: String?
    ) {
        guard let pushId, !pushId.isEmpty else { return }
        let adapter = CorePushAdapter.current
        let place = Self.place(latitude, longitude)
        let key = actionKey ?? Self.launchActionKey
        adapter.steps.add { @MainActor [self] in
            guard let push = adapter.push(pushId), let client = adapter.client else {
                delegate?.analyticsManagerFail()
                return
            }
            if key == Self.launchActionKey {
                await client.report(.launched, of: push, location: place)
            } else {
                await client.report(.action, of: push, action: key, location: place)
            }
            if await client.flush() == 0 {
                delegate?.analyticsManagerSuccess()
            } else {
                delegate?.analyticsManagerFail()
            }
        }
    }

    private static func place(_ latitude: String?, _ longitude: String?) -> DeviceLocation? {
        guard let latitude = latitude.flatMap(Double.init), let longitude = longitude.flatMap(Double.init),
            latitude != 0 || longitude != 0
        else { return nil }
        return DeviceLocation(latitude: latitude, longitude: longitude)
    }
}
#endif
