import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The columns of `account_tokens`, of which queries know the App, and when the session's next token was issued.
private enum TokenColumn: Int, SQLColumn {
    case userID, sessionID, state, createdAt, expiresAt, replacedAt, nextAt

    var sql: String {
        switch self {
        case .nextAt:
            """
            (SELECT MAX(n.created_at) FROM account_tokens n WHERE n.app_id = $1 AND n.user_id = t.user_id
                AND n.session_id = t.session_id AND n.state = 1)
            """
        default: "t.\(name)"
        }
    }
}

extension AccountRepository {
    func signIn(
        _ account: StoredAccount,
        app: AppID,
        token: NewAccountToken,
        rehashed: PasswordHash?,
        forgiving charges: [AttemptCharge],
        sessionLimit: Int
    ) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.lock(Set(charges.map { WriteLock.signInAttempts($0.subject, app: app) }))
            try connection.lock(.user(account.user, app: app))
            guard let stored = try connection.accounts.account(of: account.user, app: app), !stored.isBlocked,
                stored.password == account.password
            else { return false }
            try connection.run(
                "UPDATE accounts SET used_at = $1, password = $2 WHERE app_id = $3 AND user_id = $4",
                token.createdAt,
                rehashed ?? stored.password,
                app,
                account.user
            )
            try connection.accounts.insert(token, of: account.user, app: app, state: .current)
            try connection.accounts.limitSessions(of: account.user, app: app, to: sessionLimit)
            for charge in charges { try connection.accounts.forgive(charge, app: app) }
            return true
        }
    }

    func token(_ hash: SecretHash, app: AppID) async throws(StoreError) -> FoundAccountToken? {
        try await database.read { connection in
            let found = try connection.first(
                "SELECT \(TokenColumn.list) FROM account_tokens t WHERE t.app_id = $1 AND t.token_hash = $2",
                app,
                hash
            ) { (row: SQLRow<TokenColumn>) in
                (token: try StoredAccountToken(row: row), next: try row[.nextAt] as Timestamp?)
            }
            guard let found, let account = try connection.accounts.account(of: found.token.user, app: app) else {
                return nil
            }
            return FoundAccountToken(token: found.token, account: account, next: found.next)
        }
    }

    func renew(_ token: NewAccountToken, of user: UserID, app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.lock(.user(user, app: app))
            // A request that ran at the same time has the session's next token already.
            let newest = try connection.first(
                """
                SELECT 1 FROM account_tokens WHERE app_id = $1 AND user_id = $2 AND session_id = $3 AND state = 1
                    AND created_at > $4 LIMIT 1
                """,
                app,
                user,
                token.session,
                token.createdAt.advanced(by: .milliseconds(-StoredAccountToken.overlap))
            ) { _ in true }
            guard newest == nil else { return false }
            try connection.run(
                "DELETE FROM account_tokens WHERE app_id = $1 AND user_id = $2 AND session_id = $3 AND state = 1",
                app,
                user,
                token.session
            )
            let isOpen = try connection.first(
                """
                SELECT 1 FROM account_tokens WHERE app_id = $1 AND user_id = $2 AND session_id = $3 AND state = 0 LIMIT 1
                """,
                app,
                user,
                token.session
            ) { _ in true }
            guard isOpen == true else { return false }
            try connection.accounts.insert(token, of: user, app: app, state: .next)
            return true
        }
    }

    func promote(
        _ hash: SecretHash,
        of token: StoredAccountToken,
        app: AppID,
        at now: Timestamp
    ) async throws(StoreError) {
        _ = try await database.write { connection in
            try connection.lock(.user(token.user, app: app))
            let isNext = try connection.first(
                "SELECT state FROM account_tokens WHERE app_id = $1 AND token_hash = $2",
                app,
                hash,
                as: Int64.self
            )
            // Two requests with it at once: the first one did it.
            guard isNext == StoredAccountToken.State.next.rawValue else { return }
            try connection.run(
                """
                UPDATE account_tokens SET state = 2, replaced_at = $1
                WHERE app_id = $2 AND user_id = $3 AND session_id = $4 AND state = 0
                """,
                now,
                app,
                token.user,
                token.session
            )
            try connection.run(
                "UPDATE account_tokens SET state = 0 WHERE app_id = $1 AND token_hash = $2",
                app,
                hash
            )
        }
    }

    func endSession(_ session: Int64, of user: UserID, app: AppID) async throws(StoreError) {
        _ = try await database.write { connection in
            // A renewal at the same time would add a token that is not seen here, and go on with the session.
            try connection.lock(.user(user, app: app))
            try connection.run(
                "DELETE FROM account_tokens WHERE app_id = $1 AND user_id = $2 AND session_id = $3",
                app,
                user,
                session
            )
        }
    }

    func markUsed(_ user: UserID, app: AppID, at now: Timestamp) async throws(StoreError) {
        _ = try await database.write { connection in
            try connection.run(
                "UPDATE accounts SET used_at = $1 WHERE app_id = $2 AND user_id = $3",
                now,
                app,
                user
            )
        }
    }
}

extension StoredAccountToken {
    fileprivate init(row: SQLRow<TokenColumn>) throws {
        let code: Int64 = try row[.state]
        self.init(
            user: try row[.userID],
            session: try row[.sessionID],
            // A state of a newer version counts as replaced.
            state: State(rawValue: code) ?? .former,
            createdAt: try row[.createdAt],
            expiresAt: try row[.expiresAt],
            replacedAt: try row[.replacedAt]
        )
    }
}
