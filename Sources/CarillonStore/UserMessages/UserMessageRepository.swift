import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The columns of `campaigns` that a message between Users is read from.
private enum UserMessageColumn: Int, SQLColumn { case id, audience, message, state, createdAt, finishedAt }

/// The rules by which Users send to each other, in SQL.
struct UserMessageRepository: UserMessageStore {
    let database: any Database

    func rules(of app: AppID) async throws(StoreError) -> StoredUserMessageRules? {
        try await database.read { connection in
            try connection.first(
                "SELECT rules, secret FROM user_message_rules WHERE app_id = $1",
                app,
                as: (JSONColumn<UserMessageRules>, [UInt8]?).self
            ).map { StoredUserMessageRules(rules: $0.value, sealedSecret: $1) }
        }
    }

    func setRules(_ rules: StoredUserMessageRules, of app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            let isKnown = try connection.first("SELECT id FROM apps WHERE id = $1", app, as: AppID.self)
            guard isKnown != nil else { return false }
            try connection.run(
                """
                INSERT INTO user_message_rules (app_id, rules, secret) VALUES ($1, $2, $3)
                ON CONFLICT (app_id) DO UPDATE SET rules = excluded.rules, secret = excluded.secret
                """,
                app,
                try JSONColumn(rules.rules),
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
                SELECT \(UserMessageColumn.list) FROM campaigns
                WHERE app_id = $1 AND kind = 1 AND id < $2 ORDER BY id DESC LIMIT $3
                """,
                app,
                id ?? CampaignID(rawValue: .max),
                limit
            ) { (row: SQLRow<UserMessageColumn>) in
                ListedUserMessage(
                    id: try row[.id],
                    app: app,
                    audience: try row.json(.audience),
                    message: try row.json(.message),
                    state: try row[.state],
                    createdAt: try row[.createdAt],
                    finishedAt: try row[.finishedAt]
                )
            }
        }
    }

    func user(of caller: DeviceCaller) async throws(StoreError) -> Result<UserID, EngineError> {
        try await database.read { connection in try connection.devices.knownUser(caller) }
    }
}
