import Carillon
import FacadeSupport
public import Foundation

/// Is told how the history's request went.
@preconcurrency @MainActor
#if canImport(ObjectiveC)
@objc(CorePushNotificationHistoryManagerDelegate)
#endif
public protocol CorePushNotificationHistoryManagerDelegate: AnyObject {
    /// The history is there.
    func notificationHistoryManagerSuccess()

    /// The history could not be fetched; the array is as before.
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
    /// Where it leads, if anywhere.
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

/// The history of pushes: the latest 100, newest first, and which of them were read.
#if canImport(ObjectiveC)
@objc(CorePushNotificationHistoryManager)
#endif
@preconcurrency @MainActor
public final class CorePushNotificationHistoryManager: NSObject {
    /// The manager; `CorePushNotificationHistoryManager.shared()` is the same.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static var shared: CorePushNotificationHistoryManager { CorePushAdapter.current.history }

    /// Is told how a request went; not kept alive.
    public weak var delegate: (any CorePushNotificationHistoryManagerDelegate)?

    /// What was fetched last, newest first.
    public private(set) var notificationHistoryModelArray: [CorePushNotificationHistoryModel] = []

    private var read: Set<String> = []

    nonisolated override init() {}

    /// Itself: `shared()` is how the vendor's first SDK is called.
    public func callAsFunction() -> CorePushNotificationHistoryManager { self }

    /// Fetches the history; the delegate is told once.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public func requestNotificationHistory() {
        let adapter = CorePushAdapter.current
        adapter.steps.add { @MainActor [self] in
            do {
                let inbox = try await adapter.startedApp().client.inbox()
                take(inbox)
                delegate?.notificationHistoryManagerSuccess()
            } catch {
                delegate?.notificationHistoryManagerFail()
            }
        }
    }

    /// Marks a push as read: here at once, at the server as soon as it can be reached.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public func setRead(_ historyId: String) {
        guard read.insert(historyId).inserted, let occurrence = OccurrenceID(historyId) else { return }
        let adapter = CorePushAdapter.current
        adapter.steps.add { @MainActor in _ = try? await adapter.client?.markRead(occurrence) }
    }

    /// Whether a push was not read yet.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public func isUnread(_ historyId: String) -> Bool { !read.contains(historyId) }

    /// How many of ``notificationHistoryModelArray`` are unread.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public func getUnreadNumber() -> Int { notificationHistoryModelArray.filter { isUnread($0.historyId) }.count }

    private func take(_ inbox: InboxView) {
        notificationHistoryModelArray = inbox.messages.map(CorePushNotificationHistoryModel.init)
        read = Set(inbox.messages.filter(\.isRead).map(\.occurrence.description))
    }
}

/// Times as the vendor writes them.
enum CoreDate {
    /// The vendor's servers wrote the time of Japan.
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
