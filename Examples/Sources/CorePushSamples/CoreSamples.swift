#if canImport(UIKit)
public import CorePush
import CorePushLocation
import Foundation
public import UIKit
import UserNotifications

/// The vendor's samples of single calls, in Swift.
@MainActor
public enum CoreSamples {
    /// One-dimensional categories.
    public static func categories() { CorePushManager.shared.categoryIds = ["1", "2", "3", "4"] }

    /// Two-dimensional categories: they win.
    public static func multiCategories() {
        CorePushManager.shared.multiCategoryIds = [
            "1": ["神奈川"], "2": ["男性"], "3": ["20代"], "4": ["音楽", "読書"],
        ]
    }

    /// The device id: kept for the code's sake, no hardware id is ever sent.
    public static func deviceID() {
        CorePushManager.shared.deviceIdEnabled = true
        CorePushManager.shared.deviceIdHashEnabled = true
    }

    /// User to user: who uses the app, and what they want to hear of.
    public static func userToUser(_ api: String) {
        CorePushManager.shared.appUserId = "UserId"
        CorePushManager.shared.registerForRemoteNotifications()
        CorePushManager.shared.registerUserAttributes(["1", "3", "7"], api: api)
    }

    /// The place, once it is allowed.
    public static func location() {
        CorePushManager.shared.locationServiceEnabled = true
        CorePushManager.shared.reportCurrentLocation()
    }

    /// The switch is off.
    public static func unregister() { CorePushManager.shared.unregisterDeviceToken() }

    /// The history is fetched; the delegate is told.
    public static func requestHistory(_ delegate: any CorePushNotificationHistoryManagerDelegate) {
        CorePushNotificationHistoryManager.shared.delegate = delegate
        CorePushNotificationHistoryManager.shared.requestNotificationHistory()
    }

    /// The first entry was tapped: it is read, and the badge shows what is left.
    ///
    /// - Returns: The entry as a line, and how many are unread.
    public static func readFirst() -> (line: String, unread: Int) {
        let history = CorePushNotificationHistoryManager.shared
        guard let model = history.notificationHistoryModelArray.first else { return ("", 0) }
        history.setRead(model.historyId)
        let unread = history.getUnreadNumber()
        CorePushManager.setApplicationIconBadgeNumber(unread)
        return ("\(model.message) \(model.url ?? "") \(model.regDate)", unread)
    }

    /// The rich notification's window; a `WKWebView` takes the place of `UIWebView`, which is gone.
    public static func popup(over window: UIView, delegate: (any CorePushPopupViewDelegate)? = nil) -> CorePushPopupView
    {
        // 300 by 400, in the middle of its parent.
        let frame = CGRect(
            x: (window.frame.size.width - 300) / 2,
            y: (window.frame.size.height - 400) / 2,
            width: 300,
            height: 400
        )
        let popupView = CorePushPopupView(frame: frame, withParentView: window)
        popupView.titleBarText = "Newsからのお知らせ"
        popupView.delegate = delegate
        popupView.buildLayoutSubViews()
        popupView.show()
        return popupView
    }

    /// A survey's page: only of a push that is a survey, and only with an address.
    public static func questionnaireURL(of userInfo: [AnyHashable: Any]) -> String? {
        guard userInfo["CoreResearch"] as? String == "1", let url = userInfo["url"] as? String, !url.isEmpty else {
            return nil
        }
        return "\(url)&pf=ios&cruuid=\(CorePushManager.shared.uuid)"
    }
}

/// The sample of interactive notifications, with today's types in place of those that are gone.
public enum InteractiveSample {
    /// Reply opens the app; archive and delete do not.
    public static func register() {
        UNUserNotificationCenter.current().getNotificationCategories { known in
            // All are set anew each time, Carillon's own too.
            UNUserNotificationCenter.current().setNotificationCategories(known.union([mail]))
        }
    }

    /// Once there were two lists; today the first two of one list are shown where there is little room.
    private static var mail: UNNotificationCategory {
        let reply = UNNotificationAction(identifier: "REPLY_ACTION", title: "返信", options: .foreground)
        let archive = UNNotificationAction(identifier: "ARCHIVE_ACTION", title: "アーカイブ", options: [])
        let delete = UNNotificationAction(identifier: "DELETE_ACTION", title: "削除", options: .destructive)
        return UNNotificationCategory(
            identifier: "NEW_MAIL_CATEGORY",
            actions: [reply, delete, archive],
            intentIdentifiers: []
        )
    }
}
#endif
