import CarillonSQL

extension Migration {
    /// What a notification says: templates, words for ads, variants with their figures, and what people decided.
    ///
    /// A Campaign's `content` is JSON with its words for ads, variants, holdout and template, null when it has none of
    /// them. Only Campaigns with variants have rows in the two tables of counts; which variant a Device got is not
    /// kept, it follows from Campaign and Device. `consent_changes` has what people changed: the first decision is the
    /// Device's own row, so that a registration and an import write nothing more than before.
    static let content = Migration(name: "0009 content") { dialect in
        columns + templates(dialect) + variants(dialect) + consent(dialect)
    }

    private static let columns = """
        ALTER TABLE apps ADD COLUMN ad_position TEXT NOT NULL DEFAULT 'title';
        ALTER TABLE apps ADD COLUMN payload_limit BIGINT;
        ALTER TABLE campaigns ADD COLUMN content TEXT;

        """

    /// `message` is JSON, as the API takes it.
    private static func templates(_ dialect: Dialect) -> String {
        """
        CREATE TABLE templates (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            name TEXT NOT NULL,
            message TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX templates_by_id ON templates (id);
        CREATE UNIQUE INDEX templates_by_name ON templates (app_id, name);

        """
    }

    /// `variant` is the place in the Campaign's list; `slot` is one connection's, so that several do not wait for each
    /// other.
    private static func variants(_ dialect: Dialect) -> String {
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

    /// `old_consent` and `new_consent` are bits as in `devices`, `source` is a code.
    private static func consent(_ dialect: Dialect) -> String {
        """
        CREATE TABLE consent_changes (
            app_id BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            at BIGINT NOT NULL,
            source BIGINT NOT NULL,
            old_consent BIGINT NOT NULL,
            new_consent BIGINT NOT NULL,
            PRIMARY KEY (app_id, device_number, at)
        ) \(dialect.clustered);

        """
    }
}
