public import Foundation

/// The part of an app that may change a notification before it is shown.
open class UNNotificationServiceExtension: NSObject {
    /// Makes an extension; the system does so for each notification.
    public override init() {}

    /// Takes a notification and hands back what is to be shown.
    ///
    /// - Parameters:
    ///   - request: The notification.
    ///   - contentHandler: To be called once with what is to be shown.
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        contentHandler(request.content)
    }

    /// Says that the extension is about to be ended: the last moment to hand something back.
    open func serviceExtensionTimeWillExpire() {}
}
