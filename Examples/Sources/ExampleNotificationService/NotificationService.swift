#if canImport(UserNotifications)
import Carillon
import UserNotifications

/// The app's notification service extension, a target of its own with `CarillonServerURL` and `CarillonAppKey` in its
/// Info.plist: reports that notifications were received, shows their pictures and their buttons.
final class NotificationService: CarillonNotificationServiceExtension {}
#endif
