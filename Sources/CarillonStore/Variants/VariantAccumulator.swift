import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// How many new deliveries of an Occurrence each variant has, by outcome; only Campaigns that split their Devices have
/// one.
///
/// A Device that is held out is in none of them: deliveries say `Holdout`.
struct VariantAccumulator {
    private let split: VariantSplit
    private var counts: [VariantKey: Int] = [:]

    init?(_ split: VariantSplit?) {
        guard let split else { return nil }
        self.split = split
    }

    /// Enters a row that is new.
    mutating func add(_ outcome: Delivery.Outcome, of device: DeviceNumber) {
        guard case .variant(let variant) = split.share(of: device) else { return }
        counts[VariantKey(variant: Int64(variant), code: outcome.code), default: 0] += 1
    }

    /// Adds the rows to the counters, in the transaction that wrote them.
    func write(to connection: any SQLConnection, app: AppID, occurrence: OccurrenceID) throws {
        for (key, count) in counts.sorted(by: { $0.key < $1.key }) {
            try connection.run(
                connection.dialect.pick(
                    sqlite: """
                        INSERT INTO variant_counts (app_id, occurrence_id, variant, outcome, count, slot)
                        VALUES ($1, $2, $3, $4, $5, 0)
                        ON CONFLICT (app_id, occurrence_id, variant, outcome, slot)
                        DO UPDATE SET count = variant_counts.count + excluded.count
                        """,
                    postgreSQL: """
                        INSERT INTO variant_counts (app_id, occurrence_id, variant, outcome, count, slot)
                        VALUES ($1, $2, $3, $4, $5, pg_backend_pid())
                        ON CONFLICT (app_id, occurrence_id, variant, outcome, slot)
                        DO UPDATE SET count = variant_counts.count + excluded.count
                        """
                ),
                app,
                occurrence,
                key.variant,
                key.code,
                count
            )
        }
    }
}

/// How many new events a batch has of each variant, of the Occurrences whose Campaigns split their Devices.
struct VariantEventCounts {
    private let app: AppID
    private let splits: [OccurrenceID: VariantSplit]
    private var counts: [OccurrenceID: [VariantKey: Int]] = [:]

    /// Prepares to count events of some Occurrences, whose Campaigns are looked up.
    init(of occurrences: Set<OccurrenceID>, app: AppID, _ connection: any SQLConnection) throws {
        self.app = app
        splits = occurrences.isEmpty ? [:] : try connection.variants.splits(of: occurrences, app: app)
    }

    /// Enters an event that is new.
    mutating func add(_ event: EventRow) {
        let split = splits[event.occurrence]
        guard case .variant(let variant)? = split?.share(of: event.device) else { return }
        count(event.occurrence, variant, event.kind.code)
        if event.reply != nil { count(event.occurrence, variant, EventAccumulator.replyCode) }
    }

    /// Adds the events to the counters, in the transaction that wrote them.
    func write(to connection: any SQLConnection) throws {
        for (occurrence, counts) in counts.sorted(by: { $0.key < $1.key }) {
            for (key, count) in counts.sorted(by: { $0.key < $1.key }) {
                try connection.variants.add(count, key, of: occurrence, app: app)
            }
        }
    }

    private mutating func count(_ occurrence: OccurrenceID, _ variant: Int, _ kind: Int64) {
        counts[occurrence, default: [:]][VariantKey(variant: Int64(variant), code: kind), default: 0] += 1
    }
}

/// A variant, and an outcome or a kind of event.
private struct VariantKey: Hashable, Comparable {
    var variant: Int64
    var code: Int64

    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.variant, lhs.code) < (rhs.variant, rhs.code) }
}

extension VariantTable {
    /// How the Campaigns of Occurrences split their Devices; only those that do.
    fileprivate func splits(
        of occurrences: Set<OccurrenceID>,
        app: AppID
    ) throws -> [OccurrenceID: VariantSplit] {
        let rows = try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT o.id, c.id, c.content FROM json_each($1) n
                    CROSS JOIN occurrences o ON o.app_id = $2 AND o.id = n.value
                    JOIN campaigns c ON c.app_id = $2 AND c.id = o.campaign_id
                    WHERE c.content IS NOT NULL
                    """,
                postgreSQL: """
                    SELECT o.id, c.id, c.content FROM unnest(CAST(CAST($1 AS TEXT) AS BIGINT[])) AS n (value)
                    CROSS JOIN LATERAL (
                        SELECT * FROM occurrences x WHERE x.app_id = $2 AND x.id = n.value LIMIT 1) o
                    CROSS JOIN LATERAL (
                        SELECT * FROM campaigns x WHERE x.app_id = $2 AND x.id = o.campaign_id LIMIT 1) c
                    WHERE c.content IS NOT NULL
                    """
            ),
            SQLList(occurrences.lazy.map(\.rawValue), connection.dialect),
            app,
            as: (OccurrenceID, CampaignID, JSONColumn<StoredContent>).self
        )
        var splits: [OccurrenceID: VariantSplit] = [:]
        for (occurrence, campaign, content) in rows {
            splits[occurrence] = ContentRules(content.value).split(of: campaign)
        }
        return splits
    }

    fileprivate func add(
        _ count: Int,
        _ key: VariantKey,
        of occurrence: OccurrenceID,
        app: AppID
    ) throws {
        try connection.send(
            connection.dialect.pick(
                sqlite: """
                    INSERT INTO variant_event_counts (app_id, occurrence_id, variant, kind, count, slot)
                    VALUES ($1, $2, $3, $4, $5, 0)
                    ON CONFLICT (app_id, occurrence_id, variant, kind, slot)
                    DO UPDATE SET count = variant_event_counts.count + excluded.count
                    """,
                postgreSQL: """
                    INSERT INTO variant_event_counts (app_id, occurrence_id, variant, kind, count, slot)
                    VALUES ($1, $2, $3, $4, $5, pg_backend_pid())
                    ON CONFLICT (app_id, occurrence_id, variant, kind, slot)
                    DO UPDATE SET count = variant_event_counts.count + excluded.count
                    """
            ),
            app,
            occurrence,
            key.variant,
            key.code,
            count
        )
    }
}
