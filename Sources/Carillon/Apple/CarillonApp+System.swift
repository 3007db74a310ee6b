#if canImport(UIKit) && canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import CarillonModel
import Foundation
import UIKit
public import UserNotifications

// Categories, badge and place.
extension CarillonApp {
    /// Registers the kinds of notifications that have actions of the app's own, in place of those before.
    ///
    /// Call it at each start; Carillon's own categories stay.
    ///
    /// - Parameter categories: The categories; empty: none.
    /// - Throws: ``CarillonError`` with code `invalidArgument` when an id is there twice; nothing is changed then.
    public func setActionCategories(_ categories: [NotificationCategory]) async throws(CarillonError) {
        guard Set(categories.map(\.id)).count == categories.count else {
            throw .invalidArgument("a category's id is there twice")
        }
        await setSystemCategories(Set(categories.map(\.systemCategory)))
    }

    /// Registers the app's own categories in the system's words, in place of those before; Carillon's own stay.
    ///
    /// - Parameter categories: The categories; empty: none.
    public func setSystemCategories(_ categories: Set<UNNotificationCategory>) async {
        let shared = SystemCategories.Shared(value: categories)
        await workOnCategories { await SystemCategories.setOwn(shared) }.value
    }

    /// One after the other: each reads what is registered, and writes all of it.
    @discardableResult
    func workOnCategories(_ work: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
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
    /// - Parameter count: The number; 0 or less takes it away.
    public func setBadge(_ count: Int) {
        let count = max(0, count)
        #if os(iOS)
        guard #available(iOS 16, *) else {
            UIApplication.shared.applicationIconBadgeNumber = count
            return
        }
        #endif
        UNUserNotificationCenter.current().setBadgeCount(count, withCompletionHandler: nil)
    }

    /// Takes the number off the app's icon.
    public func resetBadge() { setBadge(0) }

    /// Sets the number on the app's icon to what is unread in the inbox, as it was fetched last.
    ///
    /// - Throws: ``CarillonError`` when the phone's storage cannot be read.
    public func setBadgeToUnread() async throws(CarillonError) { setBadge(try await client.unreadCount) }

    /// Finds the phone and tells the server, if ``CarillonClient/isLocationEnabled``; the person is asked at first.
    ///
    /// - Returns: Whether it was told; false when it is not enabled, and then nobody is asked.
    /// - Throws: ``CarillonError``: `permissionDenied` when the person does not allow it, `noLocation` when the phone does
    ///   not know, and what sending may meet.
    @discardableResult
    public func reportCurrentLocation() async throws(CarillonError) -> Bool {
        guard client.isLocationEnabled else { return false }
        let finder = LocationFinder()
        let location = try await withDeadline(of: client.configuration.deadline, client.time) {
            () throws(CarillonError) in try await finder.find()
        }
        return try await client.setLocation(location)
    }
}
#endif
