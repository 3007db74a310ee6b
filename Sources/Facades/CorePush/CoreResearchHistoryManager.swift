import Carillon
import FacadeSupport
public import Foundation

/// Is told how the request of the surveys' history went.
@preconcurrency @MainActor
#if canImport(ObjectiveC)
@objc(CoreResearchHistoryManagerDelegate)
#endif
public protocol CoreResearchHistoryManagerDelegate: AnyObject {
    /// The history is there.
    func researchHistoryManagerSuccess()

    /// The history could not be fetched; the array is as before.
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
    /// The survey's own URL, without who answers.
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

/// The history of surveys alone: the latest first.
#if canImport(ObjectiveC)
@objc(CoreResearchHistoryManager)
#endif
@preconcurrency @MainActor
public final class CoreResearchHistoryManager: NSObject {
    /// The manager; `CoreResearchHistoryManager.shared()` is the same.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static var shared: CoreResearchHistoryManager { CorePushAdapter.current.research }

    /// Is told how a request went; not kept alive.
    public weak var delegate: (any CoreResearchHistoryManagerDelegate)?

    /// What was fetched last, newest first.
    public private(set) var researchHistoryModelArray: [CoreResearchHistoryModel] = []

    nonisolated override init() {}

    /// Itself: `shared()` is how the vendor's first SDK is called.
    public func callAsFunction() -> CoreResearchHistoryManager { self }

    /// Fetches the history; the delegate is told once.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public func requestResearchHistory() {
        let adapter = CorePushAdapter.current
        adapter.steps.add { @MainActor [self] in
            do {
                let inbox = try await adapter.startedApp().client.inbox()
                researchHistoryModelArray = inbox.messages.filter(\.isSurvey).map(CoreResearchHistoryModel.init)
                delegate?.researchHistoryManagerSuccess()
            } catch {
                delegate?.researchHistoryManagerFail()
            }
        }
    }

    /// What a survey's page is opened with: the URL of a push or of the history, the platform, and who answers.
    ///
    /// - Parameter url: The survey's own URL.
    /// - Returns: `url` + `&pf=ios&cruuid=` + ``CorePushManager/uuid``; `nil` when there is no URL.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public func questionnaireURL(_ url: String?) -> String? {
        SurveyLink.text(for: url, id: CorePushManager.shared.uuid)
    }
}
