package import Foundation

/// Observes a system notification until nobody has this value any more.
package final class NotificationObserver {
    private let token: AnyObject
    /// Kept, as the notification center does not keep it and compares addresses: a sender that is made at the place of one that
    /// is gone would be heard instead, such as the application object of another simulated phone.
    private let sender: AnyObject

    /// - Parameters:
    ///   - name: The notification, which is posted on the main thread.
    ///   - sender: Who posts it.
    ///   - onPost: Called on the main thread.
    package init(of name: Notification.Name, from sender: AnyObject, onPost: @escaping @Sendable () -> Void) {
        self.sender = sender
        token = NotificationCenter.default.addObserver(forName: name, object: sender, queue: nil) { _ in onPost() }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
}
