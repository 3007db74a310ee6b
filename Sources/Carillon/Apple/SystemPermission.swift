#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import CarillonModel
import UserNotifications

/// Asks the system whether the app may notify.
enum SystemPermission {
    /// What the system says now.
    static func current() async -> NotificationPermission {
        await withCheckedContinuation { continuation in
            UNUserNotificationCenter.current().getNotificationSettings { settings in
                continuation.resume(returning: NotificationPermission(settings.authorizationStatus))
            }
        }
    }

    /// Asks the person, if they were not asked before.
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
