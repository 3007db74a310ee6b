#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import Foundation
import UserNotifications

/// The content that a service extension returns: changed while there is time, delivered once.
///
/// Unchecked: `lock` protects everything; the content does not change after it was delivered.
final class ContentDelivery: @unchecked Sendable {
    private let lock = NSLock()
    private let original: UNNotificationContent
    private let improved: UNMutableNotificationContent?
    private var handler: ((UNNotificationContent) -> Void)?

    init(_ content: UNNotificationContent, _ handler: @escaping (UNNotificationContent) -> Void) {
        original = content
        improved = content.mutableCopy() as? UNMutableNotificationContent
        self.handler = handler
    }

    /// Changes the content, unless it was delivered.
    func improve(_ change: (UNMutableNotificationContent) -> Void) {
        lock.lock()
        defer { lock.unlock() }
        guard handler != nil, let improved else { return }
        change(improved)
    }

    /// Delivers the content; later calls do nothing.
    func deliver() {
        lock.lock()
        let waiting = handler
        handler = nil
        lock.unlock()
        waiting?(improved ?? original)
    }
}
#endif
