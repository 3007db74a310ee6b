#if canImport(UserNotifications)
import CarillonServiceExtension

final class Uses: CarillonNotificationServiceExtension {}
#endif
