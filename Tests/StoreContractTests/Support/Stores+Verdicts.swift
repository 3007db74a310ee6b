import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore

extension Stores {
    /// Saves what the push service said of one token; returns whether the token changed.
    func save(_ verdict: ChunkCommit.TokenVerdict, app: AppID, at: Timestamp) async throws -> Bool {
        let campaign = CampaignID(rawValue: 1)
        let verdicts = TokenVerdicts(app: app, campaign: campaign, at: at, verdicts: [verdict])
        return try await deliveries.save(verdicts) == 1
    }
}
