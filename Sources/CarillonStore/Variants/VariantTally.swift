import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// How many new deliveries of an Occurrence each variant has, by outcome; only Campaigns that split their Devices have
/// one.
///
/// A Device that is held out is in none of them: deliveries say `Holdout`.
struct VariantTally {
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
    func write(to connection: any SQLConnection, app: AppID, occurrence: OccurrenceID) throws(StoreError) {
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
struct VariantEventTally {
    private let app: AppID
    private var splits: [OccurrenceID: VariantSplit?] = [:]
    private var counts: [OccurrenceID: [VariantKey: Int]] = [:]

    init(app: AppID) { self.app = app }

    /// Enters an event that is new; looks up its Campaign the first time that a batch names the Occurrence.
    mutating func add(_ event: EventRow, _ connection: any SQLConnection) throws(StoreError) {
        let split: VariantSplit?
        if let known = splits[event.occurrence] {
            split = known
        } else {
            split = try connection.split(of: event.occurrence, app: app)
            splits[event.occurrence] = .some(split)
        }
        guard case .variant(let variant)? = split?.share(of: event.device) else { return }
        count(event.occurrence, variant, event.kind.code)
        if event.reply != nil { count(event.occurrence, variant, EventTally.replyCode) }
    }

    /// Adds the events to the counters, in the transaction that wrote them.
    func write(to connection: any SQLConnection) throws(StoreError) {
        for (occurrence, counts) in counts.sorted(by: { $0.key < $1.key }) {
            for (key, count) in counts.sorted(by: { $0.key < $1.key }) {
                try connection.add(count, key, of: occurrence, app: app)
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

extension SQLConnection {
    fileprivate func split(of occurrence: OccurrenceID, app: AppID) throws(StoreError) -> VariantSplit? {
        let found = try first(
            """
            SELECT c.id, c.content FROM occurrences o
            JOIN campaigns c ON c.app_id = o.app_id AND c.id = o.campaign_id
            WHERE o.app_id = $1 AND o.id = $2 AND c.content IS NOT NULL
            """,
            app,
            occurrence
        ) { row throws(StoreError) in
            try ContentRules.stored(row, 1).split(of: CampaignID(rawValue: row.int64(0)))
        }
        return found.flatMap(\.self)
    }

    fileprivate func add(
        _ count: Int,
        _ key: VariantKey,
        of occurrence: OccurrenceID,
        app: AppID
    ) throws(StoreError) {
        try run(
            dialect.pick(
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
