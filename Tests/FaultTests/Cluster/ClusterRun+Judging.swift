import ApplePushSimulator
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import Testing

@testable import CarillonCommand

extension ClusterRun {
    /// How many notifications may be sent again because a node was lost, as its options bound them.
    ///
    /// A killed or frozen node: what was unanswered, and a batch a slot, which a frozen one still sends when it wakes. One
    /// that is cut off goes on for as long as its leases last: what was in its slots (one more for another App). Beside
    /// it what had its answers and waited for the database, as the node says itself.
    static func repeats(after trouble: Trouble, of node: ClusterNode) async -> Int {
        let batches = ClusterWorld.chunksAtOnce * ClusterWorld.batchSize
        let waiting = await node.metric(.notificationsWaiting) ?? 0
        guard case .nodeCutOff = trouble.kind else { return ClusterWorld.unanswered + batches + waiting }
        return max(ClusterWorld.unanswered + batches, (ClusterWorld.chunksAtOnce + 1) * ClusterWorld.chunkSize)
            + waiting
    }

    /// Holds against the simulated Apple's figures what must be true when all is over.
    func judge(_ campaign: CampaignID, other: CampaignID?, spared: Int, _ early: Funnel) async throws {
        let devices = world.deviceCount
        let all = devices + (other == nil ? 0 : world.otherDeviceCount)
        let counters = world.apple.counters()
        let funnel = try await world.funnel(campaign, asking: spared)
        let repeated = counters.accepted - all
        report.chunksTakenOver = takenOver
        report.repeated = repeated
        report.realerted = counters.realerted
        report.shownTwice = counters.shownTwice
        let about: Comment = "\(report)"
        #expect(counters.distinctTokensAccepted == all, about)
        #expect(counters.shownTwice == 0, about)
        #expect((funnel.targeted, funnel.accepted) == (devices, devices), about)
        #expect(funnel.failed.isEmpty, about)
        #expect(funnel == early, "what comes too late is refused; \(about)")
        #expect(counters.distinctProviderTokens == (other == nil ? 1 : 2), about)
        #expect(repeated <= report.repeatsAllowed, about)
        #expect(counters.realerted <= repeated, about)
        // Ten, and what a busy machine takes besides.
        #expect(report.secondsToTakeover ?? 0 <= 15, about)
        #expect(try world.database.ask(Self.rows(campaign)) == "\(devices)|\(devices)|0|0|0", about)
        if let other { try await judgeOther(other, spared: spared) }
    }

    /// Beyond twice the other App's usual time only what nobody's outcomes can get through, and a lost node's lease.
    private func judgeOther(_ other: CampaignID, spared: Int) async throws {
        let about: Comment = "\(report)"
        let funnel = try await world.funnel(other, asking: spared)
        #expect((funnel.targeted, funnel.accepted) == (world.otherDeviceCount, world.otherDeviceCount), about)
        let allowed = 2 * (report.othersUsualSeconds ?? 0) + waits.inSeconds + (losses > 0 ? 15 : 0)
        // What could not be committed comes again within five seconds; what could not be read after 1, 2, 4, ..., so at
        // most about as long again after it could not be read.
        let putOff = waits > .zero ? max(6, 0.6 * readingWaits.inSeconds) : 0
        // The usual time was measured before: what a machine takes besides that has become busy since.
        let busy = 10.0
        #expect(report.othersSecondsToEnd ?? .infinity <= allowed + putOff + busy, about)
    }

    /// A campaign's deliveries and their Devices, and whatever work is left over.
    static func rows(_ campaign: CampaignID) -> String {
        """
        SELECT count(*), count(DISTINCT device_number), (SELECT count(*) FROM chunks), (SELECT count(*) FROM waves),
            (SELECT count(*) FROM retries)
        FROM deliveries WHERE occurrence_id = (SELECT id FROM occurrences WHERE campaign_id = \(campaign.rawValue))
        """
    }
}
