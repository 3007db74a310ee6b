package import CarillonEngine
import CarillonModel
package import CarillonOperatorModel
import CarillonSQL
import Foundation

extension CampaignRepository {
    package func funnel(of campaign: Campaign) async throws(StoreError) -> Funnel {
        guard campaign.occurrence != nil else { return Funnel() }
        return try await database.read { connection in
            var funnel = try connection.campaigns.funnel(of: nil, campaign: campaign.id, app: campaign.app)
            funnel.variants = try connection.variants.variantFigures(of: campaign)
            for index in (funnel.variants ?? []).indices { funnel.variants?[index].rate() }
            funnel.winner = funnel.variants?.winner
            return funnel
        }
    }

    package func failures(of campaign: Campaign) async throws(StoreError) -> [FailureCount] {
        guard campaign.occurrence != nil else { return [] }
        return try await database.read { connection in
            try connection.all(
                """
                SELECT r.reason, n.outcome, CAST(SUM(n.count) AS BIGINT) FROM occurrences o
                JOIN delivery_counts n ON n.app_id = $1 AND n.occurrence_id = o.id
                JOIN delivery_reasons r ON r.code = n.reason
                WHERE o.app_id = $1 AND o.campaign_id = $2 AND n.outcome IN ($3, $4)
                GROUP BY r.reason, n.outcome ORDER BY 3 DESC, 1 LIMIT 1000
                """,
                campaign.app,
                campaign.id,
                Delivery.Outcome.failed,
                Delivery.Outcome.expired,
                as: (String, Delivery.Outcome, Int).self
            ).map { FailureCount(reason: $0, outcome: $1, count: $2) }
        }
    }

    package func deliveries(
        of campaign: Campaign,
        after position: DeliveryPosition?,
        limit: Int
    ) async throws(StoreError) -> [(position: DeliveryPosition, delivery: Delivery)] {
        guard let occurrence = campaign.occurrence else { return [] }
        return try await database.read { connection in
            try connection.all(
                """
                SELECT \(ListedDeliveryColumn.list(through: .at)),
                    (SELECT r.reason FROM delivery_reasons r WHERE r.code = x.reason),
                    COALESCE(
                        (SELECT d.public_id FROM devices d WHERE d.app_id = $1 AND d.number = x.device_number),
                        (SELECT f.public_id FROM former_device_numbers f
                            WHERE f.app_id = $1 AND f.number = x.device_number))
                FROM deliveries x
                WHERE x.app_id = $1 AND x.occurrence_id = $2 AND (x.device_number, x.push_type) > ($3, $4)
                    AND EXISTS (SELECT 1 FROM occurrences o WHERE o.app_id = $1 AND o.id = x.occurrence_id
                        AND o.campaign_id = $5)
                ORDER BY x.device_number, x.push_type LIMIT $6
                """,
                campaign.app,
                occurrence,
                position?.device.rawValue ?? -1,
                position?.pushType.code ?? 0,
                campaign.id,
                limit,
                read: Delivery.listed(row:)
            )
        }
    }
}

/// The columns of `deliveries` in a list, behind them the words of the reason and the Device's public id.
private enum ListedDeliveryColumn: Int, SQLColumn { case deviceNumber, pushType, outcome, at, reason, publicID }

extension Delivery {
    fileprivate static func listed(
        row: SQLRow<ListedDeliveryColumn>
    ) throws -> (position: DeliveryPosition, delivery: Delivery) {
        let delivery = Delivery(
            device: try row[.publicID],
            pushType: try row[.pushType],
            outcome: try row[.outcome],
            reason: try row[.reason],
            at: try row[.at]
        )
        return (DeliveryPosition(device: try row[.deviceNumber], pushType: delivery.pushType), delivery)
    }
}

extension CampaignTable {
    /// What became of one Occurrence so far, or of all of a Campaign's.
    func funnel(of occurrence: OccurrenceID?, campaign: CampaignID, app: AppID) throws -> Funnel {
        var funnel = Funnel()
        try countDeliveries(of: occurrence, campaign: campaign, app: app, into: &funnel)
        try countEvents(of: occurrence, campaign: campaign, app: app, into: &funnel)
        return funnel
    }

    /// What became of an Occurrence so far; nothing when there is none.
    func funnel(of occurrence: OccurrenceID, app: AppID) throws -> Funnel {
        let campaign = try connection.first(
            "SELECT campaign_id FROM occurrences WHERE app_id = $1 AND id = $2",
            app,
            occurrence,
            as: CampaignID.self
        )
        return try campaign.map { campaign in
            try funnel(of: occurrence, campaign: campaign, app: app)
        } ?? Funnel()
    }

    fileprivate func countDeliveries(
        of occurrence: OccurrenceID?,
        campaign: CampaignID,
        app: AppID,
        into funnel: inout Funnel
    ) throws {
        let counts = try connection.all(
            """
            SELECT n.outcome, COALESCE(r.reason, ''), CAST(SUM(n.count) AS BIGINT) FROM occurrences o
            JOIN delivery_counts n ON n.app_id = $1 AND n.occurrence_id = o.id
            LEFT JOIN delivery_reasons r ON r.code = n.reason
            WHERE o.app_id = $1 AND o.campaign_id = $2 AND o.id >= $3 AND o.id <= $4
            GROUP BY n.outcome, COALESCE(r.reason, '')
            """,
            app,
            campaign,
            occurrence?.rawValue ?? 0,
            occurrence?.rawValue ?? .max,
            as: (Int64, String, Int).self
        )
        for (code, reason, count) in counts { funnel.add(count, Delivery.Outcome(code: code), reason) }
        funnel.deferred = try deferredCount(of: campaign, occurrence, app: app)
    }

    fileprivate func countEvents(
        of occurrence: OccurrenceID?,
        campaign: CampaignID,
        app: AppID,
        into funnel: inout Funnel
    ) throws {
        let counts = try connection.all(
            """
            SELECT n.kind, CAST(SUM(n.count) AS BIGINT) FROM occurrences o
            JOIN event_counts n ON n.app_id = $1 AND n.occurrence_id = o.id
            WHERE o.app_id = $1 AND o.campaign_id = $2 AND o.id >= $3 AND o.id <= $4
            GROUP BY n.kind
            """,
            app,
            campaign,
            occurrence?.rawValue ?? 0,
            occurrence?.rawValue ?? .max,
            as: (Int64, Int).self
        )
        for (code, count) in counts { funnel.add(count, eventCode: code) }
    }
}

extension Funnel {
    /// Adds notifications of an outcome; without one they are tried again.
    mutating func add(_ count: Int, _ outcome: Delivery.Outcome?, _ reason: String) {
        targeted += count
        switch outcome {
        case .accepted: accepted += count
        case .skipped: skipped[reason, default: 0] += count
        case .failed, .expired: failed[reason, default: 0] += count
        case nil: retrying += count
        }
    }

    /// Adds events by the code of their kind.
    mutating func add(_ count: Int, eventCode code: Int64) {
        if code == EventAccumulator.replyCode { replies += count }
        switch Event.Kind(code: code) {
        case .received: received += count
        case .opened: opened += count
        case .dismissed: dismissed += count
        case .launched: launched += count
        case .action: actions += count
        case nil: break
        }
    }
}
