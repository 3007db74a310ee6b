#if canImport(UIKit) && canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import CarillonModel
import Foundation
import UIKit
public import UserNotifications

// Categories and badge.
@available(iOSApplicationExtension, unavailable)
extension CarillonApp {
    /// Registers the app's own categories of actions in place of earlier ones.
    ///
    /// Call it at each launch; Carillon's own categories stay.
    ///
    /// - Parameter categories: The categories; empty: none.
    /// - Throws: ``CarillonError`` with code `invalidArgument` when an id occurs twice; nothing is changed then.
    public func setActionCategories(_ categories: [NotificationCategory]) async throws(CarillonError) {
        guard Set(categories.map(\.id)).count == categories.count else {
            throw .invalidArgument("a category's id is there twice")
        }
        await setSystemCategories(Set(categories.map(\.systemCategory)))
    }

    /// Registers the app's own categories, as the system's type, in place of earlier ones; Carillon's own stay.
    ///
    /// - Parameter categories: The categories; empty: none.
    public func setSystemCategories(_ categories: Set<UNNotificationCategory>) async {
        let shared = SystemCategories.Shared(value: categories)
        await changeCategories { await SystemCategories.setOwn(shared) }.value
    }

    /// Serializes changes, because each reads and writes the whole set of categories.
    @discardableResult
    func changeCategories(_ work: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
        let earlier = categoryWork
        let task = Task {
            await earlier?.value
            await work()
        }
        categoryWork = task
        return task
    }

    /// Sets the number on the app's icon.
    ///
    /// The server is told, once after each launch and whenever the number changes, and messages that add to it count
    /// from there.
    ///
    /// - Parameter count: The number; 0 or less removes it.
    public func setBadge(_ count: Int) {
        let count = max(0, count)
        if badgeWork?.count != count || !shows(count) { reportBadge(count) }
        #if os(iOS)
        guard #available(iOS 16, *) else {
            UIApplication.shared.applicationIconBadgeNumber = count
            return
        }
        #endif
        UNUserNotificationCenter.current().setBadgeCount(count, withCompletionHandler: nil)
    }

    /// Serializes reports: the number that was set last is sent last.
    private func reportBadge(_ count: Int) {
        let earlier = badgeWork?.report
        let report = Task { [client] in
            await earlier?.value
            // A failure is in the log, and the number is sent later.
            try? await client.reportBadge(count)
        }
        badgeWork = (report, count)
    }

    /// Whether the icon has a number already, as far as the system tells.
    private func shows(_ count: Int) -> Bool {
        #if os(visionOS)
        false
        #else
        UIApplication.shared.applicationIconBadgeNumber == count
        #endif
    }

    /// Removes the number from the app's icon.
    public func resetBadge() { setBadge(0) }

    /// Sets the number on the app's icon to the inbox's unread messages, as they were fetched last.
    ///
    /// - Throws: ``CarillonError`` when the phone's storage cannot be read.
    public func setBadgeToUnread() async throws(CarillonError) { setBadge(try await client.unreadCount) }
}
#endif
