#if canImport(UIKit)
import Carillon
import FacadeSupport
public import Foundation

/// Notified of the result of a history request.
@preconcurrency @MainActor
#if canImport(ObjectiveC)
@objc(CorePushNotificationHistoryManagerDelegate)
#endif
public protocol CorePushNotificationHistoryManagerDelegate: AnyObject {
    /// The history was fetched.
    func notificationHistoryManagerSuccess()

    /// The history could not be fetched; the array is unchanged.
    func notificationHistoryManagerFail()
}

/// One push of the history.
#if canImport(ObjectiveC)
@objc(CorePushNotificationHistoryModel) @objcMembers
#endif
public final class CorePushNotificationHistoryModel: NSObject, Sendable {
    /// The push's id.
    public let historyId: String
    /// Its text.
    public let message: String
    /// Its link, if any.
    public let url: String?
    /// When it was sent: `2012-08-18 17:48:30`.
    public let regDate: String

    init(_ message: InboxMessage) {
        historyId = message.occurrence.description
        self.message = message.body ?? message.title ?? ""
        url = message.link.flatMap { $0.isEmpty ? nil : $0 }
        regDate = CoreDate.text(message.sentAt)
    }
}

/// The history of pushes: the latest 100, newest first, with their read marks.
#if canImport(ObjectiveC)
@objc(CorePushNotificationHistoryManager) @objcMembers
#endif
@preconcurrency @MainActor
public final class CorePushNotificationHistoryManager: NSObject {
    /// The manager; `CorePushNotificationHistoryManager.shared()` is the same.
    public static var shared: CorePushNotificationHistoryManager { CorePushAdapter.current.history }

    /// Notified of the result of a request; a weak reference.
    public weak var delegate: (any CorePushNotificationHistoryManagerDelegate)?

    /// The last fetched history, newest first.
    public private(set) var notificationHistoryModelArray: [CorePushNotificationHistoryModel] = []

    private var read: Set<String> = []

    nonisolated override init() {}

    /// Returns itself: the vendor's first SDK is called as `shared()`.
    @nonobjc
    public func callAsFunction() -> CorePushNotificationHistoryManager { self }

    /// Fetches the history; the delegate is notified once.
    public func requestNotificationHistory() {
        let adapter = CorePushAdapter.current
        adapter.steps.add { @MainActor [self] in
            do {
                let inbox = try await adapter.startedApp().client.fetchInbox()
                update(inbox)
                delegate?.notificationHistoryManagerSuccess()
            } catch {
                delegate?.notificationHistoryManagerFail()
            }
        }
    }

    /// Marks a push as read: locally at once, on the server as soon as it is reachable.
    public func setRead(_ historyId: String) {
        guard read.insert(historyId).inserted, let occurrence = OccurrenceID(historyId) else { return }
        let adapter = CorePushAdapter.current
        adapter.steps.add { @MainActor in _ = try? await adapter.client?.markRead(occurrence) }
    }

    /// Whether a push is unread.
    public func isUnread(_ historyId: String) -> Bool { !read.contains(historyId) }

    /// Number of unread pushes in ``notificationHistoryModelArray``.
    public func getUnreadNumber() -> Int { notificationHistoryModelArray.filter { isUnread($0.historyId) }.count }

    private func update(_ inbox: InboxView) {
        notificationHistoryModelArray = inbox.messages.map(CorePushNotificationHistoryModel.init)
        read = Set(inbox.messages.filter(\.isRead).map(\.occurrence.description))
    }
}

/// Times in the vendor's format.
enum CoreDate {
    /// The vendor's servers use the time of Japan.
    static let zone = TimeZone(identifier: "Asia/Tokyo") ?? .current

    static func text(_ time: Timestamp) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.calendar = Calendar(identifier: .gregorian)
        format.timeZone = zone
        format.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return format.string(from: time.date)
    }
}
#endif
