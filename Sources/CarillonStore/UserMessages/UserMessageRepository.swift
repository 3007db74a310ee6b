import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The rules by which Users send to each other, in SQL.
struct UserMessageRepository: UserMessageStore {
    let database: any Database

    func rules(of app: AppID) async throws(StoreError) -> StoredUserMessageRules? {
        try await database.read { connection in
            try connection.first(
                "SELECT rules, secret FROM user_message_rules WHERE app_id = $1",
                app
            ) { row in
                StoredUserMessageRules(
                    rules: try JSONColumn.value(row, at: 0),
                    sealedSecret: row.optionalArray(1)
                )
            }
        }
    }

    func setRules(_ rules: StoredUserMessageRules, of app: AppID) async throws(StoreError) -> Bool {
        let text = try JSONColumn(rules.rules).text
        return try await database.write { connection in
            let isKnown = try connection.first("SELECT id FROM apps WHERE id = $1", app) { $0.int64(0) }
            guard isKnown != nil else { return false }
            try connection.run(
                """
                INSERT INTO user_message_rules (app_id, rules, secret) VALUES ($1, $2, $3)
                ON CONFLICT (app_id) DO UPDATE SET rules = excluded.rules, secret = excluded.secret
                """,
                app,
                text,
                rules.sealedSecret
            )
            return true
        }
    }

    func messages(
        app: AppID,
        before id: CampaignID?,
        limit: Int
    ) async throws(StoreError) -> [ListedUserMessage] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT id, audience, message, state, created_at, finished_at FROM campaigns
                WHERE app_id = $1 AND kind = 1 AND id < $2 ORDER BY id DESC LIMIT $3
                """,
                app,
                id ?? CampaignID(rawValue: .max),
                limit
            ) { row in
                guard let state = Campaign.State(rawValue: row.string(3)) else {
                    throw StoreError.failed("A message's state is not known.")
                }
                return ListedUserMessage(
                    id: CampaignID(rawValue: row.int64(0)),
                    app: app,
                    audience: try JSONColumn.value(row, at: 1),
                    message: try JSONColumn.value(row, at: 2),
                    state: state,
                    createdAt: Timestamp(rawValue: row.int64(4)),
                    finishedAt: row.optionalInt64(5).map(Timestamp.init(rawValue:))
                )
            }
        }
    }

    func user(of caller: DeviceCaller) async throws(StoreError) -> Result<UserID, EngineError> {
        try await database.read { connection in try connection.devices.knownUser(caller) }
    }
}
