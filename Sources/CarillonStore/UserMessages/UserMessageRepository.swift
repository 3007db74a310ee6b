import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The rules by which Users send to each other, in SQL.
struct UserMessageRepository: UserMessageStore {
    let database: any Database

    func rules(of app: AppID) async throws(StoreError) -> StoredUserMessageRules? {
        try await database.read { connection throws(StoreError) in
            try connection.first(
                "SELECT rules, secret FROM user_message_rules WHERE app_id = $1",
                app
            ) { row throws(StoreError) in
                StoredUserMessageRules(
                    rules: try CampaignRow.decode(row.bytes(0)),
                    sealedSecret: row.optionalArray(1)
                )
            }
        }
    }

    func setRules(_ rules: StoredUserMessageRules, of app: AppID) async throws(StoreError) -> Bool {
        let text = try CampaignRow.encode(rules.rules)
        return try await database.write { connection throws(StoreError) in
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

    func user(of caller: DeviceCaller) async throws(StoreError) -> Result<UserID, EngineError> {
        try await database.read { connection throws(StoreError) in try connection.knownUser(caller) }
    }
}
