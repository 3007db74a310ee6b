import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The webhooks of an App.
enum WebhookList {
    /// Reads all webhooks of an App, of which there are few.
    static func read(of app: AppID, _ engine: Engine) async throws -> [Webhook] {
        try await engine.webhooks.list(app: app, after: nil, limit: Webhooks.limit).items
    }
}

/// The page of one webhook.
enum WebhookPage {
    /// The query of the page.
    struct Query: Hashable, Sendable {
        /// Which messages are shown.
        var state = WebhookMessage.State.dead
        var after: WebhookMessageID?

        init(_ fields: FormFields) {
            state = fields["state"].flatMap(WebhookMessage.State.init(rawValue:)) ?? .dead
            after = fields["after"].flatMap { WebhookMessageID($0) }
        }

        var fields: FormFields {
            FormFields().setting(["state": state == .dead ? nil : state.rawValue, "after": after?.description])
        }

        /// The first page of a state.
        func beginning(_ state: WebhookMessage.State) -> Query {
            var query = self
            (query.state, query.after) = (state, nil)
            return query
        }

        /// The same messages from a cursor on.
        func continuing(after cursor: String) -> Query {
            var query = self
            query.after = WebhookMessageID(cursor)
            return query
        }
    }

    /// What the page shows.
    struct Model: Sendable {
        var webhook: Webhook
        var messages: Page<WebhookMessage>
        /// The last attempts, the latest first.
        var attempts: [WebhookAttempt]
        var query: Query
    }

    static let pageSize = 50

    /// Reads what the page shows.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such webhook.
    static func read(_ id: WebhookID, of app: AppID, _ query: Query, _ engine: Engine) async throws -> Model {
        Model(
            webhook: try await engine.webhooks.webhook(id, within: app),
            messages: try await engine.webhooks.messages(
                of: id,
                within: app,
                in: query.state,
                after: query.after,
                limit: pageSize
            ),
            attempts: try await engine.webhooks.attempts(of: id, within: app).attempts,
            query: query
        )
    }
}
