import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The webhooks of an App: made, changed, tried and deleted.
enum WebhookPages {
    private static let list = "/apps/{app}/settings/webhooks"
    private static let one = list + "/{webhook}"

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page(list, .app(.admin)) { visit in .page(try await listView(visit, .empty)) }
        routes.form(list, .app(.admin), fresh: true) { visit, state in
            try await listView(visit, state)
        } submit: { visit in
            try await create(visit)
        }
        routes.page(one, .app(.admin)) { visit in .page(try await view(visit, .empty)) }
        routes.form(one, .app(.admin)) { visit, state in
            try await view(visit, state)
        } submit: { visit in
            try await change(visit)
        }
        declareActions(&routes)
        routes.action(one + "/messages/{message}/replay", .app(.admin), on: page) { visit in
            let (app, id) = (try visit.app.id, try wanted(visit))
            let message = try visit.parameter("message") { WebhookMessageID($0) }
            visit.audit.note(object: message.description)
            _ = try await visit.engine.webhooks.replay(message, of: id, within: app)
            visit.audit.note(object: message.description, change: "dead → pending")
            return .redirect(page(visit), Notice("webhook.replayed"))
        }
    }

    // MARK: - Private

    private static func declareActions(_ routes: inout ConsoleRoutes) {
        routes.action(one + "/rotate-secret", .app(.admin), fresh: true, on: page) { visit in
            let (app, id) = (try visit.app.id, try wanted(visit))
            visit.audit.note(object: id.description)
            let made = try await visit.engine.webhooks.rotate(id, within: app)
            visit.audit.note(object: id.description, change: "secret: changed")
            return secretPage(made, visit)
        }
        routes.action(one + "/test", .app(.admin), on: page) { visit in
            let (app, id) = (try visit.app.id, try wanted(visit))
            visit.audit.note(object: id.description)
            let result = try await visit.engine.webhooks.test(id, within: app)
            let words = result.status.map { "HTTP \($0)" } ?? result.error ?? ""
            visit.audit.note(object: id.description, change: "test: \(words)")
            let key = result.isTaken ? "webhook.testTaken" : "webhook.testFailed"
            return .redirect(page(visit), Notice(key, ["answer": words]))
        }
        routes.action(one + "/delete", .app(.admin), fresh: true, on: page) { visit in
            let (app, id) = (try visit.app.id, try wanted(visit))
            visit.audit.note(object: id.description)
            try await visit.engine.webhooks.delete(id, within: app)
            visit.audit.note(object: id.description, change: "deleted")
            return .redirect(SettingsTab.webhooks.path(of: app), Notice("webhook.deleted"))
        }
    }

    private static func wanted(_ visit: Visit) throws -> WebhookID { try visit.parameter("webhook") { WebhookID($0) } }

    private static func page(_ visit: Visit) -> String {
        guard let app = visit.pathApp?.id, let id = visit.parameters["webhook"].flatMap({ WebhookID($0) }) else {
            return ConsolePath.home
        }
        return AppPath(app: app).webhook(id)
    }

    private static func listView(_ visit: Visit, _ state: FormState) async throws -> WebhooksView {
        let app = try visit.app.id
        return WebhooksView(try await WebhookList.read(of: app, visit.engine), of: app, state, visit.look)
    }

    private static func view(_ visit: Visit, _ state: FormState) async throws -> WebhookView {
        let query = WebhookPage.Query(visit.query)
        let model = try await WebhookPage.read(try wanted(visit), of: try visit.app.id, query, visit.engine)
        return WebhookView(model, state, visit.look)
    }

    private static func create(_ visit: Visit) async throws -> Outcome {
        let app = try visit.app.id
        var input = SettingsInput(visit.form, visit.texts)
        let (url, topics) = read(&input)
        try input.finish()
        do throws(EngineError) {
            let made = try await visit.engine.webhooks.create(app: app, WebhookRequest(url: url, topics: topics))
            visit.audit.note(
                object: made.webhook.id.description,
                change: "created: \(url), \(words(topics)); secret: changed"
            )
            return secretPage(made, visit)
        } catch {
            if error.isConflict { throw FormProblems(nil, visit.texts("webhooks.tooMany")) }
            guard error.isInvalid else { throw error }
            throw FormProblems("url", visit.texts("webhooks.problem.url"))
        }
    }

    private static func change(_ visit: Visit) async throws -> Outcome {
        let (app, id) = (try visit.app.id, try wanted(visit))
        visit.audit.note(object: id.description)
        let before = try await visit.engine.webhooks.webhook(id, within: app)
        var input = SettingsInput(visit.form, visit.texts)
        let (url, topics) = read(&input)
        let state = input.choice("state", before.state)
        try input.finish()
        var update = WebhookUpdate()
        update.url = url == before.url ? nil : url
        update.topics = Set(topics) == Set(before.topics) ? nil : topics
        // To make an active one active would reset its failures.
        update.state = state == before.state ? nil : state
        let after: Webhook
        do throws(EngineError) {
            after = try await visit.engine.webhooks.update(id, within: app, update)
        } catch {
            guard error.isInvalid else { throw error }
            throw FormProblems("url", visit.texts("webhooks.problem.url"))
        }
        let changes = [
            before.url == after.url ? nil : "url: \(before.url) → \(after.url)",
            before.topics == after.topics ? nil : "topics: \(words(before.topics)) → \(words(after.topics))",
            before.state == after.state ? nil : "state: \(before.state.rawValue) → \(after.state.rawValue)",
        ].compactMap(\.self)
        visit.audit.note(object: id.description, change: changes.isEmpty ? nil : changes.joined(separator: "; "))
        return .redirect(page(visit), Notice("settings.saved"))
    }

    private static func read(_ input: inout SettingsInput) -> (url: String, topics: [WebhookTopic]) {
        let url = input.text("url", 1...2_000)
        let topics = WebhookTopic.allCases.filter { input.flag(WebhookTopicFields.name($0)) }
        if topics.isEmpty {
            input.add(WebhookTopicFields.name(.campaignFinished), input.texts("webhooks.problem.topics"))
        }
        return (url, topics)
    }

    private static func words(_ topics: [WebhookTopic]) -> String { topics.map(\.rawValue).joined(separator: " ") }

    private static func secretPage(_ made: WebhookSecret, _ visit: Visit) -> Outcome {
        let rows = [SecretPage.Row(made.webhook.url, made.secret)]
        let back = AppPath(app: made.webhook.app).webhook(made.webhook.id)
        return .page(SecretPage(visit.texts("webhooks.secret"), visit.texts("webhooks.secretLead"), rows, back: back))
    }
}

/// The boxes of a webhook's topics.
enum WebhookTopicFields {
    static func name(_ topic: WebhookTopic) -> String {
        "topic-" + topic.rawValue.replacing(".", with: "-")
    }

    static func checks(_ chosen: [WebhookTopic], _ state: FormState, _ texts: Texts) -> [CheckView] {
        let isFilled = !state.values.isEmpty
        return WebhookTopic.allCases.map { topic in
            let name = name(topic)
            return CheckView(
                name: name,
                label: texts.word("webhooks.topic", topic.rawValue),
                checkHint: nil,
                isChecked: isFilled ? state.values[name] != nil : chosen.contains(topic)
            )
        }
    }
}
