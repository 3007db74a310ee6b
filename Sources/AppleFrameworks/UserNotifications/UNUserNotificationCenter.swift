public import Foundation

/// The app's access to notifications.
open class UNUserNotificationCenter: NSObject {
    private let system: SimulatedSystem

    init(system: SimulatedSystem) { self.system = system }

    /// The center of the phone that the calling task runs on.
    ///
    /// - Returns: The center of that phone's app.
    public class func current() -> UNUserNotificationCenter { SimulatedSystem.required.center }

    /// Notified of notifications and of the person's responses.
    weak open var delegate: (any UNUserNotificationCenterDelegate)? {
        get { system.delegate }
        set { system.delegate = newValue }
    }

    /// Asks the person once.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - completionHandler: Called with the answer.
    open func requestAuthorization(
        options: UNAuthorizationOptions = [],
        completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        completionHandler(system.prompt(options), nil)
    }

    /// Asks the person once.
    ///
    /// - Parameter options: The options.
    /// - Returns: Whether the app may notify.
    /// - Throws: Never here; on a phone an error of the system.
    open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        system.prompt(options)
    }

    /// Reads the settings.
    ///
    /// - Parameter completionHandler: Called with the settings.
    open func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {
        completionHandler(UNNotificationSettings(authorizationStatus: system.permission))
    }

    /// Replaces the registered categories.
    ///
    /// - Parameter categories: The categories.
    open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        system.categories = categories
    }

    /// Reads the registered categories.
    ///
    /// - Parameter completionHandler: Called with the categories.
    open func getNotificationCategories(
        completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void
    ) {
        completionHandler(system.categories)
    }

    /// Reads the visible notifications.
    ///
    /// - Parameter completionHandler: Called with the notifications.
    open func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {
        completionHandler(system.visible)
    }

    /// Removes visible notifications.
    ///
    /// - Parameter identifiers: Their identifiers.
    open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        system.remove(identifiers)
    }

    /// Sets the number on the app's icon.
    ///
    /// - Parameters:
    ///   - newBadgeCount: The number; 0 removes it.
    ///   - completionHandler: Called when it is done.
    open func setBadgeCount(
        _ newBadgeCount: Int,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        system.badge = newBadgeCount
        completionHandler?(nil)
    }

    /// Removes all visible notifications.
    open func removeAllDeliveredNotifications() {
        system.remove(system.visible.map(\.request.identifier))
    }
}
