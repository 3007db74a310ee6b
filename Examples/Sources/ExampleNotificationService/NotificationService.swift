#if canImport(UserNotifications)
public import CarillonServiceExtension

/// The app's notification service extension, a target of its own with `CarillonServerURL` and `CarillonAppKey` in its
/// Info.plist: reports that notifications were received, shows their media and their buttons.
public nonisolated final class NotificationService: CarillonNotificationServiceExtension {}
#endif
