#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import Foundation
import UserNotifications

// The state of NotificationDelegate, which the system calls on any thread.

/// The payload of a response, which any thread may read.
///
/// Unchecked: `lock` protects it.
final class LatestResponse: @unchecked Sendable {
    private let lock = NSLock()
    private var payload: NSDictionary?

    func set(_ userInfo: [AnyHashable: Any]) {
        lock.lock()
        defer { lock.unlock() }
        payload = userInfo as NSDictionary
    }

    func isOf(_ userInfo: [AnyHashable: Any]) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return payload?.isEqual(userInfo as NSDictionary) == true
    }
}

/// What is shown in the foreground, and the last notification, which any thread may read.
///
/// Unchecked: `lock` protects it.
final class PresentationChoice: @unchecked Sendable {
    private let lock = NSLock()
    private var chosen: UNNotificationPresentationOptions = []
    private var last: (identifier: String, date: Date)?

    var options: UNNotificationPresentationOptions {
        get {
            lock.lock()
            defer { lock.unlock() }
            return chosen
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            chosen = newValue
        }
    }

    /// Whether a notification is another one than the last.
    func isNew(_ notification: UNNotification) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        let now = (identifier: notification.request.identifier, date: notification.date)
        defer { last = now }
        return last.map { $0 != now } ?? true
    }
}
#endif
