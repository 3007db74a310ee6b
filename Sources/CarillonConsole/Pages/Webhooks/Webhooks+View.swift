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
    let settingsTabs: [TabView]
    let rows: [Row]
    let hasRows: Bool
    let urlField: FieldView
    let topics: [CheckView]
    let webhooksPath: String
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ webhooks: [Webhook], of app: AppID, _ state: FormState, _ look: Look) {
        heading = look.texts("webhooks.heading")
        settingsTabs = SettingsTab.webhooks.tabs(of: app, look)
        urlField = state.field("url", look.texts("webhooks.url"), hint: look.texts("webhooks.urlHint"))
        topics = WebhookTopicFields.checks([.campaignFinished, .campaignHalted], state, look.texts)
        webhooksPath = SettingsTab.webhooks.path(of: app)
        summary = state.summary
        hasSummary = !state.problems.isEmpty
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
        let attemptCount: String
        let messageCreated: TimeView
        let nextAttempt: TimeView?
        /// The status or the error of the last attempt.
        let lastAnswer: String
        /// Where it is sent again; `nil` for one that waits.
        let replayPath: String?
    }

    /// An attempt with its answer.
    struct Attempt: Hashable, Sendable {
        let attemptMessage: String
        let attemptTime: TimeView
        let attemptAnswer: String
        let attemptBody: String
        let attemptDuration: String
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
    let settingsTabs: [TabView]
    let attempts: [Attempt]
    let hasAttempts: Bool
    let webhookPath: String
    let urlField: FieldView
    let topics: [CheckView]
    let stateField: SelectView
    let summary: [SummaryLink]
    let hasSummary: Bool
}

extension WebhookView {
    init(_ model: WebhookPage.Model, _ state: FormState, _ look: Look) {
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
                attemptCount: look.numbers.full(message.attempts),
                messageCreated: look.times.table(message.createdAt),
                nextAttempt: look.table(message.nextAttemptAt),
                lastAnswer: message.lastStatus.map { "HTTP \($0)" } ?? message.lastError ?? "",
                replayPath: message.state == .dead ? "\(path)/messages/\(message.id)/replay" : nil
            )
        }
        hasMessages = !messages.isEmpty
        paging = PagingView(
            newest: query.after.map { _ in query.beginning(query.state).fields.appended(to: path) },
            older: model.messages.nextCursor.map { query.continuing(after: $0).fields.appended(to: path) }
        )
        settingsTabs = SettingsTab.webhooks.tabs(of: webhook.app, look)
        attempts = model.attempts.map { attempt in
            Attempt(
                attemptMessage: attempt.message.description,
                attemptTime: look.times.table(attempt.at),
                attemptAnswer: attempt.status.map { "HTTP \($0)" } ?? attempt.error ?? "",
                attemptBody: attempt.body ?? "",
                attemptDuration: look.numbers.full(attempt.milliseconds) + " ms"
            )
        }
        hasAttempts = !attempts.isEmpty
        webhookPath = path
        urlField = state.field(
            "url",
            look.texts("webhooks.url"),
            hint: look.texts("webhooks.urlHint"),
            standard: webhook.url
        )
        topics = WebhookTopicFields.checks(webhook.topics, state, look.texts)
        stateField = state.select(
            "state",
            look.texts("webhooks.state"),
            Webhook.State.allCases.map { ($0.rawValue, look.texts.word("webhook.state", $0.rawValue)) },
            standard: webhook.state.rawValue
        )
        summary = state.summary
        hasSummary = !state.problems.isEmpty
    }
}
