#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import UserNotifications

/// Hands a call on to a delegate that may not have the method: on Apple's systems it is optional, and here its default
/// gives a sign.
extension Optional where Wrapped == any UNUserNotificationCenterDelegate {
    /// - Returns: Whether the delegate took the call; then it calls the completion handler.
    func forward(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        standard: UNNotificationPresentationOptions,
        completion: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) -> Bool {
        guard let delegate = self else { return false }
        #if canImport(ObjectiveC)
        let isTaken: Void? = delegate.userNotificationCenter?(
            center,
            willPresent: notification,
            withCompletionHandler: completion
        )
        return isTaken != nil
        #else
        delegate.userNotificationCenter(center, willPresent: notification) { options in
            completion(options == .unanswered ? standard : options)
        }
        return true
        #endif
    }

    /// - Returns: Whether the delegate took the call; then it calls the completion handler.
    func forward(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        completion: @escaping @Sendable () -> Void
    ) -> Bool {
        guard let delegate = self else { return false }
        #if canImport(ObjectiveC)
        let isTaken: Void? = delegate.userNotificationCenter?(
            center,
            didReceive: response,
            withCompletionHandler: completion
        )
        return isTaken != nil
        #else
        delegate.userNotificationCenter(center, didReceive: response, withCompletionHandler: completion)
        return true
        #endif
    }
}
#endif
