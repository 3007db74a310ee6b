#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import CarillonModel
import Foundation
import UserNotifications

/// The categories that the SDK adds to the app's own.
package enum SystemCategories {
    /// The prefix of the categories of messages' own buttons.
    static let dynamicPrefix = DefaultCategory.identifier + "."

    /// The number of categories of messages' own buttons from which unused ones are removed.
    static let dynamicLimit = 32

    /// The category of messages without one: it makes the system report dismissal.
    static var standard: UNNotificationCategory {
        UNNotificationCategory(
            identifier: DefaultCategory.identifier,
            actions: [],
            intentIdentifiers: [],
            options: .customDismissAction
        )
    }

    /// The identifier of the category of a message's own buttons: equal for equal buttons.
    package static func identifier(for buttons: [ReceivedPush.Button]) -> String {
        let parts = buttons.flatMap { [$0.id, $0.title, $0.kind.rawValue, $0.hint ?? "", $0.submit ?? ""] }
        let text = parts.map { $0 + "\u{0}" }.joined()
        return dynamicPrefix + hexadecimal(Checksum.of(text.utf8))
    }

    /// Makes the category of a message's own buttons.
    static func category(for buttons: [ReceivedPush.Button]) -> UNNotificationCategory {
        UNNotificationCategory(
            identifier: identifier(for: buttons),
            actions: buttons.map(action),
            intentIdentifiers: [],
            options: .customDismissAction
        )
    }

    private static func action(for button: ReceivedPush.Button) -> UNNotificationAction {
        switch button.kind {
        case .openApp, .openURL:
            UNNotificationAction(identifier: button.id, title: button.title, options: .foreground)
        case .dismiss:
            UNNotificationAction(identifier: button.id, title: button.title, options: [])
        case .reply:
            UNTextInputNotificationAction(
                identifier: button.id,
                title: button.title,
                options: [],
                textInputButtonTitle: button.submit ?? button.title,
                textInputPlaceholder: button.hint ?? ""
            )
        }
    }

    /// Adds the standard category, and that of some buttons, to those that are registered; the app's own stay.
    ///
    /// It returns after the system has them, because a notification shows its buttons only then.
    ///
    /// - Parameter buttons: A message's own buttons; may be empty.
    package static func register(for buttons: [ReceivedPush.Button] = []) async {
        let used = await usedIdentifiers()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            UNUserNotificationCenter.current().getNotificationCategories { known in
                var new = [standard]
                if !buttons.isEmpty { new.append(category(for: buttons)) }
                let center = UNUserNotificationCenter.current()
                center.setNotificationCategories(merge(new, into: known, used: used))
                center.getNotificationCategories { _ in continuation.resume() }
            }
        }
    }

    /// Registers the app's own categories in place of all others that are not Carillon's.
    static func setOwn(_ own: Shared) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            UNUserNotificationCenter.current().getNotificationCategories { known in
                let kept = known.filter { isDynamic($0) }.union([standard])
                let names = Set(kept.map(\.identifier))
                let center = UNUserNotificationCenter.current()
                center.setNotificationCategories(kept.union(own.value.filter { !names.contains($0.identifier) }))
                center.getNotificationCategories { _ in continuation.resume() }
            }
        }
    }

    static func merge(
        _ new: [UNNotificationCategory],
        into known: Set<UNNotificationCategory>,
        used: Set<String>
    ) -> Set<UNNotificationCategory> {
        let names = Set(new.map(\.identifier))
        var kept = known.filter { !names.contains($0.identifier) }
        if kept.filter(isDynamic).count >= dynamicLimit {
            kept = kept.filter { !isDynamic($0) || used.contains($0.identifier) }
        }
        return kept.union(new)
    }

    /// Unchecked: categories are immutable.
    struct Shared: @unchecked Sendable {
        let value: Set<UNNotificationCategory>
    }

    private static func isDynamic(_ category: UNNotificationCategory) -> Bool {
        category.identifier.hasPrefix(dynamicPrefix)
    }

    private static func usedIdentifiers() async -> Set<String> {
        await withCheckedContinuation { continuation in
            UNUserNotificationCenter.current().getDeliveredNotifications { notifications in
                continuation.resume(returning: Set(notifications.map(\.request.content.categoryIdentifier)))
            }
        }
    }
}
#endif
