package import Foundation

/// Observes a system notification until nobody has this value any more.
package final class NotificationObserver {
    private let token: AnyObject

    /// - Parameters:
    ///   - name: The notification, which is posted on the main thread.
    ///   - sender: Who posts it.
    ///   - onPost: Called on the main thread.
    package init(of name: Notification.Name, from sender: AnyObject, onPost: @escaping @Sendable () -> Void) {
        token = NotificationCenter.default.addObserver(forName: name, object: sender, queue: nil) { _ in onPost() }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
}
