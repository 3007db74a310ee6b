#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import CarillonModel
import Foundation
import UserNotifications

/// The app's own notification delegate and one that another SDK set later, and which calls went to them.
///
/// The later one may return each call to the one before it, which is the SDK: at once, when it has answered, or much later. So a
/// call is recognized by its object, which is kept for a while, and goes to the app's own delegate once.
///
/// Unchecked: `lock` protects everything.
final class ForeignDelegates: @unchecked Sendable {
    private struct Call {
        let object: AnyObject
        var isWithOwn = false
    }

    /// How many calls are remembered.
    private static let limit = 16

    private let lock = NSLock()
    private weak var ownDelegate: (any UNUserNotificationCenterDelegate)?
    private weak var laterDelegate: (any UNUserNotificationCenterDelegate)?
    private var calls: [Call] = []
    private var settingsOpened: Timestamp?

    var own: (any UNUserNotificationCenterDelegate)? {
        get { with { $0.ownDelegate } }
        set { with { $0.ownDelegate = newValue } }
    }

    var later: (any UNUserNotificationCenterDelegate)? {
        get { with { $0.laterDelegate } }
        set { with { $0.laterDelegate = newValue } }
    }

    /// Begins a call of the system, or finds that it is one that the later delegate returns.
    ///
    /// Without a later delegate nobody returns calls, and each is new.
    ///
    /// - Parameter object: The notification or the response.
    /// - Returns: Whether it is new.
    func begin(_ object: AnyObject) -> Bool {
        with { delegates in
            guard delegates.laterDelegate != nil, delegates.calls.contains(where: { $0.object === object }) else {
                delegates.calls.removeAll { $0.object === object }
                delegates.calls = delegates.calls.suffix(Self.limit - 1) + [Call(object: object)]
                return true
            }
            return false
        }
    }

    /// Claims a call for the app's own delegate.
    ///
    /// - Parameter object: The notification or the response.
    /// - Returns: Whether the delegate has not had it.
    func claimOwn(_ object: AnyObject) -> Bool {
        with { delegates in
            guard let index = delegates.calls.firstIndex(where: { $0.object === object }),
                !delegates.calls[index].isWithOwn
            else { return false }
            delegates.calls[index].isWithOwn = true
            return true
        }
    }

    /// Begins a call that opens the settings; it has no object of its own.
    ///
    /// - Parameter now: The time.
    /// - Returns: Whether it is none that the later delegate returns, as within a second.
    func beginSettings(at now: Timestamp) -> Bool {
        with { delegates in
            defer { delegates.settingsOpened = now }
            guard delegates.laterDelegate != nil, let before = delegates.settingsOpened else { return true }
            return now.rawValue - before.rawValue > 1_000
        }
    }

    private func with<Result>(_ body: (ForeignDelegates) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(self)
    }
}
#endif
