public import Foundation
public import UserNotifications

/// One of an app's interfaces.
@MainActor
open class UIScene: UIResponder {
    /// Why a scene is connected.
    @MainActor
    open class ConnectionOptions: NSObject {
        /// The tap that the scene is connected for.
        public let notificationResponse: UNNotificationResponse?

        package init(notificationResponse: UNNotificationResponse?) {
            self.notificationResponse = notificationResponse
            super.init()
        }
    }
}
