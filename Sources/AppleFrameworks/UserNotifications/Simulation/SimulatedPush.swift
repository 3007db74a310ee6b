package import Foundation

/// A push as it arrives at a phone.
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

/// What became of a push on the phone.
package struct SimulatedArrival: Sendable {
    /// What the person saw of it.
    package enum Presentation: Hashable, Sendable {
        /// Nothing: no permission, nothing to show, or the app in front did not want it.
        case hidden
        /// A new notification.
        case shown
        /// It took the place of one that was visible.
        case replaced
    }

    package var presentation: Presentation
    /// The request's identifier.
    package var identifier: String
    /// Whether the service extension ran.
    package var ranExtension: Bool
    /// Whether the extension's time ran out.
    package var extensionTimedOut: Bool
    /// Whether it made itself noticed anew: banner or sound.
    package var alerted: Bool
}

/// Apple's part of a payload, read as the system reads it: what does not fit is left out.
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
