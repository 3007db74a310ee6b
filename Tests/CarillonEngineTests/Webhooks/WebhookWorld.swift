import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Logging
import NIOConcurrencyHelpers
import Testing

/// A customer's back end whose answers a test sets.
final class FakeBackEnd: WebhookClient {
    private struct State {
        var answer: @Sendable (WebhookPost) -> WebhookAnswer = { _ in .answered(status: 204, retryAfter: nil) }
        var posts: [WebhookPost] = []
    }

    private let state = NIOLockedValueBox(State())

    private let signal = AsyncSignal()

    var posts: [WebhookPost] { state.withLockedValue { $0.posts } }

    /// Returns when a number of posts went to an address, or the task is cancelled.
    func whenPosted(_ count: Int, to url: String) async {
        while !Task.isCancelled {
            let rings = signal.count
            if posts.count(where: { $0.url == url }) >= count { return }
            await signal.wait(after: rings)
        }
    }

    func answer(_ answer: @escaping @Sendable (WebhookPost) -> WebhookAnswer) {
        state.withLockedValue { $0.answer = answer }
    }

    func objection(to url: String) -> String? { nil }

    func post(_ post: WebhookPost) async -> WebhookAnswer {
        let answer = state.withLockedValue { state in
            state.posts.append(post)
            return state.answer
        }
        signal.signal()
        return answer(post)
    }
}

/// Addresses that do not answer until they are released.
final class HangingBackEnd: WebhookClient {
    private let inner: FakeBackEnd
    private let hangs: @Sendable (WebhookPost) -> Bool
    private let signal = AsyncSignal()
    private let count = NIOLockedValueBox(0)
    private let isReleased = NIOLockedValueBox(false)

    init(_ inner: FakeBackEnd, hangs: @escaping @Sendable (WebhookPost) -> Bool) {
        self.inner = inner
        self.hangs = hangs
    }

    /// The number of posts without an answer.
    var hangingCount: Int { count.withLockedValue { $0 } }

    func release() {
        isReleased.withLockedValue { $0 = true }
        signal.signal()
    }

    func objection(to url: String) -> String? { nil }

    func post(_ post: WebhookPost) async -> WebhookAnswer {
        guard hangs(post) else { return await inner.post(post) }
        count.withLockedValue { $0 += 1 }
        while !isReleased.withLockedValue({ $0 }), !Task.isCancelled {
            let rings = signal.count
            if isReleased.withLockedValue({ $0 }) { break }
            await signal.wait(after: rings)
        }
        return .failed("No answer.")
    }
}

/// A message as a customer's back end reads it.
struct ToldItem: Decodable, Hashable {
    var type: String
    var campaign: CampaignID?
    var device: DeviceID?
    var user: UserID?
    var reason: String?
    var action: String?
    var reply: String?
    var state: Campaign.State?
    var figures: Funnel?
    var pushType: PushType?
}

extension WebhookPost {
    func items() throws -> [ToldItem] {
        struct Body: Decodable { var items: [ToldItem] }
        return try JSONDecoder().decode(Body.self, from: Data(body)).items
    }
}

extension DeliveryWorld {
    static let vault = Vault(masterKey: Array(repeating: 7, count: 32))!

    func webhooks(_ client: any WebhookClient) -> Webhooks {
        Webhooks(store: stores.webhooks, client: client, vault: Self.vault, ids: ids, clock: time)
    }

    /// A node's webhook dispatcher.
    func teller(_ client: any WebhookClient, sender: (any Sender)? = nil) -> WebhookDispatcher {
        var options = WebhookDispatcher.Options()
        options.random = { 0.5 }
        return WebhookDispatcher(
            options: options,
            outbox: stores.webhookOutbox,
            client: client,
            sender: sender ?? self.sender,
            vault: Self.vault,
            ids: ids,
            clock: time,
            timer: time,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    func count(_ sql: SQL) async throws -> Int {
        try await database.read { connection in try connection.first(sql) { $0.int(0) } ?? 0 }
    }
}
