import ApplePushSimulator
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import Testing

@testable import CarillonCommand

extension ClusterWorld {
    /// Waits until a campaign is over, as a node sees it.
    func untilSent(_ campaign: CampaignID, asking node: Int = 0) async throws -> Funnel {
        try await until("the campaign is sent") { try await isSent(campaign, asking: node) }
        return try await funnel(campaign, asking: node)
    }

    /// What became of a campaign.
    func funnel(_ campaign: CampaignID, asking node: Int) async throws -> Funnel {
        try await insisting { try await nodes[node].api.get("v1/campaigns/\(campaign)/funnel") }
    }

    /// Sends a campaign to all Devices of an App, the first one if not said.
    func campaign(_ message: Message, of app: AppID? = nil, asking node: Int) async throws -> Campaign {
        let request = CampaignRequest(audience: .all, message: message)
        return try await insisting {
            try await nodes[node].api.post("v1/campaigns", ["app": (app ?? self.app).description], request)
        }
    }

    /// Asks again as long as the answer is that the store does not answer and nothing was kept: for some seconds after
    /// the database is back some of a node's connections wait until they try again.
    private func insisting<Answer>(_ call: () async throws -> Answer) async throws -> Answer {
        var answer: Answer?
        try await until("the store answers") {
            do {
                answer = try await call()
                return true
            } catch let refusal as OperatorAPI.Refusal where refusal.status == 503 {
                return false
            }
        }
        return try #require(answer)
    }

    /// Whether a campaign is over, as a node sees it; false while the database is away.
    func isSent(_ campaign: CampaignID, asking node: Int) async throws -> Bool {
        guard let now: Campaign = try? await nodes[node].api.get("v1/campaigns/\(campaign)") else { return false }
        try #require(now.state != .paused, "paused: \(now.alarm ?? "")")
        return now.state == .sent
    }

    /// Waits until a node answers from the database and has nothing in hand.
    func untilIdle(_ node: ClusterNode, _ about: String) async throws {
        try await until("a node is well and has nothing in hand: \(about)") {
            let page: Page<Campaign>? = try? await node.api.get("v1/campaigns", ["limit": "1"])
            guard page != nil else { return false }
            return await node.metric(.chunksUnderWay) == 0
        }
    }

    /// How long the other App's campaign takes when nothing is wrong, both Apps' campaigns sent at once.
    func usualSeconds() async throws -> Double {
        let begun = ContinuousClock.now
        apple.reset()
        apple.inject(Self.slowness)
        let first = try await campaign(ClusterRun.message, asking: 0)
        let other = try await campaign(ClusterRun.message, of: otherApp, asking: 0)
        _ = try await untilSent(other.id)
        let seconds = (.now - begun).inSeconds
        _ = try await untilSent(first.id)
        return seconds
    }

    func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(180)
        while try await !condition() {
            try #require(ContinuousClock.now < deadline, "It took too long until \(what): \(apple.counters())")
            // Whoever asks the counters alone would spin.
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
