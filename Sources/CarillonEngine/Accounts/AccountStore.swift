package import CarillonModel
package import CarillonOperatorModel

/// An account as it is stored.
package struct StoredAccount: Hashable, Sendable {
    package var user: UserID
    /// `nil` for a guest.
    package var name: AccountName?
    package var displayName: String
    /// `nil` for a guest.
    package var password: PasswordHash?
    /// Whether the sign-up is not complete.
    package var isPending = false
    package var isBlocked = false
    package var createdAt: Timestamp
    /// When it was used last, to the day.
    package var usedAt: Timestamp

    package init(
        user: UserID,
        name: AccountName?,
        displayName: String,
        password: PasswordHash?,
        createdAt: Timestamp
    ) {
        self.user = user
        self.name = name
        self.displayName = displayName
        self.password = password
        self.createdAt = createdAt
        usedAt = createdAt
    }

    /// The account as operators see it.
    package var record: AccountRecord {
        AccountRecord(
            user: user,
            name: name?.text,
            displayName: displayName,
            state: isBlocked ? .blocked : isPending ? .pending : .active,
            createdAt: createdAt,
            usedAt: usedAt
        )
    }
}

/// A token to be stored.
package struct NewAccountToken: Hashable, Sendable {
    package var hash: SecretHash
    package var session: Int64
    package var createdAt: Timestamp
    package var expiresAt: Timestamp

    package init(hash: SecretHash, session: Int64, createdAt: Timestamp, expiresAt: Timestamp) {
        self.hash = hash
        self.session = session
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// The result of creating an account, or of giving a guest a name.
package enum AccountInsertion: Hashable, Sendable {
    case done
    /// Another account has the name.
    case nameTaken
    /// The User has an account.
    case userTaken
    /// The User is being erased, and the account would go with the rest.
    case userErased
    /// There is no such App, or no such guest.
    case unknown
}

/// A token with its account.
package struct FoundAccountToken: Hashable, Sendable {
    package var token: StoredAccountToken
    package var account: StoredAccount
    /// When the session's next token was issued; `nil` when there is none.
    package var next: Timestamp?

    package init(token: StoredAccountToken, account: StoredAccount, next: Timestamp?) {
        self.token = token
        self.account = account
        self.next = next
    }
}

/// Stores accounts.
package protocol AccountStore: AccountTokenStore, AttemptStore, AccountSweepStore {
    /// Returns an App's rules, those that turn accounts off when it has none; `nil` when there is no such App.
    func rules(of app: AppID) async throws(StoreError) -> AccountRules?

    /// Sets an App's rules.
    ///
    /// - Returns: False when there is no such App.
    func setRules(_ rules: AccountRules, of app: AppID) async throws(StoreError) -> Bool

    /// Creates an account, with a token or with what completes it later.
    ///
    /// An incomplete account of the same name from before `staleBefore` is replaced.
    func insert(
        _ account: StoredAccount,
        app: AppID,
        token: NewAccountToken?,
        activation: SecretHash?,
        staleBefore: Timestamp
    ) async throws(StoreError) -> AccountInsertion

    /// Returns the account with a name's key; `nil` when there is none.
    func account(named key: String, app: AppID) async throws(StoreError) -> StoredAccount?

    /// Returns a User's account; `nil` when there is none.
    func account(of user: UserID, app: AppID) async throws(StoreError) -> StoredAccount?

    /// Returns accounts with names, ordered by the names' keys.
    func accounts(
        app: AppID,
        prefix: String,
        after key: String?,
        limit: Int
    ) async throws(StoreError) -> [StoredAccount]

    /// Changes the fields that are set; a blocked account's tokens end.
    ///
    /// - Returns: The account; `nil` when there is none.
    func update(_ user: UserID, app: AppID, _ change: AccountUpdate) async throws(StoreError) -> StoredAccount?

    /// Replaces a password and ends all sessions but one.
    ///
    /// - Parameters:
    ///   - password: The new hash.
    ///   - user: The account.
    ///   - app: The App.
    ///   - old: Only if this is still the password; `nil` replaces any.
    ///   - session: The session that stays; `nil` ends all.
    /// - Returns: False when nothing was changed: there is no such account, or it has another password.
    /// - Throws: ``StoreError``.
    func setPassword(
        _ password: PasswordHash,
        of user: UserID,
        app: AppID,
        replacing old: PasswordHash?,
        keeping session: Int64?
    ) async throws(StoreError) -> Bool

    /// Gives a guest a name and a password; `unknown` unless it is a guest still.
    func setCredentials(
        _ account: StoredAccount,
        app: AppID,
        staleBefore: Timestamp
    ) async throws(StoreError) -> AccountInsertion

    /// Completes a sign-up and stores its first token.
    ///
    /// - Returns: The account; `nil` when there is none to complete that began after `begun`.
    func activate(
        _ activation: SecretHash,
        app: AppID,
        begunAfter: Timestamp,
        token: NewAccountToken
    ) async throws(StoreError) -> StoredAccount?
}

/// Stores the tokens of accounts.
package protocol AccountTokenStore: Sendable {
    /// Stores the first token of a session.
    ///
    /// The account's oldest sessions end when there are more than `sessionLimit`.
    ///
    /// - Parameters:
    ///   - account: The account as its password was verified.
    ///   - app: The App.
    ///   - token: The token.
    ///   - rehashed: The password's new hash; `nil` keeps the one of now.
    ///   - charges: Attempts that do not count, because this one was right.
    ///   - sessionLimit: How many sessions an account has.
    /// - Returns: False when the account was deleted or blocked meanwhile, or has another password: nothing is stored.
    /// - Throws: ``StoreError``.
    func signIn(
        _ account: StoredAccount,
        app: AppID,
        token: NewAccountToken,
        rehashed: PasswordHash?,
        forgiving charges: [AttemptCharge],
        sessionLimit: Int
    ) async throws(StoreError) -> Bool

    /// Returns a token with its account; `nil` when there is none.
    func token(_ hash: SecretHash, app: AppID) async throws(StoreError) -> FoundAccountToken?

    /// Stores a session's next token in place of one that was not used.
    ///
    /// - Returns: False when the session has ended.
    func renew(_ token: NewAccountToken, of user: UserID, app: AppID) async throws(StoreError) -> Bool

    /// Makes a session's next token the current one.
    func promote(_ hash: SecretHash, of token: StoredAccountToken, app: AppID, at: Timestamp) async throws(StoreError)

    /// Ends a session: all its tokens are deleted.
    func endSession(_ session: Int64, of user: UserID, app: AppID) async throws(StoreError)

    /// Records that an account is in use.
    func markUsed(_ user: UserID, app: AppID, at: Timestamp) async throws(StoreError)
}

/// Counts attempts.
package protocol AttemptStore: Sendable {
    /// Counts an attempt against all of some limits, or against none.
    ///
    /// - Returns: `nil` when it was counted; otherwise how long to wait.
    func count(_ charges: [AttemptCharge], app: AppID, at now: Timestamp) async throws(StoreError) -> AttemptWait?

    /// Takes an attempt back that was right.
    func forgive(_ charges: [AttemptCharge], app: AppID) async throws(StoreError)
}

/// A guest that nobody used for a time.
package struct StaleGuest: Hashable, Sendable {
    package var user: UserID
    package var usedAt: Timestamp

    package init(user: UserID, usedAt: Timestamp) {
        self.user = user
        self.usedAt = usedAt
    }
}

/// Deletes what has expired.
package protocol AccountSweepStore: Sendable {
    /// Returns Apps that have rules, ordered by id.
    func rulesOfApps(after app: AppID?, limit: Int) async throws(StoreError) -> [(app: AppID, rules: AccountRules)]

    /// Deletes some expired tokens, forgotten attempts, and incomplete sign-ups from before a time.
    ///
    /// - Returns: Whether there may be more.
    func dropExpired(
        app: AppID,
        at now: Timestamp,
        begunBefore: Timestamp,
        limit: Int
    ) async throws(StoreError) -> Bool

    /// Returns guests without Devices that were not used since a time, in the order of their use.
    func staleGuests(
        app: AppID,
        usedBefore: Timestamp,
        after guest: StaleGuest?,
        limit: Int
    ) async throws(StoreError) -> [StaleGuest]

    /// Deletes those guests of whom the store has nothing else.
    ///
    /// - Returns: The others, which are to be erased as Users.
    func dropGuests(_ users: [UserID], app: AppID, usedBefore: Timestamp) async throws(StoreError) -> [UserID]
}
