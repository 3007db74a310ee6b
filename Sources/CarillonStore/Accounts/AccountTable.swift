package import CarillonEngine
import CarillonModel
package import CarillonSQL

/// Accounts in SQL on one connection.
struct AccountTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var accounts: AccountTable { AccountTable(connection: self) }
}

/// The columns of `accounts`, of which queries know the App.
enum AccountsColumn: Int, SQLColumn {
    case userID, name, nameKey, displayName, password, isPending, isBlocked, createdAt, usedAt

    var sql: String { self == .isPending ? "CASE WHEN activation_hash IS NULL THEN 0 ELSE 1 END" : name }
}

extension StoredAccount {
    init(row: SQLRow<AccountsColumn>) throws {
        let (text, key): (String?, String?) = (try row[.name], try row[.nameKey])
        self.init(
            user: try row[.userID],
            name: text.flatMap { text in key.map { AccountName(stored: text, key: $0) } },
            displayName: try row[.displayName],
            password: try (row[.password] as [UInt8]?).map(Self.hash(of:)),
            createdAt: try row[.createdAt]
        )
        isPending = try row[.isPending]
        isBlocked = try row[.isBlocked]
        usedAt = try row[.usedAt]
    }

    private static func hash(of bytes: [UInt8]) throws(StoreError) -> PasswordHash {
        guard let hash = PasswordHash(bytes: bytes) else {
            throw .failed("An account's password is stored in a form that this version does not know.")
        }
        return hash
    }
}

extension PasswordHash: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { bytes.bind(to: statement, at: index) }
}

extension AccountTable {
    func account(of user: UserID, app: AppID) throws -> StoredAccount? {
        try connection.first(
            "SELECT \(AccountsColumn.list) FROM accounts WHERE app_id = $1 AND user_id = $2",
            app,
            user,
            read: StoredAccount.init(row:)
        )
    }

    func account(named key: String, app: AppID) throws -> StoredAccount? {
        try connection.first(
            "SELECT \(AccountsColumn.list) FROM accounts WHERE app_id = $1 AND name_key = $2",
            app,
            key,
            read: StoredAccount.init(row:)
        )
    }

    /// Whether an account has a name; one that was never completed loses it.
    func isTaken(_ name: AccountName, app: AppID, staleBefore: Timestamp) throws -> Bool {
        try connection.run(
            """
            DELETE FROM accounts
            WHERE app_id = $1 AND name_key = $2 AND activation_hash IS NOT NULL AND created_at < $3
            """,
            app,
            name.key,
            staleBefore
        )
        return try connection.first(
            "SELECT 1 FROM accounts WHERE app_id = $1 AND name_key = $2",
            app,
            name.key
        ) { _ in true } ?? false
    }

    func insert(_ account: StoredAccount, app: AppID, activation: SecretHash?) throws {
        try connection.run(
            """
            INSERT INTO accounts (app_id, user_id, name, name_key, display_name, password, activation_hash, is_blocked,
                created_at, used_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            app,
            account.user,
            account.name?.text,
            account.name?.key,
            account.displayName,
            account.password,
            activation,
            account.isBlocked,
            account.createdAt,
            account.usedAt
        )
    }

    // MARK: Tokens

    func insert(_ token: NewAccountToken, of user: UserID, app: AppID, state: StoredAccountToken.State) throws {
        try connection.run(
            """
            INSERT INTO account_tokens (app_id, token_hash, user_id, session_id, state, created_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            app,
            token.hash,
            user,
            token.session,
            state.rawValue,
            token.createdAt,
            token.expiresAt
        )
    }

    /// Ends the sessions of an account, all or all but one.
    func endSessions(of user: UserID, app: AppID, except session: Int64?) throws {
        try connection.run(
            "DELETE FROM account_tokens WHERE app_id = $1 AND user_id = $2 AND session_id <> $3",
            app,
            user,
            session ?? -1
        )
    }

    /// Ends the oldest sessions of an account, so that a limited number stays.
    func limitSessions(of user: UserID, app: AppID, to limit: Int) throws {
        let oldest = try connection.first(
            """
            SELECT DISTINCT session_id FROM account_tokens WHERE app_id = $1 AND user_id = $2
            ORDER BY session_id DESC LIMIT 1 OFFSET $3
            """,
            app,
            user,
            limit,
            as: Int64.self
        )
        guard let oldest else { return }
        try connection.run(
            "DELETE FROM account_tokens WHERE app_id = $1 AND user_id = $2 AND session_id <= $3",
            app,
            user,
            oldest
        )
    }

    // MARK: Erasing

    /// Deletes the account of a User, with its tokens.
    func erase(_ user: UserID, app: AppID) throws {
        try connection.run("DELETE FROM account_tokens WHERE app_id = $1 AND user_id = $2", app, user)
        try connection.run("DELETE FROM accounts WHERE app_id = $1 AND user_id = $2", app, user)
    }
}
