import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension AccountRepository {
    func rulesOfApps(
        after app: AppID?,
        limit: Int
    ) async throws(StoreError) -> [(app: AppID, rules: AccountRules)] {
        try await database.read { connection in
            try connection.all(
                "SELECT app_id, rules FROM account_rules WHERE app_id > $1 ORDER BY app_id LIMIT $2",
                app ?? AppID(rawValue: -1),
                limit,
                as: (AppID, JSONColumn<AccountRules>).self
            ).map { (app: $0, rules: $1.value) }
        }
    }

    func dropExpired(
        app: AppID,
        at now: Timestamp,
        begunBefore: Timestamp,
        limit: Int
    ) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection in
            let tokens = try connection.run(
                """
                DELETE FROM account_tokens WHERE app_id = $1 AND token_hash IN (
                    SELECT t.token_hash FROM account_tokens t WHERE t.app_id = $1 AND t.expires_at <= $2
                    ORDER BY t.expires_at LIMIT $3)
                """,
                app,
                now,
                limit
            )
            let pending = try connection.run(
                """
                DELETE FROM accounts WHERE app_id = $1 AND user_id IN (
                    SELECT a.user_id FROM accounts a
                    WHERE a.app_id = $1 AND a.activation_hash IS NOT NULL AND a.created_at < $2
                    ORDER BY a.created_at LIMIT $3)
                """,
                app,
                begunBefore,
                limit
            )
            let attempts = try connection.accounts.dropAttempts(app: app, forgottenBy: now, limit: limit)
            return max(tokens, pending, attempts) >= limit
        }
    }

    func staleGuests(
        app: AppID,
        usedBefore: Timestamp,
        after guest: StaleGuest?,
        limit: Int
    ) async throws(StoreError) -> [StaleGuest] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT a.user_id, a.used_at FROM accounts a
                WHERE a.app_id = $1 AND a.name_key IS NULL AND a.used_at < $2 AND (a.used_at, a.user_id) > ($3, $4)
                    AND NOT EXISTS (SELECT 1 FROM devices d WHERE d.app_id = $1 AND d.user_id = a.user_id)
                ORDER BY a.used_at, a.user_id LIMIT $5
                """,
                app,
                usedBefore,
                guest?.usedAt ?? Timestamp(rawValue: -1),
                guest?.user.rawValue ?? "",
                limit,
                as: (UserID, Timestamp).self
            ).map { StaleGuest(user: $0, usedAt: $1) }
        }
    }

    func dropGuests(_ users: [UserID], app: AppID, usedBefore: Timestamp) async throws(StoreError) -> [UserID] {
        guard !users.isEmpty else { return [] }
        return try await database.write(priority: .bulk) { connection in
            try connection.lock(Set(users.map { .user($0, app: app) }))
            var others: [UserID] = []
            for user in users {
                // Used or named meanwhile: it stays.
                guard let account = try connection.accounts.account(of: user, app: app), account.name == nil,
                    account.usedAt < usedBefore
                else { continue }
                if try connection.users.hasTracesBesideAccount(of: user, app: app) {
                    others.append(user)
                } else {
                    try connection.accounts.erase(user, app: app)
                }
            }
            return others
        }
    }
}
