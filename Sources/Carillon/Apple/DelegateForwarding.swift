#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import UserNotifications

/// Forwards a call to a delegate that may not have the method: on Apple's systems it is optional, and on Linux its default
/// returns a marker.
extension Optional where Wrapped == any UNUserNotificationCenterDelegate {
    /// - Returns: Whether the delegate has the method; it calls the completion handler then.
    func forward(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        standard: UNNotificationPresentationOptions,
        completion: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) -> Bool {
        guard let delegate = self else { return false }
        #if canImport(ObjectiveC)
        let isHandled: Void? = delegate.userNotificationCenter?(
            center,
            willPresent: notification,
            withCompletionHandler: completion
        )
        return isHandled != nil
        #else
        delegate.userNotificationCenter(center, willPresent: notification) { options in
            completion(options == .unanswered ? standard : options)
        }
        return true
        #endif
    }

    /// - Returns: Whether the delegate has the method; it calls the completion handler then.
    func forward(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        completion: @escaping @Sendable () -> Void
    ) -> Bool {
        guard let delegate = self else { return false }
        #if canImport(ObjectiveC)
        let isHandled: Void? = delegate.userNotificationCenter?(
            center,
            didReceive: response,
            withCompletionHandler: completion
        )
        return isHandled != nil
        #else
        delegate.userNotificationCenter(center, didReceive: response, withCompletionHandler: completion)
        return true
        #endif
    }

    func forward(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?) {
        #if canImport(ObjectiveC)
        self?.userNotificationCenter?(center, openSettingsFor: notification)
        #else
        self?.userNotificationCenter(center, openSettingsFor: notification)
        #endif
    }
}
#endif
