#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
public import CarillonModel
public import Foundation
public import UserNotifications

/// What the person did with a notification.
public struct NotificationGesture: Hashable, Sendable {
    /// The push.
    public let push: ReceivedPush
    /// Whether it was opened or dismissed, or a button was pressed.
    public let kind: Event.Kind
    /// The pressed button's id.
    public let action: String?
    /// The text that was typed.
    public let reply: String?

    /// The link to follow: the pressed button's if it opens one, or the notification's when it was tapped.
    public var link: URL? {
        switch kind {
        case .opened: push.link
        case .action: action.flatMap { push.button($0) }.flatMap { $0.kind == .openURL ? $0.link : nil }
        case .received, .dismissed, .launched: nil
        }
    }

    /// Reads the system's response; `nil` when the notification is not Carillon's.
    ///
    /// - Parameter response: The system's response.
    public init?(_ response: UNNotificationResponse) {
        guard let push = ReceivedPush(userInfo: response.notification.request.content.userInfo) else { return nil }
        self.push = push
        switch response.actionIdentifier {
        case UNNotificationDefaultActionIdentifier:
            kind = .opened
            action = nil
        case UNNotificationDismissActionIdentifier:
            kind = .dismissed
            action = nil
        default:
            kind = .action
            action = response.actionIdentifier
        }
        reply = (response as? UNTextInputNotificationResponse)?.userText
    }

    /// Whether it brings the app to the foreground; otherwise there is little time to report it.
    var opensApp: Bool {
        switch kind {
        case .opened: true
        case .action: action.flatMap { push.button($0)?.kind.isInFront } ?? true
        case .received, .dismissed, .launched: false
        }
    }
}

extension ReceivedPush.Button.Kind {
    var isInFront: Bool {
        switch self {
        case .openApp, .openURL: true
        case .reply, .dismiss: false
        }
    }
}
#endif
