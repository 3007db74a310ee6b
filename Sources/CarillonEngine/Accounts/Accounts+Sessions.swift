package import CarillonAccountModel
package import CarillonModel
import CarillonOperatorModel

/// Who a request comes from.
package enum AccountSighting: Hashable, Sendable {
    /// Nobody who is signed in.
    case nobody(hadWrongToken: Bool)
    /// A person; the session has a token when that replaces the former one.
    case person(AccountSession)
}

extension Accounts {
    /// Returns who a request with a token comes from, and renews the token when its life is nearly over.
    ///
    /// - Parameters:
    ///   - token: The token; `nil` when the request has none.
    ///   - caller: Who asks.
    /// - Returns: The person, or nobody.
    /// - Throws: ``AccountRefusal/off`` and others, but not for a wrong token.
    package func sighting(
        of token: String?,
        by caller: AccountCaller
    ) async throws(EngineError) -> AccountSighting {
        let rules = try await activeRules(for: caller)
        guard let token else { return .nobody(hadWrongToken: false) }
        guard let used = try await use(token, rules, caller) else { return .nobody(hadWrongToken: true) }
        let (account, app) = (used.found.account, caller.app)
        return .person(try await session(account, app: app, token: used.renewed, expiresAt: used.expiresAt))
    }

    /// Returns the session of a token.
    ///
    /// - Throws: ``AccountRefusal/wrongToken`` when nobody is signed in.
    package func session(
        of token: String?,
        by caller: AccountCaller
    ) async throws(EngineError) -> AccountSession {
        guard case .person(let session) = try await sighting(of: token, by: caller) else {
            throw .account(.wrongToken)
        }
        return session
    }

    /// Ends the session of a token; nothing when there is none.
    package func signOut(_ token: String, app: AppID) async throws(EngineError) {
        guard let hash = AccountToken.hash(of: token) else { return }
        let found = try await stored(try await store.token(hash, app: app))
        guard let found else { return }
        try await stored(try await store.endSession(found.token.session, of: found.account.user, app: app))
    }

    /// Changes the password and ends all other sessions.
    ///
    /// - Throws: ``AccountRefusal/wrongToken``, ``AccountRefusal/guest``, ``AccountRefusal/wrongNameOrPassword``, or
    ///   ``EngineError/invalid(_:)`` for a new password that is not allowed: the old one stays valid.
    package func changePassword(
        from old: AccountPassword,
        to new: AccountPassword,
        token: String?,
        by caller: AccountCaller
    ) async throws(EngineError) -> AccountSession {
        let used = try await requireUsed(token, caller)
        let account = used.found.account
        guard let name = account.name else { throw .account(.guest) }
        try check(new, name, field: "newPassword")
        let place = try enter(caller.app, network: caller.network)
        try await verify(old, account, name, place, caller)
        let hash = try await hasher.hash(new.salted(with: name), place)
        let isChanged = try await stored(
            try await store.setPassword(
                hash,
                of: account.user,
                app: caller.app,
                replacing: account.password,
                keeping: used.found.token.session
            )
        )
        guard isChanged else { throw wrongPassword() }
        return try await session(account, app: caller.app, token: used.renewed, expiresAt: used.expiresAt)
    }

