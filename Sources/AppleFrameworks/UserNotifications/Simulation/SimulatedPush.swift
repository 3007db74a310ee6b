package import Foundation

/// A push.
package struct SimulatedPush: Sendable {
    /// The whole payload: a JSON object with `aps` in it.
    package var payload: Data
    /// The `apns-collapse-id`.
    package var collapseID: String?

    package init(payload: Data, collapseID: String? = nil) {
        self.payload = payload
        self.collapseID = collapseID
    }
}

/// The result of a push on the phone.
package struct SimulatedArrival: Sendable {
    /// How it was presented.
    package enum Presentation: Hashable, Sendable {
        /// Not at all: no permission, nothing to show, or the app in the foreground suppressed it.
        case hidden
        /// A new notification.
        case shown
        /// It replaced a visible one.
        case replaced
    }

    package var presentation: Presentation
    /// The request's identifier.
    package var identifier: String
    /// Whether the service extension ran.
    package var ranExtension: Bool
    /// Whether the extension timed out.
    package var extensionTimedOut: Bool
    /// Whether it alerted: banner or sound.
    package var alerted: Bool
}

/// The `aps` object of a payload, parsed as the system does: malformed values are ignored.
struct ApsDictionary {
    let userInfo: [AnyHashable: Any]
    let aps: [String: Any]

    init?(_ payload: Data) {
        guard let object = try? JSONSerialization.jsonObject(with: payload) as? [String: Any],
            let aps = object["aps"] as? [String: Any]
        else { return nil }
        userInfo = object
        self.aps = aps
    }

    var hasAlert: Bool { aps["alert"] != nil }
    var isMutable: Bool { (aps["mutable-content"] as? NSNumber)?.intValue == 1 }
    var wakesApp: Bool { (aps["content-available"] as? NSNumber)?.intValue == 1 }

    var content: UNMutableNotificationContent {
        let content = UNMutableNotificationContent()
        content.userInfo = userInfo
        if let text = aps["alert"] as? String { content.body = text }
        if let alert = aps["alert"] as? [String: Any] {
            content.title = alert["title"] as? String ?? ""
            content.subtitle = alert["subtitle"] as? String ?? ""
            content.body = alert["body"] as? String ?? ""
        }
        content.badge = aps["badge"] as? NSNumber
        if let sound = aps["sound"] as? String { content.sound = UNNotificationSound(named: .init(sound)) }
        content.categoryIdentifier = aps["category"] as? String ?? ""
        content.threadIdentifier = aps["thread-id"] as? String ?? ""
        content.interruptionLevel = interruptionLevel
        return content
    }

    private var interruptionLevel: UNNotificationInterruptionLevel {
        switch aps["interruption-level"] as? String {
        case "passive": .passive
        case "time-sensitive": .timeSensitive
        case "critical": .critical
        default: .active
        }
    }
}
