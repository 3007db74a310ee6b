import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation

/// A row of `campaigns`.
enum CampaignRow {
    /// Reads a Campaign from the columns in the order in which every query here names them.
    static func read(_ row: any SQLStatement) throws -> Campaign {
        guard let state = Campaign.State(rawValue: row.string(3)) else {
            throw StoreError.failed("A campaign's state is not known.")
        }
        var request = CampaignRequest(
            app: AppID(rawValue: row.int64(0)),
            audience: try JSONColumn.value(row, at: 5),
            message: try JSONColumn.value(row, at: 6)
        )
        request.name = row.optionalString(2)
        request.isAd = row.bool(7)
        request.channel = try .read(row, at: 13)
        request.statisticsID = row.optionalInt64(14).map(StatisticsID.init(rawValue:))
        if !row.isNull(19) {
            let content: StoredContent = try JSONColumn.value(row, at: 19)
            content.complete(&request)
        }
        request.sendAt = row.optionalInt64(8).map(Timestamp.init(rawValue:))
        var campaign = Campaign(
            id: CampaignID(rawValue: row.int64(1)),
            app: AppID(rawValue: row.int64(0)),
            request: request,
            state: state,
            createdAt: Timestamp(rawValue: row.int64(9))
        )
        campaign.alarm = row.optionalString(4)
        campaign.occurrence = row.optionalInt64(10).map(OccurrenceID.init(rawValue:))
        campaign.startedAt = row.optionalInt64(11).map(Timestamp.init(rawValue:))
        campaign.finishedAt = row.optionalInt64(12).map(Timestamp.init(rawValue:))
        if !row.isNull(15) { (try JSONColumn.value(row, at: 15) as CampaignTiming).apply(to: &campaign) }
        campaign.nextAt = row.optionalInt64(16).map(Timestamp.init(rawValue:))
        campaign.updatedAt = row.optionalInt64(17).map(Timestamp.init(rawValue:))
        campaign.reachedNobody = row.bool(18)
        return campaign
    }
}
