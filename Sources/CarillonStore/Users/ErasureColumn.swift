import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The columns of `user_erasures`.
enum ErasureColumn: Int, SQLColumn { case appID, userID, afterOccurrence, afterCampaign, requestedAt }

extension PendingErasure {
    init(row: SQLRow<ErasureColumn>) throws {
        let (campaign, occurrence): (CampaignID, OccurrenceID) = (try row[.afterCampaign], try row[.afterOccurrence])
        self.init(
            app: try row[.appID],
            user: try row[.userID],
            requestedAt: try row[.requestedAt],
            lastCampaign: campaign.rawValue < 0 ? nil : campaign,
            areCampaignsDone: campaign.rawValue == .max,
            lastOccurrence: occurrence.rawValue < 0 ? nil : occurrence
        )
    }
}
