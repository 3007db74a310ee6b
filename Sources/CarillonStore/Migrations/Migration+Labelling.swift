import CarillonSQL

extension Migration {
    /// The registry as it is asked at scale: a Device with its token in one row, labels in the order of Devices, tokens
    /// that are dead, and an App's rules for tokens.
    ///
    /// A campaign reads `devices` alone and in its order. Columns of fixed width come first, which PostgreSQL would
    /// otherwise pad; those that a campaign looks at come before those that only the Device asks for.
    static let labelling = Migration(name: "0006 registry") { dialect in
        tags(dialect) + devices(dialect) + calls(dialect) + categories(dialect) + invalidTokens(dialect) + rules
    }

    /// `tags.number` is unique in its App and never given twice.
    ///
    /// Tags are the User's, and they lie where they are looked for. `devices.tags` has the numbers of the tags of the
    /// Device's User, ascending, with commas between them; null where there are none. All Devices of a User have the
    /// same. `user_tags` has those of Users who have no Device at the moment. `device_tags` has a row for each number in
    /// `devices.tags`. A number counts only while its tag is there: a tag that is deleted leaves its row in `tags` first
    /// and the others in steps.
    private static func tags(_ dialect: Dialect) -> String {
        let list =
            dialect == .sqlite
            ? "group_concat(n.number, ',')" : "string_agg(CAST(n.number AS text), ',' ORDER BY n.number)"
        return """
            ALTER TABLE tags ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
            ALTER TABLE tags ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
            UPDATE tags SET updated_at = created_at, number = (
                SELECT count(*) FROM tags o WHERE o.app_id = tags.app_id AND o.id <= tags.id);
            CREATE UNIQUE INDEX tags_by_number ON tags (app_id, number);
            ALTER TABLE apps ADD COLUMN next_tag_number BIGINT NOT NULL DEFAULT 1;
            UPDATE apps SET next_tag_number = 1 + (SELECT count(*) FROM tags t WHERE t.app_id = apps.id);
            CREATE TABLE device_tags (
                app_id BIGINT NOT NULL,
                tag BIGINT NOT NULL,
                device_number BIGINT NOT NULL,
                PRIMARY KEY (app_id, tag, device_number)
            ) \(dialect.clustered);
            INSERT INTO device_tags (app_id, tag, device_number)
            SELECT t.app_id, t.number, d.number
            FROM user_tags u JOIN tags t ON t.app_id = u.app_id AND t.id = u.tag_id
            JOIN devices d ON d.app_id = u.app_id AND d.user_id = u.user_id;
            CREATE TABLE parked_tags (
                app_id BIGINT NOT NULL,
                user_id TEXT NOT NULL,
                tags TEXT NOT NULL,
                PRIMARY KEY (app_id, user_id)
            ) \(dialect.clustered);
            INSERT INTO parked_tags (app_id, user_id, tags)
            SELECT n.app_id, n.user_id, \(list) FROM (
                SELECT u.app_id, u.user_id, t.number
                FROM user_tags u JOIN tags t ON t.app_id = u.app_id AND t.id = u.tag_id
                ORDER BY u.app_id, u.user_id, t.number) n
            GROUP BY n.app_id, n.user_id;
            DROP TABLE user_tags;
            ALTER TABLE parked_tags RENAME TO user_tags;

            """
    }

