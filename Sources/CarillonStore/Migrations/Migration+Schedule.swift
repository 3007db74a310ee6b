import CarillonSQL

extension Migration {
    /// Campaigns that go out more than once, in Waves by time zone, paced, paused; and what was sent to whom of late.
    ///
    /// A Campaign's next firing is worked out from its `timing` (JSON: schedule, pace and rules) when the one before it
    /// begins; `next_at` is when it is due, `next_slot` and `next_part` name it. An Occurrence bears the same two, so
    /// that a firing begins once. One that was given up before its time is a row that never began.
    static let schedule = Migration(name: "0008 schedule") { _ in campaigns + occurrences + waves + rules }

    private static let campaigns = """
        ALTER TABLE campaigns ADD COLUMN timing TEXT;
        ALTER TABLE campaigns ADD COLUMN next_at BIGINT;
        ALTER TABLE campaigns ADD COLUMN next_slot BIGINT;
        ALTER TABLE campaigns ADD COLUMN next_part BIGINT;
        ALTER TABLE campaigns ADD COLUMN accepted_at BIGINT;
        ALTER TABLE campaigns ADD COLUMN updated_at BIGINT;
        ALTER TABLE campaigns ADD COLUMN reached_nobody BIGINT NOT NULL DEFAULT 0;
        DROP INDEX campaigns_due;
        CREATE INDEX campaigns_due ON campaigns (next_at) WHERE next_at IS NOT NULL;

        """

    private static let occurrences = """
        ALTER TABLE occurrences ADD COLUMN slot BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE occurrences ADD COLUMN part BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE occurrences ADD COLUMN state TEXT NOT NULL DEFAULT 'sending';
        ALTER TABLE occurrences ADD COLUMN planned_at BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE occurrences ADD COLUMN accepted_at BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE occurrences ADD COLUMN has_begun BIGINT NOT NULL DEFAULT 1;
        ALTER TABLE occurrences ADD COLUMN finished_at BIGINT;
        ALTER TABLE occurrences ADD COLUMN reached_nobody BIGINT NOT NULL DEFAULT 0;
        CREATE UNIQUE INDEX occurrences_once ON occurrences (app_id, campaign_id, slot, part);

        """

    /// A Wave's number is when it is due, in milliseconds, but for the first of an Occurrence that goes out at once: 1.
    ///
    /// Those of an Occurrence go one after another; `wake_at` and `retry_at` are kept in one of them. `read_at` is when
    /// more of it may be read.
    private static let waves = """
        ALTER TABLE waves ADD COLUMN read_at BIGINT NOT NULL DEFAULT 0;

        """

    /// `sending_rules` is JSON: quiet hours, frequency cap, duplicate guard.
    ///
    /// `recent_sends` is written only for an App
    /// that has one of the last two; `message` is a hash of what was said and to which token.
    private static let rules = """
        ALTER TABLE apps ADD COLUMN sending_rules TEXT;
        CREATE TABLE recent_sends (
            app_id BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            push_type BIGINT NOT NULL,
            at BIGINT NOT NULL,
            is_ad BIGINT NOT NULL,
            is_capped BIGINT NOT NULL,
            message BIGINT NOT NULL,
            PRIMARY KEY (app_id, device_number, occurrence_id, push_type)
        );
        """
}
