import CarillonServiceExtension

nonisolated final class NotificationService: CarillonNotificationServiceExtension {}
