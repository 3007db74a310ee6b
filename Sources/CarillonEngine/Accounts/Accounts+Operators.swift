package import CarillonModel
package import CarillonOperatorModel

/// What operators do with accounts.
extension Accounts {
    /// Returns the accounts with names, ordered by the names' keys.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - prefix: Only those whose names begin so, whatever the case; `nil` for all.
    ///   - after: The name's key of the last one of the page before.
    ///   - limit: 1 through 200; other values are clamped.
    /// - Returns: The page; empty when there are none.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func list(
        app: AppID,
        prefix: String?,
        after: String?,
        limit: Int
    ) async throws(EngineError) -> Page<AccountRecord> {
        _ = try await apps.facts(app)
        let limit = min(max(1, limit), 200)
        let key = AccountName.key(of: prefix ?? "")
        let found = try await stored(
            try await store.accounts(app: app, prefix: key, after: after, limit: limit + 1)
        )
        let next = found.count > limit ? found[limit - 1].name?.key : nil
        return Page(items: found.prefix(limit).map(\.record), nextCursor: next.map(TextCursor.cursor(of:)))
    }

    /// Returns the account of a User.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is none.
    package func record(_ user: UserID, app: AppID) async throws(EngineError) -> AccountRecord {
        let found = try await stored(try await store.account(of: user, app: app))
        guard let found else { throw .notFound(.account) }
        return found.record
    }

    /// Creates an account, also for a User who has Devices already.
    ///
    /// - Returns: The account, and the password if it was generated.
    /// - Throws: ``EngineError/invalid(_:)``, ``AccountRefusal/nameTaken``, ``AccountRefusal/userTaken`` and others.
    package func create(app: AppID, _ request: AccountRequest) async throws(EngineError) -> AccountSecret {
        _ = try await activeRules(app)
        let generated = request.password == nil ? random.password() : nil
        let credentials = AccountCredentials(
            name: request.name,
            password: .plain(request.password ?? generated ?? ""),
            displayName: request.displayName
        )
        let name = try checked(credentials)
        let user = if let user = request.user { user } else { try newUser() }
        let place = try enter(app)
        let account = try await hashedAccount(user, name, credentials, place)
        try await insert(account, app)
        return AccountSecret(account: account.record, password: generated)
    }

    /// Changes an account; a blocked one's sessions end.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is none.
    package func update(
        _ user: UserID,
        app: AppID,
        _ change: AccountUpdate
    ) async throws(EngineError) -> AccountRecord {
        let changed = try await stored(try await store.update(user, app: app, change))
        guard let changed else { throw .notFound(.account) }
        return changed.record
    }

    /// Replaces a forgotten password and ends all sessions.
    ///
    /// - Returns: The account, and the password if it was generated.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no account, ``AccountRefusal/guest`` for a guest.
    package func setPassword(
        of user: UserID,
        app: AppID,
        _ request: AccountPasswordRequest
    ) async throws(EngineError) -> AccountSecret {
        let found = try await stored(try await store.account(of: user, app: app))
        guard let found else { throw .notFound(.account) }
        guard let name = found.name else { throw .account(.guest) }
        let generated = request.password == nil ? random.password() : nil
        let password = AccountPassword.plain(request.password ?? generated ?? "")
        try check(password, name, field: "password")
        let hash = try await hasher.hash(password.salted(with: name), try enter(app))
        let isSet = try await stored(
            try await store.setPassword(hash, of: user, app: app, replacing: nil, keeping: nil)
        )
        guard isSet else { throw .notFound(.account) }
        return AccountSecret(account: found.record, password: generated)
    }

    /// Deletes an account and erases its User.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is none.
    package func delete(_ user: UserID, app: AppID) async throws(EngineError) {
        _ = try await record(user, app: app)
        try await users.erase(user, app: app)
    }
}
