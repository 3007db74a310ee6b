#if canImport(UIKit)
import Carillon
import FacadeSupport
public import Foundation

/// Notified of the result of a survey history request.
@preconcurrency @MainActor
#if canImport(ObjectiveC)
@objc(CoreResearchHistoryManagerDelegate)
#endif
public protocol CoreResearchHistoryManagerDelegate: AnyObject {
    /// The history was fetched.
    func researchHistoryManagerSuccess()

    /// The history could not be fetched; the array is unchanged.
    func researchHistoryManagerFail()
}

/// One survey of the history.
#if canImport(ObjectiveC)
@objc(CoreResearchHistoryModel) @objcMembers
#endif
public final class CoreResearchHistoryModel: NSObject, Sendable {
    /// The push's id.
    public let historyId: String
    /// Its title.
    public let title: String
    /// Its text.
    public let body: String
    /// The survey's own URL, without the respondent's id.
    public let url: String?
    /// When it was sent: `2012-08-18 17:48:30`.
    public let regDate: String

    init(_ message: InboxMessage) {
        historyId = message.occurrence.description
        title = message.title ?? ""
        body = message.body ?? ""
        url = message.link.flatMap { $0.isEmpty ? nil : $0 }
        regDate = CoreDate.text(message.sentAt)
    }
}

/// The history of surveys, newest first.
#if canImport(ObjectiveC)
@objc(CoreResearchHistoryManager) @objcMembers
#endif
@preconcurrency @MainActor
public final class CoreResearchHistoryManager: NSObject {
    /// The manager; `CoreResearchHistoryManager.shared()` is the same.
    public static var shared: CoreResearchHistoryManager { CorePushAdapter.current.research }

    /// Notified of the result of a request; a weak reference.
    public weak var delegate: (any CoreResearchHistoryManagerDelegate)?

    /// The last fetched history, newest first.
    public private(set) var researchHistoryModelArray: [CoreResearchHistoryModel] = []

    nonisolated override init() {}

    /// Returns itself: the vendor's first SDK is called as `shared()`.
    @nonobjc
    public func callAsFunction() -> CoreResearchHistoryManager { self }

    /// Fetches the history; the delegate is notified once.
    public func requestResearchHistory() {
        let adapter = CorePushAdapter.current
        adapter.steps.add { @MainActor [self] in
            do {
                let inbox = try await adapter.startedApp().client.fetchInbox()
                researchHistoryModelArray = inbox.messages.filter(\.isSurvey).map(CoreResearchHistoryModel.init)
                delegate?.researchHistoryManagerSuccess()
            } catch {
                delegate?.researchHistoryManagerFail()
            }
        }
    }

    /// The URL of a survey's page: the URL of a push or of the history, the platform, and the respondent's id.
    ///
    /// - Parameter url: The survey's own URL.
    /// - Returns: `url` + `&pf=ios&cruuid=` + ``CorePushManager/uuid``; `nil` when there is no URL.
    public func questionnaireURL(_ url: String?) -> String? {
        SurveyLink.text(for: url, id: CorePushManager.shared.uuid)
    }
}
#endif
