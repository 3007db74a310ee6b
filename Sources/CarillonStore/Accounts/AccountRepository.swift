import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Accounts of people in SQL.
struct AccountRepository: AccountStore {
    let database: any Database

    // MARK: Rules

    func rules(of app: AppID) async throws(StoreError) -> AccountRules? {
        try await database.read { connection in
            let rules = try connection.first(
                "SELECT rules FROM account_rules WHERE app_id = $1",
                app,
                as: JSONColumn<AccountRules>.self
            )
            if let rules { return rules.value }
            return try connection.apps.app(app) == nil ? nil : AccountRules()
        }
    }

    func setRules(_ rules: AccountRules, of app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            guard try connection.apps.app(app) != nil else { return false }
            try connection.run(
                """
                INSERT INTO account_rules (app_id, rules) VALUES ($1, $2)
                ON CONFLICT (app_id) DO UPDATE SET rules = excluded.rules
                """,
                app,
                try JSONColumn(rules)
            )
            return true
        }
    }

    // MARK: Reading

    func account(named key: String, app: AppID) async throws(StoreError) -> StoredAccount? {
        try await database.read { connection in try connection.accounts.account(named: key, app: app) }
    }

    func account(of user: UserID, app: AppID) async throws(StoreError) -> StoredAccount? {
        try await database.read { connection in try connection.accounts.account(of: user, app: app) }
    }

    func accounts(
        app: AppID,
        prefix: String,
        after key: String?,
        limit: Int
    ) async throws(StoreError) -> [StoredAccount] {
        // Those with the prefix come together, in the order of bytes.
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(AccountsColumn.list) FROM accounts
                WHERE app_id = $1 AND name_key > $2 AND name_key >= $3 ORDER BY name_key LIMIT $4
                """,
                app,
                key ?? "",
                prefix,
                limit,
                read: StoredAccount.init(row:)
            )
            .filter { $0.name?.key.utf8.starts(with: prefix.utf8) == true }
        }
    }

    // MARK: Writing

    func insert(
        _ account: StoredAccount,
        app: AppID,
        token: NewAccountToken?,
        activation: SecretHash?,
        staleBefore: Timestamp
    ) async throws(StoreError) -> AccountInsertion {
        try await database.write { connection in
            if let name = account.name { try connection.lock(.accountName(name.key, app: app)) }
            try connection.lock(.user(account.user, app: app))
            guard try connection.apps.app(app) != nil else { return .unknown }
            if try connection.users.isBeingErased(account.user, app: app) { return .userErased }
            if try connection.accounts.account(of: account.user, app: app) != nil { return .userTaken }
            if let name = account.name,
                try connection.accounts.isTaken(name, app: app, staleBefore: staleBefore)
            {
                return .nameTaken
            }
            try connection.accounts.insert(account, app: app, activation: activation)
            if let token { try connection.accounts.insert(token, of: account.user, app: app, state: .current) }
            return .done
        }
    }

    func update(_ user: UserID, app: AppID, _ change: AccountUpdate) async throws(StoreError) -> StoredAccount? {
        try await database.write { connection in
            try connection.lock(.user(user, app: app))
            try connection.run(
                """
                UPDATE accounts SET is_blocked = COALESCE(CAST($1 AS BIGINT), is_blocked),
                    display_name = COALESCE(CAST($2 AS TEXT), display_name)
                WHERE app_id = $3 AND user_id = $4
                """,
                change.isBlocked.map { Int64($0 ? 1 : 0) },
                change.displayName,
                app,
                user
            )
            if change.isBlocked == true { try connection.accounts.endSessions(of: user, app: app, except: nil) }
            return try connection.accounts.account(of: user, app: app)
        }
    }

    func setPassword(
        _ password: PasswordHash,
        of user: UserID,
        app: AppID,
        replacing old: PasswordHash?,
        keeping session: Int64?
    ) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.lock(.user(user, app: app))
            guard let account = try connection.accounts.account(of: user, app: app), account.name != nil,
                old == nil || account.password == old
            else { return false }
            try connection.run(
                "UPDATE accounts SET password = $1 WHERE app_id = $2 AND user_id = $3",
                password,
                app,
                user
            )
            try connection.accounts.endSessions(of: user, app: app, except: session)
            return true
        }
    }

    func setCredentials(
        _ account: StoredAccount,
        app: AppID,
        staleBefore: Timestamp
    ) async throws(StoreError) -> AccountInsertion {
        try await database.write { connection in
            guard let name = account.name else { return .unknown }
            try connection.lock(.accountName(name.key, app: app))
            try connection.lock(.user(account.user, app: app))
            guard let stored = try connection.accounts.account(of: account.user, app: app), stored.name == nil
            else { return .unknown }
            if try connection.accounts.isTaken(name, app: app, staleBefore: staleBefore) { return .nameTaken }
            try connection.run(
                """
                UPDATE accounts SET name = $1, name_key = $2, display_name = $3, password = $4
                WHERE app_id = $5 AND user_id = $6
                """,
                name.text,
                name.key,
                account.displayName,
                account.password,
                app,
                account.user
            )
            return .done
        }
    }

    func activate(
        _ activation: SecretHash,
        app: AppID,
        begunAfter: Timestamp,
        token: NewAccountToken
    ) async throws(StoreError) -> StoredAccount? {
        try await database.write { connection in
            let user = try connection.first(
                """
                SELECT user_id FROM accounts WHERE app_id = $1 AND activation_hash = $2 AND created_at > $3 LIMIT 1
                """,
                app,
                activation,
                begunAfter,
                as: UserID.self
            )
            guard let user else { return nil }
            // An erasure at the same time would leave the token behind.
            try connection.lock(.user(user, app: app))
            // One statement decides, so that of two at once one finds nothing.
            let count = try connection.run(
                """
                UPDATE accounts SET activation_hash = NULL
                WHERE app_id = $1 AND user_id = $2 AND activation_hash = $3
                """,
                app,
                user,
                activation
            )
            guard count > 0 else { return nil }
            try connection.accounts.insert(token, of: user, app: app, state: .current)
            return try connection.accounts.account(of: user, app: app)
        }
    }
}
