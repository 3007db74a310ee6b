import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct WebhookRouteTests {
    @Test("A webhook is created with a secret that is returned once, changed, tested and deleted")
    func webhookLifecycle() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .admin)
            let body = #"{"url":"https://example.com/hook","topics":["event.opened","campaign.finished"]}"#
            let headers = ["Idempotency-Key": "one"]

            let created = try await server.send(.post, "/v1/webhooks", body, key: key, headers: headers)
            let again = try await server.send(.post, "/v1/webhooks", body, key: key, headers: headers)
            let secret: WebhookSecret = try created.decoded()
            let path = "/v1/webhooks/\(secret.webhook.id)"
            let rotated: WebhookSecret = try await server.send(.post, path + "/rotate-secret", key: key).decoded()
            let test: WebhookTest = try await server.send(.post, path + "/test", key: key).decoded()
            let changed: Webhook = try await server.send(.patch, path, #"{"url":"https://example.com/down"}"#, key: key)
                .decoded()
            let down: WebhookTest = try await server.send(.post, path + "/test", key: key).decoded()

            #expect(created.status == .created && created.headers[.location] == path)
            #expect(try again.decoded(WebhookSecret.self).secret.isEmpty)
            #expect(secret.secret.hasPrefix("whsec_") && rotated.secret != secret.secret)
            #expect(secret.webhook.topics == [.campaignFinished, .eventOpened])
            #expect(test == WebhookTest(isTaken: true, status: 204, error: nil))
            #expect(changed.url == "https://example.com/down" && !down.isTaken)
            let listed = try await server.send(.get, "/v1/webhooks", key: key)
            #expect(try listed.decoded(Page<Webhook>.self).items.map(\.id) == [secret.webhook.id])
            let dead = try await server.send(.get, path + "/messages?state=dead", key: key)
            #expect(try dead.decoded(Page<WebhookMessage>.self).items.isEmpty)
            let replay = try await server.send(.post, path + "/messages/msg_000000000001/replay", key: key)
            #expect(replay.problem == "unknown-webhook-message")
            #expect(try await server.send(.delete, path, key: key).status == .noContent)
            #expect(try await server.send(.get, path, key: key).problem == "unknown-webhook")
        }
    }

    @Test("Webhooks of another App are not found, and invalid fields are named")
    func hidesOtherAppsWebhooks() async throws {
        try await TestServer.run { server in
            let mine = try await server.makeApp().app.id
            let other = try await server.makeApp().app.id
            let theirs = try await server.engine.webhooks.create(
                app: other,
                WebhookRequest(url: "https://example.com/", topics: [.eventOpened])
            )
            let key = try await server.makeKey(mine, .admin)
            let path = "/v1/webhooks/\(theirs.webhook.id)"
            for (method, suffix) in [
                (HTTPRequest.Method.get, ""), (.delete, ""), (.post, "/test"), (.post, "/rotate-secret"),
            ] {
                #expect(try await server.send(method, path + suffix, key: key).status == .notFound)
            }
            #expect(try await server.send(.patch, path, #"{"state":"disabled"}"#, key: key).status == .notFound)

            let wrong = [
                #"{"url":"http://example.com/","topics":["event.opened"]}"#: "url",
                #"{"url":"https://example.com/","topics":[]}"#: "topics",
                #"{"url":"https://example.com/","topics":["all"]}"#: "topics.0",
                #"{"topics":["event.opened"]}"#: "url",
                #"{"url":"https://example.com/","topics":["event.opened"],"secret":"x"}"#: "secret",
            ]
            for (body, field) in wrong {
                let refused = try await server.send(.post, "/v1/webhooks", body, key: key)
                #expect(refused.status == .unprocessableContent && refused.field == field, "\(body)")
            }
            let reader = try await server.makeKey(mine, .read)
            let body = #"{"url":"https://example.com/","topics":["event.opened"]}"#
            #expect(try await server.send(.post, "/v1/webhooks", body, key: reader).problem == "missing-scope")
            for _ in 0..<8 { #expect(try await server.send(.post, "/v1/webhooks", body, key: key).status == .created) }
            #expect(try await server.send(.post, "/v1/webhooks", body, key: key).problem == "conflict")
        }
    }

    @Test("S1-M4 messages between Users are listed only for keys with scope messages")
    func listsUserMessages() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp(identity: .signed).app.id
            var request = CampaignRequest(
                audience: .users([try #require(UserID(rawValue: "to"))]),
                message: Message(content: [Message.defaultLanguage: LocalizedContent(body: "hello")])
            )
            request.message.data = ["from": .string("me")]
            request.isTransactional = true
            for _ in 0..<2 { try await server.engine.campaigns.sendUserMessage(app: app, request) }
            let reader = try await server.makeKey(app, .read, .send)
            let key = try await server.makeKey(app, .messages)

            let page = try await server.send(.get, "/v1/user-messages?limit=1", key: key).decoded(
                Page<ListedUserMessage>.self
            )
            #expect(page.items.map(\.body) == ["hello"] && page.items.first?.from == UserID(rawValue: "me"))
            let cursor = try #require(page.nextCursor)
            let rest = try await server.send(.get, "/v1/user-messages?cursor=\(cursor)", key: key)
                .decoded(Page<ListedUserMessage>.self)
            #expect(rest.items.count == 1 && rest.nextCursor == nil)
            let id = try #require(page.items.first).id
            #expect(try await server.send(.get, "/v1/user-messages", key: reader).problem == "missing-scope")
            #expect(try await server.send(.get, "/v1/campaigns/\(id)", key: reader).problem == "unknown-campaign")
            let list = try await server.send(.get, "/v1/campaigns", key: reader).decoded(Page<Campaign>.self)
            #expect(list.items == [])
        }
    }

    @Test("S1-M5 a User is exported as JSON Lines, and the export is recorded in the audit log")
    func exportsUser() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let device = "/v1/devices/2f1b6f0e-6f4f-4a43-8d0a-3a1f7f1c5d11"
            let body = #"{"user":"u/1","consent":{"notifications":true}}"#
            #expect(try await server.send(.put, device, body, headers: server.device(app)).status.code < 300)
            let key = try await server.makeKey(app.app.id, .admin)

            let answer = try await server.send(.get, "/v1/users/u%2F1/export", key: key)

            #expect(answer.headers[.contentType] == "application/x-ndjson")
            let lines = String(buffer: answer.body).split(separator: "\n")
            #expect(lines.first == #"{"kind":"user","user":"u/1"}"#)
            #expect(
                lines.contains {
                    $0.contains(#""kind":"device""#) && $0.contains("2f1b6f0e-6f4f-4a43-8d0a-3a1f7f1c5d11")
                }
            )
            let audit = try await server.send(.get, "/v1/audit?limit=5", key: key)
            #expect(String(buffer: audit.body).contains("/v1/users/{user}/export"))
            #expect(try await server.send(.get, "/v1/users/nobody/export", key: key).problem == "unknown-user")
        }
    }

    @Test("Retention and rules for messages between Users are set for an App and apply to its Devices")
    func setsRulesOfUserMessages() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp(identity: .signed)
            let key = try await server.makeKey(app.app.id, .admin)
            let retention = "/v1/apps/\(app.app.id)/retention"
            let set = try await server.send(.put, retention, #"{"deliveries":30}"#, key: key)
            #expect(try set.decoded(RetentionDays.self).deliveries == 30)
            #expect(try await server.send(.get, retention, key: key).decoded(RetentionDays.self).events == 90)
            #expect(try await server.send(.put, retention, #"{"events":3}"#, key: key).field == "events")
            #expect(try await server.send(.put, retention, #"{"campaigns":29}"#, key: key).field == "campaigns")

            let rules = "/v1/apps/\(app.app.id)/user-messages"
            #expect(try await server.send(.get, rules, key: key).decoded(UserMessageRules.self) == UserMessageRules())
            let device = "/v1/devices/2f1b6f0e-6f4f-4a43-8d0a-3a1f7f1c5d11"
            let unknown = try await server.send(
                .post,
                device + "/messages",
                #"{"to":"u","body":"b"}"#,
                headers: server.device(app)
            )
            #expect(unknown.problem == "unknown-device")
            let answer = try await server.send(
                .put,
                rules,
                #"{"isAllowed":true,"checkURL":"https://example.com/"}"#,
                key: key
            )
            #expect(try answer.decoded(UserMessageRulesAnswer.self).secret?.hasPrefix("whsec_") == true)
            let refused = try await server.send(.put, rules, #"{"checkURL":"http://example.com/"}"#, key: key)
            #expect(refused.field == "checkURL")
            #expect(try await server.send(.put, retention, #"{"lists":0}"#, key: key).field == "lists")
            #expect(try await server.send(.put, retention, #"{"userMessages":0}"#, key: key).field == "userMessages")
        }
    }
}
