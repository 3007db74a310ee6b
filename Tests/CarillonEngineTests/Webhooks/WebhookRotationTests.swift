import CarillonModel
import CarillonOperatorModel
import Testing

@testable import CarillonEngine

@Suite struct WebhookRotationTests {
    private let start = ContinuousClock.now

    private func due(_ id: Int64, fence: Int64 = 1, isHeld: Bool = false, isFailing: Bool = false) -> DueWebhook {
        DueWebhook(
            app: AppID(rawValue: 1),
            id: WebhookID(rawValue: id),
            fence: fence,
            isHeld: isHeld,
            isFailing: isFailing
        )
    }

    private func started(_ turns: inout WebhookRotation) -> [Int64] {
        var ids: [Int64] = []
        while let webhook = turns.next() { ids.append(webhook.id.rawValue) }
        return ids
    }

    @Test("A limited number of webhooks is started, in order, each once") func startsInOrder() {
        var turns = WebhookRotation(limit: 2, failingLimit: 1, leaseTime: .seconds(60))
        turns.replace(with: [due(3), due(1), due(2)], at: start)

        #expect(started(&turns) == [3, 1])
        turns.end(WebhookID(rawValue: 1))
        #expect(started(&turns) == [2])
        turns.replace(with: [due(3), due(1)], at: start)
        turns.end(WebhookID(rawValue: 2))
        #expect(started(&turns) == [1])
    }

    @Test("Failing webhooks do not exceed their share") func limitsFailingWebhooks() {
        var turns = WebhookRotation(limit: 4, failingLimit: 2, leaseTime: .seconds(60))
        turns.replace(with: (1...10).map { due($0, isFailing: true) } + [due(11), due(12), due(13)], at: start)

        #expect(started(&turns) == [1, 2, 11, 12])
        #expect(!turns.canStart)
        turns.end(WebhookID(rawValue: 11))
        #expect(turns.canStart)
        #expect(started(&turns) == [13])
        turns.end(WebhookID(rawValue: 1))
        #expect(started(&turns) == [3])
        for id: Int64 in [2, 3, 12, 13] { turns.end(WebhookID(rawValue: id)) }
        #expect(started(&turns) == [4, 5])
    }

    @Test("A webhook held by another node is taken over when its fence is unchanged for a lease time")
    func takesOverHeldWebhooks() {
        var turns = WebhookRotation(limit: 4, failingLimit: 2, leaseTime: .seconds(60))
        turns.replace(with: [due(1, fence: 7, isHeld: true)], at: start)
        #expect(started(&turns).isEmpty)
        turns.replace(with: [due(1, fence: 7, isHeld: true)], at: start + .seconds(59))
        #expect(started(&turns).isEmpty)
        // Its holder is alive: the lease begins again.
        turns.replace(with: [due(1, fence: 8, isHeld: true)], at: start + .seconds(60))
        #expect(started(&turns).isEmpty)
        turns.replace(with: [due(1, fence: 8, isHeld: true)], at: start + .seconds(119))
        #expect(started(&turns).isEmpty)
        turns.replace(with: [due(1, fence: 8, isHeld: true)], at: start + .seconds(120))
        #expect(started(&turns) == [1])
    }
}
