public import Foundation

/// A notification that arrived.
open class UNNotification: NSObject {
    /// When it arrived.
    public let date: Date
    /// What was asked to be shown.
    public let request: UNNotificationRequest

    init(date: Date, request: UNNotificationRequest) {
        self.date = date
        self.request = request
    }
}

/// What is asked to be shown.
open class UNNotificationRequest: NSObject {
    /// Names it: a later one of the same name replaces it.
    ///
    /// For a push, its collapse id if there is one.
    public let identifier: String
    /// What it says.
    public let content: UNNotificationContent
    /// What caused it.
    public let trigger: UNNotificationTrigger?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - identifier: Names it.
    ///   - content: What it says.
    ///   - trigger: What causes it.
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content
        self.trigger = trigger
    }
}

/// What causes a notification.
open class UNNotificationTrigger: NSObject {
    /// Whether it comes again.
    open var repeats: Bool { false }
}

/// A push caused it.
open class UNPushNotificationTrigger: UNNotificationTrigger {}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of the action that a tap on the notification itself is.
public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of the action that throwing the notification away is.
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

/// What the person did with a notification.
open class UNNotificationResponse: NSObject {
    /// The notification.
    public let notification: UNNotification
    /// Which action it was.
    public let actionIdentifier: String

    init(notification: UNNotification, actionIdentifier: String) {
        self.notification = notification
        self.actionIdentifier = actionIdentifier
    }
}

/// What the person typed under a notification.
open class UNTextInputNotificationResponse: UNNotificationResponse {
    /// The text.
    public let userText: String

    init(notification: UNNotification, actionIdentifier: String, userText: String) {
        self.userText = userText
        super.init(notification: notification, actionIdentifier: actionIdentifier)
    }
}
