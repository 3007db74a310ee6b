import CarillonEngine
import NIOConcurrencyHelpers

/// An address of a team that gets webhooks, and once is too busy for it.
final class SampleWebhooks: WebhookClient {
    /// A name that nobody can have, so that nothing leaves the machine.
    static let url = "https://hooks.carillon.invalid/campaigns"

    private let count = NIOLockedValueBox(0)

    func objection(to url: String) -> String? { nil }

    func post(_ post: WebhookPost) async -> WebhookAnswer { await reply(to: post).answer }

    func reply(to post: WebhookPost) async -> WebhookReply {
        let number = count.withLockedValue { count in
            count += 1
            return count
        }
        return number == 3
            ? WebhookReply(.answered(status: 503, retryAfter: nil), body: "{\"error\": \"busy\"}")
            : WebhookReply(.answered(status: 200, retryAfter: nil), body: "{\"ok\": true}")
    }
}
