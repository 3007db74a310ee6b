#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import CarillonModel
import UserNotifications

/// The system's permission for notifications.
enum SystemPermission {
    /// The permission now.
    static func current() async -> NotificationPermission {
        await withCheckedContinuation { continuation in
            UNUserNotificationCenter.current().getNotificationSettings { settings in
                continuation.resume(returning: NotificationPermission(settings.authorizationStatus))
            }
        }
    }

    /// Requests permission, if it was not requested before.
    static func request(_ options: UNAuthorizationOptions) async -> NotificationPermission {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            UNUserNotificationCenter.current().requestAuthorization(options: options) { _, _ in
                continuation.resume()
            }
        }
        return await current()
    }
}

extension NotificationPermission {
    init(_ status: UNAuthorizationStatus) {
        switch status {
        case .notDetermined: self = .notDetermined
        case .denied: self = .denied
        case .authorized: self = .authorized
        case .provisional: self = .provisional
        case .ephemeral: self = .ephemeral
        @unknown default: self = .notDetermined
        }
    }
}
#endif
