package import CarillonAccountModel
import CarillonModel
import CarillonOperatorModel

/// What a person chooses to sign in with.
package struct AccountCredentials: Hashable, Sendable {
    package var name: String
    package var password: AccountPassword
    /// `nil` for the name's part before `@`.
    package var displayName: String?

    package init(name: String, password: AccountPassword, displayName: String? = nil) {
        self.name = name
        self.password = password
        self.displayName = displayName
    }
}

extension Accounts {
    // MARK: Signing up

    /// Creates an account and signs the person in.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` for a name or password that is not allowed, ``AccountRefusal/nameTaken``,
    ///   ``AccountRefusal/signUpOff`` and others.
    package func signUp(
        _ credentials: AccountCredentials,
        by caller: AccountCaller
    ) async throws(EngineError) -> AccountSession {
        let rules = try await activeRules(for: caller)
        let account = try await newAccount(credentials, rules, caller)
        let (text, token) = newToken(caller, rules)
        try await insert(account, caller.app, token: token)
        metrics.add(.signedUp)
        return try await session(account, app: caller.app, token: text, expiresAt: token.expiresAt)
    }

    /// Creates an account that ``activate(_:by:)`` completes, as vendors' apps do in two steps.
    ///
    /// - Returns: What completes it, for a day: 32 hexadecimal digits.
    package func register(
        _ credentials: AccountCredentials,
        by caller: AccountCaller
    ) async throws(EngineError) -> String {
        let rules = try await activeRules(for: caller)
        var account = try await newAccount(credentials, rules, caller)
        account.isPending = true
        let text = AccountToken.make(.hexadecimal, random)
        try await insert(account, caller.app, activation: SecretHash(of: text))
        return text
    }

    /// Completes a sign-up and signs the person in.
    ///
    /// - Throws: ``AccountRefusal/wrongActivation`` when there is nothing to complete: unknown, too old or completed.
    package func activate(_ text: String, by caller: AccountCaller) async throws(EngineError) -> AccountSession {
        let rules = try await activeRules(for: caller)
        guard let hash = AccountToken.hash(of: text) else { throw .account(.wrongActivation) }
        let (token, new) = newToken(caller, rules)
        let begun = Timestamp(rawValue: clock.now().rawValue - Self.activationTime)
        let account = try await stored(
            try await store.activate(hash, app: caller.app, begunAfter: begun, token: new)
        )
        guard let account else { throw .account(.wrongActivation) }
        metrics.add(.signedUp)
        return try await session(account, app: caller.app, token: token, expiresAt: new.expiresAt)
    }

    /// Creates an account without a name and a password, which can get both later.
    ///
    /// - Throws: ``AccountRefusal/guestsOff``, ``AccountRefusal/tooMany(retryAfter:)`` and others.
    package func signUpGuest(by caller: AccountCaller) async throws(EngineError) -> AccountSession {
        let rules = try await activeRules(for: caller)
        guard rules.guests else { throw .account(.guestsOff) }
        let key = try await apps.facts(caller.app).identityKey
        let all = AttemptLimit(perHour: rules.guestsPerHour)
        let charges = [
            AttemptSubject.guests(caller.network).charge(options.limits.guests, key: key),
            AttemptSubject.allGuests.charge(all, key: key),
        ]
        try await count(charges, of: caller)
        let account = StoredAccount(
            user: try newUser(),
            name: nil,
            displayName: "Guest",
            password: nil,
            createdAt: clock.now()
        )
        let (text, token) = newToken(caller, rules)
        try await insert(account, caller.app, token: token)
        metrics.add(.guests)
        return try await session(account, app: caller.app, token: text, expiresAt: token.expiresAt)
    }

    // MARK: Signing in

