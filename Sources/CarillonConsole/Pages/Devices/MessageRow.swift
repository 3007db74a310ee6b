import CarillonModel
import CarillonOperatorModel

/// A notification in the history of a Device or User.
struct MessageRow: Hashable, Sendable {
    let messageCampaign: String
    let messagePath: String
    let messageDevice: String?
    let outcome: PillView
    /// The reason as Apple or Carillon wrote it; `nil` when it was accepted.
    let messageReason: String?
    /// Why there was no notification, in a sentence; `nil` for a reason that this version does not know.
    let messageWhy: String?
    let messageAt: TimeView
    let messageReceived: TimeView?
    let messageOpened: TimeView?
    let messageActions: String

    init(_ message: LoggedMessage, of app: AppID, _ look: Look) {
        messageCampaign = message.campaign.description
        messagePath = AppPath(app: app).campaign(message.campaign)
        messageDevice = message.device?.description.shortened()
        let colour =
            switch message.outcome {
            case .accepted: "good"
            case .failed, .expired: "bad"
            case .skipped: "muted"
            }
        outcome = PillView(words: look.texts.word("outcome", message.outcome.rawValue), colour: colour)
        messageReason = message.reason
        messageWhy = message.reason.flatMap { reason in
            let known: DeliveryReason = message.outcome == .skipped ? .skip(reason) : .failure(reason)
            return known.texts.map { look.texts.word("reason.meaning", $0) }
        }
        messageAt = look.times.exact(message.at)
        messageReceived = message.receivedAt.map { look.times.exact($0) }
        messageOpened = message.openedAt.map { look.times.exact($0) }
        messageActions = look.list((message.actions ?? []).map(\.action))
    }
}

/// The history of a Device or User.
struct MessagesView: Hashable, Sendable {
    let messageRows: [MessageRow]
    let hasMessages: Bool
    /// Whether this part has nothing, and there may be more before it.
    let mayHaveOlder: Bool
    let messagePaging: PagingView?

    /// Creates the history.
    ///
    /// - Parameters:
    ///   - messages: A page of the log.
    ///   - path: The page that shows it.
    ///   - after: The cursor of the page before.
    ///   - app: The App.
    ///   - look: The words of the page.
    init(_ messages: Page<LoggedMessage>, at path: String, after: String?, of app: AppID, _ look: Look) {
        messageRows = messages.items.map { MessageRow($0, of: app, look) }
        hasMessages = !messageRows.isEmpty
        mayHaveOlder = messageRows.isEmpty && messages.nextCursor != nil
        messagePaging = PagingView(
            newest: after.map { _ in path },
            older: messages.nextCursor.map { FormFields([("after", $0)]).appended(to: path) }
        )
    }
}
