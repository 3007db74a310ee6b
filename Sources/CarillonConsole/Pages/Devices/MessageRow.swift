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