    /// Signs a person in.
    ///
    /// The time and the answer are the same for an unknown name and for a wrong password. An attempt counts before the
    /// password is checked, so that many at once gain nothing; the right one does not count.
    ///
    /// - Throws: ``AccountRefusal/wrongNameOrPassword``, ``AccountRefusal/blocked`` after the right password,
    ///   ``AccountRefusal/tooMany(retryAfter:)``, ``AccountRefusal/busy`` and others.
    package func signIn(
        _ name: String,
        _ password: AccountPassword,
        by caller: AccountCaller
    ) async throws(EngineError) -> AccountSession {
        let rules = try await activeRules(for: caller)
        let place = try enter(caller.app, network: caller.network)
        let known = AccountName(named: name)
        let key = known?.key ?? AccountName.unknown
        let charges = try await self.charges(key, of: caller)
        try await count(charges, of: caller)
        let found = try await stored(try await store.account(named: key, app: caller.app))
        let salted = password.salted(with: found?.name ?? AccountName(stored: name, key: key))
        let hash = found?.isPending == false ? found?.password : nil
        let finding = try await hasher.verify(salted, hash, place)
        guard finding != .wrong, let found else { throw wrongPassword() }
        guard !found.isBlocked else { throw .account(.blocked) }
        let (text, token) = newToken(caller, rules)
        let rehashed: PasswordHash? = if case .rehashed(let hash) = finding { hash } else { nil }
        let isIn = try await stored(
            try await store.signIn(
                found,
                app: caller.app,
                token: token,
                rehashed: rehashed,
                forgiving: charges,
                sessionLimit: options.sessionLimit
            )
        )
        guard isIn else { throw wrongPassword() }
        metrics.add(.signedIn)
        return try await session(found, app: caller.app, token: text, expiresAt: token.expiresAt)
    }

    func wrongPassword() -> EngineError {
        metrics.add(.wrongPassword)
        return .account(.wrongNameOrPassword)
    }

    // MARK: - Private

    /// Checks what the person chose, counts the sign-up and hashes the password.
    private func newAccount(
        _ credentials: AccountCredentials,
        _ rules: AccountRules,
        _ caller: AccountCaller
    ) async throws(EngineError) -> StoredAccount {
        guard rules.signUp else { throw .account(.signUpOff) }
        let name = try checked(credentials)
        let place = try enter(caller.app, network: caller.network)
        let key = try await apps.facts(caller.app).identityKey
        try await count([AttemptSubject.signUps(caller.network).charge(options.limits.signUps, key: key)], of: caller)
        return try await hashedAccount(try newUser(), name, credentials, place)
    }

    func checked(_ credentials: AccountCredentials) throws(EngineError) -> AccountName {
        let name: AccountName
        do {
            name = try AccountName(credentials.name)
        } catch {
            throw .invalid(error)
        }
        if let problem = credentials.displayName.flatMap(AccountLimits.problem(ofDisplayName:)) {
            throw .wrong("displayName", problem)
        }
        try check(credentials.password, name, field: "password")
        return name
    }

    func hashedAccount(
        _ user: UserID,
        _ name: AccountName,
        _ credentials: AccountCredentials,
        _ place: PasswordHasher.Place
    ) async throws(EngineError) -> StoredAccount {
        StoredAccount(
            user: user,
            name: name,
            displayName: credentials.displayName ?? name.display,
            password: try await hasher.hash(credentials.password.salted(with: name), place),
            createdAt: clock.now()
        )
    }

    func insert(
        _ account: StoredAccount,
        _ app: AppID,
        token: NewAccountToken? = nil,
        activation: SecretHash? = nil
    ) async throws(EngineError) {
        let stale = Timestamp(rawValue: clock.now().rawValue - Self.activationTime)
        let result = try await stored(
            try await store.insert(account, app: app, token: token, activation: activation, staleBefore: stale)
        )
        switch result {
        case .done: return
        case .nameTaken: throw .account(.nameTaken)
        case .userTaken: throw .account(.userTaken)
        case .userErased: throw .account(.userErased)
        case .unknown: throw .notFound(.app)
        }
    }
}

extension AccountName {
    /// The key of all names that no account can have.
    static let unknown = "\u{1}"
}
