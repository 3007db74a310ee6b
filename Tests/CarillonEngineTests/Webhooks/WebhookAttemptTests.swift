import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import NIOConcurrencyHelpers
import Testing

/// The attempts of a webhook, as an Operator reads them.
struct WebhookAttemptTests {
    @Test("K-82 Webhook attempts have status and body, and a message that is sent again has the same id")
    func attempts() async throws {
        let world = try await DeliveryWorld()
        let backEnd = TalkingBackEnd()
        let webhooks = world.webhooks(backEnd)
        let id = try await webhooks.create(app: world.app, .init(url: "https://a/", topics: [.campaignFinished]))
            .webhook.id
        backEnd.reply = WebhookReply(.answered(status: 500, retryAfter: nil), body: "out of order")
        try await world.send(world.request())
        let teller = world.teller(backEnd)
        while try await webhooks.webhook(id, within: nil).state == .active {
            _ = await teller.deliverDue()
            world.time.advance(by: .seconds(1_800))
        }

        let failed = try await webhooks.attempts(of: id, within: world.app).attempts
        #expect(failed.count > 20 && failed.count <= WebhookAttempt.limit)
        #expect(failed.allSatisfy { $0.status == 500 && $0.body == "out of order" && $0.error == nil })
        #expect(failed.map(\.at) == failed.map(\.at).sorted(by: >))
        let dead = try #require(
            try await webhooks.messages(of: id, within: nil, in: .dead, after: nil, limit: 10).items.first
        )

        backEnd.reply = WebhookReply(.answered(status: 200, retryAfter: nil), body: "thanks")
        _ = try await webhooks.update(id, within: nil, .init(state: .active))
        _ = try await webhooks.replay(dead.id, of: id, within: world.app)
        _ = await teller.deliverDue()
        let last = try #require(try await webhooks.attempts(of: id, within: nil).attempts.first)
        #expect(last.status == 200 && last.body == "thanks" && last.message == dead.id)
        #expect(backEnd.ids.last == dead.id.description && Set(backEnd.ids) == [dead.id.description])
    }
}

/// Answers with a body.
private final class TalkingBackEnd: WebhookClient {
    private let state = NIOLockedValueBox((reply: WebhookReply(.failed("")), ids: [String]()))

    var reply: WebhookReply {
        get { state.withLockedValue { $0.reply } }
        set { state.withLockedValue { $0.reply = newValue } }
    }
    var ids: [String] { state.withLockedValue { $0.ids } }

    func objection(to url: String) -> String? { nil }

    func post(_ post: WebhookPost) async -> WebhookAnswer { await reply(to: post).answer }

    func reply(to post: WebhookPost) async -> WebhookReply {
        state.withLockedValue { state in
            state.ids.append(post.id)
            return state.reply
        }
    }
}