    /// A Device has its token for notifications in its row.
    ///
    /// `token` and `token_state` are null where there is none. `token_at` is when the app told it, null after an import.
    /// `tenant` is empty where there is none.
    ///
    /// A token is found by its first eight bytes, which are as random as all of it: an index of the whole would be as
    /// large as the row's other half. That (push type, tenant, token) is there once is the writer's affair.
    private static func devices(_ dialect: Dialect) -> String {
        """
        CREATE TABLE registered_devices (
            app_id BIGINT NOT NULL,
            number BIGINT NOT NULL,
            consent \(dialect.small) NOT NULL,
            push_type \(dialect.small) NOT NULL,
            token_state \(dialect.small),
            permission \(dialect.small),
            registered_at BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            token_at BIGINT,
            notifications_since BIGINT,
            ads_since BIGINT,
            night_ads_since BIGINT,
            located_at BIGINT,
            latitude DOUBLE PRECISION,
            longitude DOUBLE PRECISION,
            token \(dialect.bytes),
            language TEXT,
            time_zone TEXT,
            country TEXT,
            tenant TEXT NOT NULL DEFAULT '',
            tags TEXT,
            user_id TEXT,
            app_version TEXT,
            os_version TEXT,
            public_id \(dialect.bytes) NOT NULL,
            secret_hash \(dialect.bytes),
            model TEXT,
            sdk_version TEXT,
            categories TEXT,
            PRIMARY KEY (app_id, number)
        ) \(dialect.clustered);
        INSERT INTO registered_devices (app_id, number, consent, push_type, token_state, permission, registered_at,
            created_at, token_at, notifications_since, ads_since, night_ads_since, located_at, latitude, longitude,
            token, language, time_zone, country, tags, user_id, app_version, os_version, public_id, secret_hash, model,
            sdk_version, categories)
        SELECT d.app_id, d.number, d.consent, d.push_type, t.state, d.permission, d.registered_at,
            d.created_at, t.registered_at, d.notifications_since, d.ads_since, d.night_ads_since, d.located_at,
            d.latitude, d.longitude, t.token, d.language, d.time_zone, d.country, u.tags, d.user_id, d.app_version,
            d.os_version, d.public_id, d.secret_hash, d.model, d.sdk_version, d.categories
        FROM devices d
        LEFT JOIN device_tokens t
            ON t.app_id = d.app_id AND t.device_number = d.number AND t.push_type = d.push_type
        LEFT JOIN user_tags u ON u.app_id = d.app_id AND u.user_id = d.user_id
        ORDER BY d.app_id, d.number;
        DELETE FROM user_tags WHERE EXISTS (
            SELECT 1 FROM devices d WHERE d.app_id = user_tags.app_id AND d.user_id = user_tags.user_id);
        DROP TABLE devices;
        ALTER TABLE registered_devices RENAME TO devices;
        \(DeviceIndexes.ofDevices)

        """
    }

    /// PushKit's tokens for calls, at most one a Device.
    private static func calls(_ dialect: Dialect) -> String {
        """
        CREATE TABLE call_tokens (
            app_id BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            push_type BIGINT NOT NULL,
            state BIGINT NOT NULL,
            registered_at BIGINT NOT NULL,
            token \(dialect.bytes) NOT NULL,
            tenant TEXT NOT NULL DEFAULT '',
            PRIMARY KEY (app_id, device_number)
        ) \(dialect.clustered);
        INSERT INTO call_tokens (app_id, device_number, push_type, state, registered_at, token)
        SELECT app_id, device_number, push_type, state, COALESCE(registered_at, 0), token FROM device_tokens
        WHERE push_type IN (3, 4);
        CREATE UNIQUE INDEX call_tokens_by_token ON call_tokens (app_id, push_type, tenant, token);
        DROP TABLE device_tokens;

        """
    }

    /// A Device whose row has no `categories` is in the label "1" of the dimension "" without a row here.
    ///
    /// Labels of one-dimensional categories have the dimension "". A label that no operator defined has `is_defined` 0.
    private static func categories(_ dialect: Dialect) -> String {
        """
        CREATE TABLE category_labels (
            app_id BIGINT NOT NULL,
            number BIGINT NOT NULL,
            is_defined BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            dimension TEXT NOT NULL,
            label TEXT NOT NULL,
            title TEXT,
            PRIMARY KEY (app_id, number)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX category_labels_by_label ON category_labels (app_id, dimension, label);
        CREATE TABLE device_categories (
            app_id BIGINT NOT NULL,
            label BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            PRIMARY KEY (app_id, label, device_number)
        ) \(dialect.clustered);
        ALTER TABLE apps ADD COLUMN next_label_number BIGINT NOT NULL DEFAULT 1;

        """
    }

    /// Tokens that the push service refused: `reason` is its word, `invalid_since` its time.
    private static func invalidTokens(_ dialect: Dialect) -> String {
        """
        CREATE TABLE invalid_tokens (
            app_id BIGINT NOT NULL,
            at BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            push_type BIGINT NOT NULL,
            campaign_id BIGINT,
            invalid_since BIGINT,
            token \(dialect.bytes) NOT NULL,
            public_id \(dialect.bytes) NOT NULL,
            tenant TEXT NOT NULL DEFAULT '',
            user_id TEXT,
            reason TEXT NOT NULL,
            PRIMARY KEY (app_id, at, device_number, push_type)
        ) \(dialect.clustered);
        CREATE INDEX invalid_tokens_by_user ON invalid_tokens (app_id, user_id) WHERE user_id IS NOT NULL;
        CREATE INDEX invalid_tokens_by_device ON invalid_tokens (app_id, device_number);

        """
    }

    /// How many tokens a User has, and for how many days a token is sent to after its last registration.
    private static let rules = """
        ALTER TABLE apps ADD COLUMN tokens_per_user TEXT NOT NULL DEFAULT 'many';
        ALTER TABLE apps ADD COLUMN token_lifetime BIGINT NOT NULL DEFAULT 365;
        """
}
