import CarillonSQL

extension Migration {
    /// What Devices and Users are told apart by: categories, places, times of consent, tags and attributes; and the
    /// words that an App's phones understand.
    ///
    /// A Device's own are columns of its row, null where it has none, so that a registration reads and writes one row as
    /// before.
    static let labels = Migration(name: "0003 labels") { dialect in
        columns + tags(dialect) + attributes(dialect)
    }

    /// `categories` is JSON, as the API takes it.
    ///
    /// A time of consent is null where the consent is not given, and where it was given before times were kept.
    private static let columns = """
        ALTER TABLE apps ADD COLUMN dialect TEXT NOT NULL DEFAULT 'carillon';
        ALTER TABLE devices ADD COLUMN categories TEXT;
        ALTER TABLE devices ADD COLUMN latitude DOUBLE PRECISION;
        ALTER TABLE devices ADD COLUMN longitude DOUBLE PRECISION;
        ALTER TABLE devices ADD COLUMN located_at BIGINT;
        ALTER TABLE devices ADD COLUMN notifications_since BIGINT;
        ALTER TABLE devices ADD COLUMN ads_since BIGINT;
        ALTER TABLE devices ADD COLUMN night_ads_since BIGINT;

        """

    /// A tag that is deleted leaves its row in `tags` first and those of its Users in steps: a row of `user_tags` counts
    /// only while its tag is there.
    private static func tags(_ dialect: Dialect) -> String {
        """
        CREATE TABLE tags (
            app_id BIGINT NOT NULL,
            id TEXT NOT NULL,
            name TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE TABLE user_tags (
            app_id BIGINT NOT NULL,
            user_id TEXT NOT NULL,
            tag_id TEXT NOT NULL,
            PRIMARY KEY (app_id, user_id, tag_id)
        ) \(dialect.clustered);
        CREATE INDEX user_tags_by_tag ON user_tags (app_id, tag_id, user_id);

        """
    }

    /// `kind` says what the value is; `number` has every number, and 0 or 1 for a boolean, `whole` an integer to its last
    /// digit.
    private static func attributes(_ dialect: Dialect) -> String {
        """
        CREATE TABLE user_attributes (
            app_id BIGINT NOT NULL,
            user_id TEXT NOT NULL,
            name TEXT NOT NULL,
            kind BIGINT NOT NULL,
            text TEXT,
            number DOUBLE PRECISION,
            whole BIGINT,
            PRIMARY KEY (app_id, user_id, name)
        ) \(dialect.clustered);
        """
    }
}
