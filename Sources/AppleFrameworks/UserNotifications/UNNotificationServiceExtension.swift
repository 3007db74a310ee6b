public import Foundation

/// The part of an app that may change a notification before it is shown.
open class UNNotificationServiceExtension: NSObject {
    /// Creates an extension; the system does so for each notification.
    public override init() {}

    /// Receives a notification and passes on the content to show.
    ///
    /// - Parameters:
    ///   - request: The notification.
    ///   - contentHandler: Must be called once with the content to show.
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        contentHandler(request.content)
    }

    /// Called shortly before the time limit: the last opportunity to call the content handler.
    open func serviceExtensionTimeWillExpire() {}
}
