public import Foundation

/// A notification.
open class UNNotification: NSObject {
    /// When it arrived.
    public let date: Date
    /// The request.
    public let request: UNNotificationRequest

    init(date: Date, request: UNNotificationRequest) {
        self.date = date
        self.request = request
    }
}

/// A request to show a notification.
open class UNNotificationRequest: NSObject {
    /// Its identifier: a later one with the same identifier replaces it.
    ///
    /// For a push, its collapse id if there is one.
    public let identifier: String
    /// The content.
    public let content: UNNotificationContent
    /// The trigger.
    public let trigger: UNNotificationTrigger?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - identifier: Its identifier.
    ///   - content: The content.
    ///   - trigger: The trigger.
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content
        self.trigger = trigger
    }
}

/// The trigger of a notification.
open class UNNotificationTrigger: NSObject {
    /// Whether it repeats.
    open var repeats: Bool { false }
}

/// The trigger of a push.
open class UNPushNotificationTrigger: UNNotificationTrigger {}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The action of a tap on the notification itself.
public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The action of dismissing the notification.
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

/// A person's response to a notification.
open class UNNotificationResponse: NSObject {
    /// The notification.
    public let notification: UNNotification
    /// The action.
    public let actionIdentifier: String

    init(notification: UNNotification, actionIdentifier: String) {
        self.notification = notification
        self.actionIdentifier = actionIdentifier
    }
}

/// A response with a text.
open class UNTextInputNotificationResponse: UNNotificationResponse {
    /// The text.
    public let userText: String

    init(notification: UNNotification, actionIdentifier: String, userText: String) {
        self.userText = userText
        super.init(notification: notification, actionIdentifier: actionIdentifier)
    }
}