    /// Gives a guest a name and a password; the account keeps its id and its sessions.
    ///
    /// - Throws: ``AccountRefusal/wrongToken``, ``AccountRefusal/notGuest``, ``AccountRefusal/nameTaken`` and others.
    package func setCredentials(
        _ credentials: AccountCredentials,
        token: String?,
        by caller: AccountCaller
    ) async throws(EngineError) -> AccountSession {
        let used = try await requireUsed(token, caller)
        guard try await activeRules(for: caller).signUp else { throw .account(.signUpOff) }
        let guest = used.found.account
        guard guest.name == nil else { throw .account(.notGuest) }
        let name = try checked(credentials)
        let place = try enter(caller.app, network: caller.network)
        let key = try await apps.facts(caller.app).identityKey
        try await count([AttemptSubject.signUps(caller.network).charge(options.limits.signUps, key: key)], of: caller)
        var named = try await hashedAccount(guest.user, name, credentials, place)
        named.createdAt = guest.createdAt
        let (account, stale) = (named, Timestamp(rawValue: clock.now().rawValue - Self.activationTime))
        let result = try await stored(
            try await store.setCredentials(account, app: caller.app, staleBefore: stale)
        )
        switch result {
        case .done: break
        case .nameTaken: throw .account(.nameTaken)
        case .userTaken, .userErased, .unknown: throw .account(.notGuest)
        }
        metrics.add(.signedUp)
        return try await session(account, app: caller.app, token: used.renewed, expiresAt: used.expiresAt)
    }

    /// Deletes the account and erases its User.
    ///
    /// - Throws: ``AccountRefusal/wrongToken``, or ``AccountRefusal/wrongNameOrPassword`` unless the password is right,
    ///   which a guest does not need.
    package func deleteOwn(
        password: AccountPassword?,
        token: String?,
        by caller: AccountCaller
    ) async throws(EngineError) {
        let account = try await requireUsed(token, caller).found.account
        if let name = account.name {
            guard let password else { throw .wrong("password", "is required") }
            let place = try enter(caller.app, network: caller.network)
            try await verify(password, account, name, place, caller)
        }
        try await users.erase(account.user, app: caller.app)
    }

    // MARK: - Private

    /// A token that was valid.
    private struct UsedToken {
        var found: FoundAccountToken
        /// The token that replaces it.
        var renewed: String?
        var expiresAt: Timestamp
    }

    private func requireUsed(_ token: String?, _ caller: AccountCaller) async throws(EngineError) -> UsedToken {
        let rules = try await activeRules(for: caller)
        guard let token, let used = try await use(token, rules, caller) else { throw .account(.wrongToken) }
        return used
    }

    /// Uses a token.
    ///
    /// - Returns: `nil` when it is not valid.
    private func use(
        _ token: String,
        _ rules: AccountRules,
        _ caller: AccountCaller
    ) async throws(EngineError) -> UsedToken? {
        guard let hash = AccountToken.hash(of: token) else { return nil }
        let (app, now) = (caller.app, clock.now())
        let found = try await stored(try await store.token(hash, app: app))
        guard let found, !found.account.isBlocked, !found.account.isPending else { return nil }
        let user = found.account.user
        var used = UsedToken(found: found, renewed: nil, expiresAt: found.token.expiresAt)
        switch found.token.use(at: now, next: found.next) {
        case .valid: break
        case .expired: return nil
        case .reused:
            metrics.add(.reusedToken)
            try await stored(try await store.endSession(found.token.session, of: user, app: app))
            return nil
        case .promote: try await stored(try await store.promote(hash, of: found.token, app: app, at: now))
        case .renew:
            let (text, new) = newToken(caller, rules, session: found.token.session)
            if try await stored(try await store.renew(new, of: user, app: app)) {
                (used.renewed, used.expiresAt) = (text, new.expiresAt)
            }
        }
        // To the day, so that reads cause few writes; a request must not fail because its use cannot be recorded.
        if now.rawValue - found.account.usedAt.rawValue > 86_400_000 {
            try? await store.markUsed(user, app: app, at: now)
        }
        return used
    }

    /// Verifies the password of a person who is signed in; wrong ones count as wrong sign-ins.
    private func verify(
        _ password: AccountPassword,
        _ account: StoredAccount,
        _ name: AccountName,
        _ place: PasswordHasher.Place,
        _ caller: AccountCaller
    ) async throws(EngineError) {
        let charges = try await self.charges(name.key, of: caller)
        try await count(charges, of: caller)
        let finding = try await hasher.verify(password.salted(with: name), account.password, place)
        guard finding != .wrong else { throw wrongPassword() }
        try await stored(try await store.forgive(charges, app: caller.app))
    }
}
