import Carillon

final class NotificationService: CarillonNotificationServiceExtension {}
