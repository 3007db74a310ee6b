import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Lists of Users and Devices of Campaigns that are over: the Campaigns stay without them.
extension RetentionQueries {
    /// How many Campaigns a step looks at: a list may have ten thousand ids.
    private static var listLimit: Int { 20 }

    /// A rule that names people stays: it is an operator's condition, and an erasure finds it.
    func dropLists(
        _ app: AppID,
        _ time: Timestamp,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        try preferIndexes()
        let limit = min(limit, Self.listLimit)
        let seen = try connection.all(
            """
            SELECT id, CASE WHEN finished_at IS NOT NULL AND finished_at < $1 AND audience NOT LIKE '{"rule"%'
                THEN 1 ELSE 0 END, CASE WHEN length(audience) < 2000 THEN audience END
            FROM campaigns WHERE app_id = $2 AND names_people = 1 AND kind = 0 AND id > $3 AND id < $4 ORDER BY id LIMIT $5
            """,
            time,
            app,
            cursor.number,
            CampaignID(milliseconds: time.rawValue, sequence: 0),
            limit,
            as: (CampaignID, Bool, JSONColumn<Audience>?).self
        )
        let redacted = try JSONColumn(Audience.redacted).text
        var recipients = 0
        for (campaign, isOld, audience) in seen where isOld {
            try connection.run(
                "UPDATE campaigns SET audience = $1, names_people = 0 WHERE app_id = $2 AND id = $3",
                redacted,
                app,
                campaign
            )
            recipients += try connection.recipients.discardList(of: campaign, app: app)
            if audience?.value.isToOne == true { try redactMessage(of: campaign, app) }
            // A step may delete the recipients of one large Campaign, not of twenty.
            if recipients >= RecipientPart.maximumCount {
                return RetentionCursor(number: campaign.rawValue, text: "", occurrence: -1)
            }
        }
        guard seen.count == limit else { return nil }
        return seen.last.map { last, _, _ in RetentionCursor(number: last.rawValue, text: "", occurrence: -1) }
    }

    private func redactMessage(of campaign: CampaignID, _ app: AppID) throws {
        try connection.run(
            "UPDATE campaigns SET message = $1, name = NULL, content = NULL WHERE app_id = $2 AND id = $3",
            try JSONColumn(Message.redacted).text,
            app,
            campaign
        )
    }
}
