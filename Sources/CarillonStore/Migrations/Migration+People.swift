import CarillonSQL

extension Migration {
    /// What is kept of a person is found again: Campaigns that name people, messages between Users, Devices that were
    /// deleted, and the answers that idempotency keys keep.
    ///
    /// `campaigns.kind` is a code of `CampaignKind`. `names_people` is 1 where the audience has a list, or a rule with
    /// ids of Users or Devices. `deleted_devices` has the numbers of Devices
    /// that are not there any more, by whose User they are found when the User is erased.
    static let people = Migration(name: "0036 people") { dialect in
        columns(dialect) + rows(dialect) + indexes + deletedDevices(dialect)
    }

    private static func columns(_ dialect: Dialect) -> String {
        """
        ALTER TABLE campaigns ADD COLUMN kind \(dialect.small) NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN names_people \(dialect.small) NOT NULL DEFAULT 0;
        ALTER TABLE user_erasures ADD COLUMN after_campaign BIGINT NOT NULL DEFAULT -1;
        ALTER TABLE app_retention ADD COLUMN lists BIGINT NOT NULL DEFAULT 30;
        ALTER TABLE app_retention ADD COLUMN user_messages BIGINT NOT NULL DEFAULT 30;

        """
    }

    /// A message between Users was a transactional Campaign without a name to one User, with a literal message whose
    /// data said whom it came from.
    private static func rows(_ dialect: Dialect) -> String {
        let isToOne =
            dialect == .sqlite
            ? "json_array_length(audience, '$.users') = 1"
            : "json_array_length(CAST(audience AS json) -> 'users') = 1"
        let saysFrom =
            dialect == .sqlite
            ? "json_type(message, '$.data.from') = 'text'"
            : "json_typeof(CAST(message AS json) -> 'data' -> 'from') = 'string'"
        return """
            UPDATE campaigns SET names_people = 1
            WHERE audience LIKE '{"users":%' OR audience LIKE '{"devices":%'
                OR (audience LIKE '{"rule":%' AND (audience LIKE '%user%' OR audience LIKE '%device%'));
            UPDATE campaigns SET kind = 1
            WHERE name IS NULL AND is_test = 0 AND app_id IN (SELECT app_id FROM user_message_rules)
                AND timing LIKE '%"isTransactional":true%' AND message LIKE '%"isLiteral":true%'
                AND CASE WHEN audience LIKE '{"users":%' THEN \(isToOne) AND \(saysFrom) ELSE 1 = 0 END;

            """
    }

    /// The two by kind are for lists, of an App and of all: thousands of messages between Users may lie between two
    /// Campaigns.
    private static let indexes = """
        CREATE INDEX campaigns_naming_people ON campaigns (app_id, names_people, id) WHERE names_people = 1;
        CREATE INDEX campaigns_by_kind ON campaigns (app_id, kind, id);
        CREATE INDEX campaigns_by_kind_of_all ON campaigns (kind, id, app_id);
        CREATE INDEX idempotency_keys_by_location ON idempotency_keys (location) WHERE location IS NOT NULL;

        """

    /// As of the tables of the step "0025 estimates".
    private static let estimate = "ALTER TABLE deleted_devices ALTER COLUMN app_id SET (n_distinct = 1);\n"

    private static func deletedDevices(_ dialect: Dialect) -> String {
        """
        CREATE TABLE deleted_devices (
            app_id BIGINT NOT NULL,
            number BIGINT NOT NULL,
            user_id TEXT NOT NULL,
            public_id \(dialect.bytes) NOT NULL,
            deleted_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, number)
        ) \(dialect.clustered);
        CREATE INDEX deleted_devices_by_user ON deleted_devices (app_id, user_id, number);

        """ + (dialect == .postgreSQL ? estimate : "")
    }
}
