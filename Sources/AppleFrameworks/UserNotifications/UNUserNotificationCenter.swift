public import Foundation

/// The app's way to the system's notifications.
open class UNUserNotificationCenter: NSObject {
    private let system: SimulatedSystem

    init(system: SimulatedSystem) { self.system = system }

    /// The center of the phone that the calling task runs on.
    ///
    /// - Returns: The one center of that phone's app.
    public class func current() -> UNUserNotificationCenter { SimulatedSystem.required.center }

    /// Is told of notifications and of what the person does with them.
    weak open var delegate: (any UNUserNotificationCenterDelegate)? {
        get { system.delegate }
        set { system.delegate = newValue }
    }

    /// Asks the person, if they were not asked before.
    ///
    /// - Parameters:
    ///   - options: What to ask for.
    ///   - completionHandler: Called with the answer.
    open func requestAuthorization(
        options: UNAuthorizationOptions = [],
        completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        completionHandler(system.prompt(options), nil)
    }

    /// Asks the person, if they were not asked before.
    ///
    /// - Parameter options: What to ask for.
    /// - Returns: Whether the app may notify.
    /// - Throws: Nothing here; on a phone an error of the system.
    open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        system.prompt(options)
    }

    /// Reads what the person allows.
    ///
    /// - Parameter completionHandler: Called with the settings.
    open func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {
        completionHandler(UNNotificationSettings(authorizationStatus: system.permission))
    }

    /// Registers categories in place of all that were registered before.
    ///
    /// - Parameter categories: The categories.
    open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        system.categories = categories
    }

    /// Reads the categories that are registered.
    ///
    /// - Parameter completionHandler: Called with the categories.
    open func getNotificationCategories(
        completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void
    ) {
        completionHandler(system.categories)
    }

    /// Reads the notifications that are on the screen.
    ///
    /// - Parameter completionHandler: Called with the notifications.
    open func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {
        completionHandler(system.visible)
    }

    /// Takes notifications off the screen.
    ///
    /// - Parameter identifiers: Which ones.
    open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        system.remove(identifiers)
    }

    /// Sets the number on the app's icon.
    ///
    /// - Parameters:
    ///   - newBadgeCount: The number; 0 takes it away.
    ///   - completionHandler: Called when it is done.
    open func setBadgeCount(
        _ newBadgeCount: Int,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        system.badge = newBadgeCount
        completionHandler?(nil)
    }

    /// Takes all notifications off the screen.
    open func removeAllDeliveredNotifications() {
        system.remove(system.visible.map(\.request.identifier))
    }
}
