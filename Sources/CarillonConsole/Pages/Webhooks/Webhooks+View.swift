import CarillonModel
import CarillonOperatorModel

/// The webhooks of an App as their template shows them.
struct WebhooksView: PageView {
    static let template = "webhooks"

    /// One webhook.
    struct Row: Hashable, Sendable {
        let webhookURL: String
        let webhookPath: String
        let webhookState: PillView
        let webhookTopics: String
        let failureCount: String
        let lastSuccess: TimeView?
    }

    let heading: String
    let rows: [Row]
    let hasRows: Bool

    init(_ webhooks: [Webhook], of app: AppID, _ look: Look) {
        heading = look.texts("webhooks.heading")
        rows = webhooks.map { webhook in
            Row(
                webhookURL: webhook.url,
                webhookPath: AppPath(app: app).webhook(webhook.id),
                webhookState: webhook.pill(look),
                webhookTopics: look.list(webhook.topics.map(\.rawValue)),
                failureCount: look.numbers.full(webhook.failures),
                lastSuccess: look.table(webhook.lastSuccessAt)
            )
        }
        hasRows = !rows.isEmpty
    }
}

extension Webhook {
    fileprivate func pill(_ look: Look) -> PillView {
        PillView(
            words: look.texts.word("webhook.state", state.rawValue),
            colour: state == .disabled ? "bad" : failures > 0 ? "warn" : "good"
        )
    }
}

/// The page of a webhook as its template shows it.
struct WebhookView: PageView {
    static let template = "webhook"

    /// A message that was not delivered.
    struct Message: Hashable, Sendable {
        let messageID: String
        let attempts: String
        let messageCreated: TimeView
        let nextAttempt: TimeView?
        /// The status or the error of the last attempt.
        let lastAnswer: String
    }

    let heading: String
    let webhookID: String
    let pill: PillView
    let alarmText: String?
    let facts: [FactView]
    let tabs: [TabView]
    let messages: [Message]
    let hasMessages: Bool
    let paging: PagingView?
}

extension WebhookView {
    init(_ model: WebhookPage.Model, _ look: Look) {
        let (webhook, query) = (model.webhook, model.query)
        let path = AppPath(app: webhook.app).webhook(webhook.id)
        heading = look.texts("webhook.heading")
        webhookID = webhook.id.description
        pill = webhook.pill(look)
        alarmText = webhook.alarm
        func label(_ name: String) -> String { look.texts.word("webhook.fact", name) }
        let facts: [FactView?] = [
            FactView(label("url"), code: webhook.url),
            FactView(label("topics"), look.list(webhook.topics.map(\.rawValue))),
            FactView(label("failures"), look.numbers.full(webhook.failures)),
            FactView(label("lastSuccess"), look.table(webhook.lastSuccessAt)),
            FactView(label("formerSecret"), look.table(webhook.formerSecretUntil)),
            FactView(label("created"), look.times.table(webhook.createdAt)),
        ]
        self.facts = facts.compactMap(\.self)
        tabs = [WebhookMessage.State.dead, .pending].map { state in
            TabView(
                words: look.texts.word("webhook.messages", state.rawValue),
                path: query.beginning(state).fields.appended(to: path),
                isCurrent: state == query.state
            )
        }
        messages = model.messages.items.map { message in
            Message(
                messageID: message.id.description,
                attempts: look.numbers.full(message.attempts),
                messageCreated: look.times.table(message.createdAt),
                nextAttempt: look.table(message.nextAttemptAt),
                lastAnswer: message.lastStatus.map { "HTTP \($0)" } ?? message.lastError ?? ""
            )
        }
        hasMessages = !messages.isEmpty
        paging = PagingView(
            newest: query.after.map { _ in query.beginning(query.state).fields.appended(to: path) },
            older: model.messages.nextCursor.map { query.continuing(after: $0).fields.appended(to: path) }
        )
    }
}
