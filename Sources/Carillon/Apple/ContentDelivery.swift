#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import Foundation
import UserNotifications

/// What a service extension will hand back: made better while there is time, handed over once.
///
/// Unchecked: `lock` protects everything; once handed over, the content is not touched again.
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

    /// Changes the content, unless it was handed over.
    func improve(_ change: (UNMutableNotificationContent) -> Void) {
        lock.lock()
        defer { lock.unlock() }
        guard handler != nil, let improved else { return }
        change(improved)
    }

    /// Hands the content over; later calls do nothing.
    func deliver() {
        lock.lock()
        let waiting = handler
        handler = nil
        lock.unlock()
        waiting?(improved ?? original)
    }
}
#endif
