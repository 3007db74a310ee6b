#if canImport(UserNotifications)
import CarillonServiceExtension

/// The app's notification service extension, by the name that Xcode's template writes into its Info.plist.
///
/// `nonisolated`: the superclass has no actor, and a target whose default isolation is the main actor would refuse the subclass.
nonisolated final class NotificationService: CarillonNotificationServiceExtension {}
#endif
