#if canImport(UIKit)
import Carillon
public import CorePush
import CorePushLocation
import Foundation
public import UIKit
import UserNotifications
import WebKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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

    /// The tab shows how many are unread.
    public static func showUnread(on screen: UIViewController) {
        let unread = CorePushNotificationHistoryManager.shared.getUnreadNumber()
        screen.tabBarItem.badgeValue = unread == 0 ? nil : "\(unread)"
    }

    /// The rich notification's window; a `WKWebView` takes the place of `UIWebView`, which is gone.
    public static func popup(
        _ richURL: String?,
        over window: UIView,
        delegate: (any CorePushPopupViewDelegate)? = nil
    ) -> CorePushPopupView {
        let popupView = CorePushPopupView(
            frame: CGRect(x: 0, y: 100, width: 300, height: 400),
            withParentView: window
        )
        let appName = Bundle.main.object(forInfoDictionaryKey: "CFBundleDisplayName") as? String ?? "News"
        popupView.titleBarText = "\(appName)からのお知らせ"
        popupView.delegate = delegate
        popupView.center = window.center
        popupView.buildLayoutSubViews()
        if let url = richURL.flatMap(URL.init(string:)) { show(url, in: popupView.contentView) }
        popupView.show()
        return popupView
    }

    /// The page, and a button over all of it that opens Safari.
    private static func show(_ url: URL, in content: UIView) {
        let frame = CGRect(x: 0, y: 0, width: content.frame.size.width, height: content.frame.size.height)
        let webView = WKWebView(frame: frame, configuration: WKWebViewConfiguration())
        webView.load(URLRequest(url: url))
        content.addSubview(webView)
        let safari = UIAction { _ in UIApplication.shared.open(url) }
        let safariLaunchButton = UIButton(type: .custom, primaryAction: safari)
        safariLaunchButton.frame = frame
        safariLaunchButton.backgroundColor = .clear
        content.addSubview(safariLaunchButton)
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

    /// The same in two lists, all three actions where there is room and two where there is not, with Carillon's own SDK.
    ///
    /// - Throws: `CarillonError` for an action without id or title.
    @MainActor
    public static func registerForBothContexts() async throws {
        let reply = NotificationAction(id: "REPLY_ACTION", title: "返信", opensApp: true)
        let archive = NotificationAction(id: "ARCHIVE_ACTION", title: "アーカイブ")
        let delete = NotificationAction(id: "DELETE_ACTION", title: "削除", isDestructive: true)
        var mail = try NotificationCategory(id: "NEW_MAIL_CATEGORY")
        try mail.setActions([reply, delete, archive], for: .standard)
        try mail.setActions([reply, delete], for: .minimal)
        try await CorePushManager.shared.carillonApp?.setActionCategories([mail])
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
