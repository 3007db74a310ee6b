import CarillonSQL

/// Figures by time, and totals that many nodes count at once.
///
/// Every counter has a slot: on PostgreSQL that of the connection which counts, so that two nodes never wait for one
/// another's row nor lock two rows in different orders; on SQLite, which has one writer, zero. Whoever reads sums the slots
/// up.
extension Baseline {
    var statistics: [String] { [statisticsKeys, series, deliveryTotals, eventTotals, variants] }

    private var statisticsKeys: String {
        """
        CREATE TABLE statistics_ids (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            name \(dialect.text) NOT NULL,
            description \(dialect.text),
            starts_at BIGINT,
            ends_at BIGINT,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX statistics_ids_by_id_and_app ON statistics_ids (id, app_id);

        """
    }

    /// `bucket` is in minutes since 1970: the first of the bucket's `unit` minutes.
    ///
    /// Kinds stand in `StatisticsKind`; `reason` is 0 but for failures and skips. `statistics_by_time` is without test
    /// sends; its `statistics_id` is 0 for what is gathered under no key.
    private var series: String {
        """
        CREATE TABLE statistics_by_time (
            app_id BIGINT NOT NULL,
            unit BIGINT NOT NULL,
            bucket BIGINT NOT NULL,
            statistics_id BIGINT NOT NULL,
            channel BIGINT NOT NULL,
            kind BIGINT NOT NULL,
            reason BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, unit, bucket, statistics_id, channel, kind, reason, slot)
        ) \(dialect.clustered);
        CREATE TABLE statistics_by_occurrence (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            bucket BIGINT NOT NULL,
            kind BIGINT NOT NULL,
            reason BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, bucket, kind, reason, slot)
        ) \(dialect.clustered);

        """
    }

    /// The totals of each Occurrence, which survive its rows.
    private var deliveryTotals: String {
        """
        CREATE TABLE delivery_counts (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            outcome BIGINT NOT NULL,
            reason BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, outcome, reason, slot)
        ) \(dialect.clustered);

        """
    }

    private var eventTotals: String {
        """
        CREATE TABLE event_counts (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            kind BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, kind, slot)
        ) \(dialect.clustered);
        CREATE TABLE action_counts (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            action \(dialect.text) NOT NULL,
            slot BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, action, slot)
        ) \(dialect.clustered);

        """
    }

    /// Only Campaigns with variants have rows here; `variant` is the place in the Campaign's list.
    ///
    /// Which variant a Device got is not kept, it follows from Campaign and Device.
    private var variants: String {
        """
        CREATE TABLE variant_counts (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            variant BIGINT NOT NULL,
            outcome BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, variant, outcome, slot)
        ) \(dialect.clustered);
        CREATE TABLE variant_event_counts (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            variant BIGINT NOT NULL,
            kind BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, variant, kind, slot)
        ) \(dialect.clustered);

        """
    }
}
