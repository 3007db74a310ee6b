import CarillonSQL

extension Migration {
    /// Apps, keys, Devices and their tokens, events: everything that stands before the first Campaign.
    ///
    /// Keys begin with the App. A Device lies in the order of its number, so that new ones are appended; beside that a
    /// registration touches three random pages: the public id's, the token's and the User's.
    static let registry = Migration(name: "0001 registry") { dialect in
        apps(dialect) + keys(dialect) + devices(dialect) + tokens(dialect) + events(dialect)
    }

    private static func apps(_ dialect: Dialect) -> String {
        """
        CREATE TABLE apps (
            id BIGINT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            identity TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            next_device_number BIGINT NOT NULL
        ) \(dialect.clustered);
        CREATE TABLE app_secrets (
            app_id BIGINT NOT NULL PRIMARY KEY,
            key_hash \(dialect.bytes) NOT NULL UNIQUE,
            identity_secret \(dialect.bytes) NOT NULL,
            receipt_key \(dialect.bytes) NOT NULL
        ) \(dialect.clustered);
        CREATE TABLE push_keys (
            app_id BIGINT NOT NULL PRIMARY KEY,
            key_id TEXT NOT NULL,
            team_id TEXT NOT NULL,
            private_key \(dialect.bytes) NOT NULL,
            updated_at BIGINT NOT NULL
        ) \(dialect.clustered);
        CREATE TABLE provider_tokens (
            team_id TEXT NOT NULL,
            key_id TEXT NOT NULL,
            token \(dialect.bytes) NOT NULL,
            issued_at BIGINT NOT NULL,
            PRIMARY KEY (team_id, key_id)
        ) \(dialect.clustered);

        """
    }

    private static func keys(_ dialect: Dialect) -> String {
        """
        CREATE TABLE api_keys (
            id BIGINT NOT NULL PRIMARY KEY,
            app_id BIGINT,
            name TEXT NOT NULL,
            scopes TEXT NOT NULL,
            secret_hash \(dialect.bytes) NOT NULL UNIQUE,
            created_at BIGINT NOT NULL,
            expires_at BIGINT
        ) \(dialect.clustered);
        CREATE TABLE idempotency_keys (
            principal TEXT NOT NULL,
            idempotency_key TEXT NOT NULL,
            fingerprint \(dialect.bytes) NOT NULL,
            started_at BIGINT NOT NULL,
            status BIGINT,
            content_type TEXT,
            location TEXT,
            body \(dialect.bytes),
            PRIMARY KEY (principal, idempotency_key)
        ) \(dialect.clustered);
        CREATE INDEX idempotency_keys_by_time ON idempotency_keys (started_at);

        """
    }

    private static func devices(_ dialect: Dialect) -> String {
        """
        CREATE TABLE devices (
            app_id BIGINT NOT NULL,
            number BIGINT NOT NULL,
            public_id \(dialect.bytes) NOT NULL,
            secret_hash \(dialect.bytes),
            user_id TEXT,
            consent BIGINT NOT NULL,
            permission BIGINT,
            push_type BIGINT NOT NULL,
            language TEXT,
            country TEXT,
            time_zone TEXT,
            app_version TEXT,
            os_version TEXT,
            model TEXT,
            sdk_version TEXT,
            created_at BIGINT NOT NULL,
            registered_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, number)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX devices_by_public_id ON devices (app_id, public_id);
        CREATE INDEX devices_by_user ON devices (app_id, user_id) WHERE user_id IS NOT NULL;

        """
    }

    private static func tokens(_ dialect: Dialect) -> String {
        """
        CREATE TABLE device_tokens (
            app_id BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            push_type BIGINT NOT NULL,
            token \(dialect.bytes) NOT NULL,
            state BIGINT NOT NULL,
            registered_at BIGINT,
            PRIMARY KEY (app_id, device_number, push_type)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX device_tokens_by_token ON device_tokens (app_id, push_type, token);
        CREATE TABLE former_device_numbers (
            app_id BIGINT NOT NULL,
            number BIGINT NOT NULL,
            public_id \(dialect.bytes) NOT NULL,
            user_id TEXT,
            changed_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, number)
        ) \(dialect.clustered);
        CREATE INDEX former_device_numbers_by_public_id ON former_device_numbers (app_id, public_id);

        """
    }

    private static func events(_ dialect: Dialect) -> String {
        """
        CREATE TABLE events (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            kind BIGINT NOT NULL,
            action TEXT NOT NULL,
            occurred_at BIGINT NOT NULL,
            reply TEXT,
            PRIMARY KEY (app_id, occurrence_id, device_number, kind, action)
        ) \(dialect.clustered);
        CREATE TABLE event_counts (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            kind BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, kind)
        ) \(dialect.clustered);

        """
    }
}
