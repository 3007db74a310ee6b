import CarillonSQL

/// Devices, and what is kept of those that changed or went.
extension Baseline {
    var devices: [String] {
        [deviceTable, deviceIndexes, formerNumbers, deletedDevices, consentChanges, importWindows]
    }

    /// A Device with its token for notifications in one row, in the order of numbers, so that new ones are appended.
    ///
    /// A campaign reads this table alone and in its order. Columns of fixed width come first, which PostgreSQL would
    /// otherwise pad; those that a campaign looks at come before those that only the Device asks for.
    ///
    /// `token` and `token_state` are null where there is none. `token_at` is when the app told the token, null after an
    /// import; `token_unconfirmed` is 1 until the push service accepts a notification for a token that an app told.
    /// `tenant` is empty where there is none. A time of consent is null where the consent is not given or its time is not
    /// known. `categories` is JSON. `tags` has the numbers of the tags of the Device's User: see ``tags``.
    private var deviceTable: String {
        """
        CREATE TABLE devices (
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
            language \(dialect.text),
            time_zone \(dialect.text),
            country \(dialect.text),
            tenant \(dialect.text) NOT NULL DEFAULT '',
            tags \(dialect.text),
            user_id \(dialect.text),
            app_version \(dialect.text),
            os_version \(dialect.text),
            public_id \(dialect.bytes) NOT NULL,
            secret_hash \(dialect.bytes),
            model \(dialect.text),
            sdk_version \(dialect.text),
            categories \(dialect.text),
            token_unconfirmed \(dialect.small),
            PRIMARY KEY (app_id, number)
        ) \(dialect.clustered);

        """
    }

    /// An import into an empty store drops these and builds them again: ``DeviceIndexes`` has the same statements.
    ///
    /// A token is found by its first eight bytes, which are as random as all of it: an index of the whole would be as
    /// large as the row's other half. That (push type, tenant, token) is there once is the writer's affair.
    private var deviceIndexes: String {
        """
        CREATE UNIQUE INDEX devices_by_public_id ON devices (app_id, public_id);
        CREATE INDEX devices_by_user ON devices (app_id, user_id) WHERE user_id IS NOT NULL;
        CREATE INDEX devices_by_token ON devices (app_id, substr(token, 1, 8)) WHERE token IS NOT NULL;

        """
    }

    /// The number that a Device had before its User changed.
    ///
    /// The index by User has all that is asked for: SQLite would otherwise rather go through the App's numbers.
    private var formerNumbers: String {
        """
        CREATE TABLE former_device_numbers (
            app_id BIGINT NOT NULL,
            number BIGINT NOT NULL,
            public_id \(dialect.bytes) NOT NULL,
            user_id \(dialect.text),
            changed_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, number)
        ) \(dialect.clustered);
        CREATE INDEX former_device_numbers_by_public_id ON former_device_numbers (app_id, public_id);
        CREATE INDEX former_device_numbers_by_user
            ON former_device_numbers (app_id, user_id, number, changed_at, public_id) WHERE user_id IS NOT NULL;

        """
    }

    /// Numbers of Devices that are not there any more; they are found by their User when the User is erased.
    private var deletedDevices: String {
        """
        CREATE TABLE deleted_devices (
            app_id BIGINT NOT NULL,
            number BIGINT NOT NULL,
            user_id \(dialect.text) NOT NULL,
            public_id \(dialect.bytes) NOT NULL,
            deleted_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, number)
        ) \(dialect.clustered);
        CREATE INDEX deleted_devices_by_user ON deleted_devices (app_id, user_id, number);

        """
    }

    /// What people changed; the first decision is in the Device's own row, so that a registration and an import write
    /// nothing more.
    ///
    /// `old_consent` and `new_consent` are bits as in `devices`, `source` is a code.
    private var consentChanges: String {
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

    /// Numbers that an import has reserved and writes tags under, before the Devices are there.
    private var importWindows: String {
        """
        CREATE TABLE import_windows (
            app_id BIGINT NOT NULL,
            first_number BIGINT NOT NULL,
            last_number BIGINT NOT NULL,
            PRIMARY KEY (app_id, first_number)
        ) \(dialect.clustered);

        """
    }
}
