import CarillonAccountModel
import CarillonBytes
package import CarillonModel
package import CarillonOperatorModel

/// Who asks about an account.
package struct AccountCaller: Hashable, Sendable {
    package var app: AppID
    /// The address that attempts are counted by: an IPv4 address or an IPv6 /64 block.
    package var network: String
    /// How new tokens are written.
    package var form: AccountToken.Form
    /// Whether nobody between the caller and the server reads the request.
    package var isEncrypted: Bool

    package init(
        app: AppID,
        network: String,
        form: AccountToken.Form = .carillon,
        isEncrypted: Bool
    ) {
        self.isEncrypted = isEncrypted
        self.app = app
        self.network = network
        self.form = form
    }
}

/// Accounts of people, who sign in at the server itself.
///
/// An account is a User: its id is the User's. Passwords are hashed with scrypt, tokens are stored hashed, and all
/// attempts are counted in the store, so that neither a restart nor another node forgets them.
package struct Accounts: Sendable {
    /// The settings.
    package struct Options: Sendable {
        package var limits = AttemptLimits()
        package var passwords = PasswordHasher.Options()
        /// How many sessions an account has; the oldest ends when there is one more.
        package var sessionLimit = 20

        package init() {}
    }

    /// For how long a sign-up in two steps may be completed, in milliseconds.
    static let activationTime: Int64 = 86_400_000
    /// For how long a proof is valid, in seconds: enough to register the Device.
    static let proofSeconds: Int64 = 3_600

    let store: any AccountStore
    let users: Users
    let apps: Apps
    let ids: IDSource
    let clock: any WallClock
    let random: RandomBytes
    let options: Options
    package let hasher: PasswordHasher
    package let metrics = AccountMetrics()
    private let knownRules = CachedLookup<AppID, AccountRules>(capacity: 10_000, lifetime: .seconds(10))

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores the accounts.
    ///   - users: Erases the data of a deleted account.
    ///   - apps: The Apps, whose identity secrets sign proofs.
    ///   - ids: Generates the ids of sessions.
    ///   - clock: Decides whether a token has expired.
    ///   - options: The settings.
    ///   - random: Generates ids, tokens, salts and passwords.
    package init(
        store: any AccountStore,
        users: Users,
        apps: Apps,
        ids: IDSource,
        clock: any WallClock,
        options: Options = Options(),
        random: RandomBytes = .system
    ) {
        self.store = store
        self.users = users
        self.apps = apps
        self.ids = ids
        self.clock = clock
        self.options = options
        self.random = random
        hasher = PasswordHasher(options.passwords, random: random)
    }

    // MARK: Rules

    /// Returns an App's rules.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func rules(of app: AppID) async throws(EngineError) -> AccountRules {
        let rules = try await stored(try await store.rules(of: app))
        guard let rules else { throw .notFound(.app) }
        return rules
    }

    /// Sets an App's rules; they apply here at once, and on other nodes within ten seconds.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func setRules(_ rules: AccountRules, of app: AppID) async throws(EngineError) -> AccountRules {
        let isKept = try await stored(try await store.setRules(rules, of: app))
        knownRules.invalidate { known, _ in known == app }
        guard isKept else { throw .notFound(.app) }
        return rules
    }

    /// The rules of an App whose accounts are on; cached.
    func activeRules(_ app: AppID) async throws(EngineError) -> AccountRules {
        let rules = try await stored(
            try await knownRules.value(of: app) { () async throws(StoreError) in try await store.rules(of: app) }
        )
        guard let rules else { throw .notFound(.app) }
        guard rules.isOn else { throw .account(.off) }
        return rules
    }

    /// The rules for a caller, who may have to use TLS.
    func activeRules(for caller: AccountCaller) async throws(EngineError) -> AccountRules {
        let rules = try await activeRules(caller.app)
        guard caller.isEncrypted || !rules.requiresTLS else { throw .account(.insecure) }
        return rules
    }

    // MARK: Attempts

    /// Counts an attempt.
    ///
    /// - Throws: ``AccountRefusal/tooMany(retryAfter:)`` above a limit: nothing is counted then.
    func count(_ charges: [AttemptCharge], of caller: AccountCaller) async throws(EngineError) {
        let now = clock.now()
        let wait = try await stored(try await store.count(charges, app: caller.app, at: now))
        guard let wait else { return }
        metrics.add(.limited)
        throw .account(.tooMany(retryAfter: .milliseconds(wait.milliseconds)))
    }

    /// The attempts that a check of a password counts as, for a name that may be nobody's.
    func charges(_ key: String, of caller: AccountCaller) async throws(EngineError) -> [AttemptCharge] {
        let secret = try await apps.facts(caller.app).identityKey
        return [
            AttemptSubject.name(key).charge(options.limits.name, key: secret),
            AttemptSubject.address(caller.network).charge(options.limits.address, key: secret),
        ]
    }

    /// Takes a place among the passwords that are hashed.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - network: The caller's address; `nil` for operators.
    /// - Returns: The place, to be held while the password is hashed.
    /// - Throws: ``AccountRefusal/busy`` when none is free.
    func enter(_ app: AppID, network: String? = nil) throws(EngineError) -> PasswordHasher.Place {
        do {
            return try hasher.enter(app, network: network)
        } catch {
            metrics.add(.busy)
            throw error
        }
    }

    // MARK: Sessions

    /// A token of a new session.
    func newToken(
        _ caller: AccountCaller,
        _ rules: AccountRules,
        session: Int64? = nil
    ) -> (text: String, stored: NewAccountToken) {
        let text = AccountToken.make(caller.form, random)
        let now = clock.now()
        let stored = NewAccountToken(
            hash: SecretHash(of: text),
            session: session ?? ids.next(as: AccountSessionID.self).rawValue,
            createdAt: now,
            expiresAt: now.advanced(by: .seconds(86_400 * rules.tokenDays))
        )
        return (text, stored)
    }

    /// What the person gets: the account, a token, and a proof for the registration of the Device.
    func session(
        _ account: StoredAccount,
        app: AppID,
        token: String?,
        expiresAt: Timestamp
    ) async throws(EngineError) -> AccountSession {
        let key = try await apps.facts(app).identityKey
        let expires = clock.now().rawValue / 1_000 + Self.proofSeconds
        return AccountSession(
            account: Account(
                user: account.user,
                name: account.name?.text,
                displayName: account.displayName,
                createdAt: account.createdAt
            ),
            token: token,
            expiresAt: expiresAt,
            userProof: .signed(user: account.user, app: app, expires: expires, key: key)
        )
    }

    /// A new account's id: 128 random bits, since an id is all that a Device needs in an App with open identity.
    func newUser() throws(EngineError) -> UserID {
        guard let user = UserID(rawValue: "acc_" + Base64URL.encode(random(16))) else {
            throw .store(.failed("No id could be made for an account."))
        }
        return user
    }

    /// Checks a password to be set.
    func check(_ password: AccountPassword, _ name: AccountName, field: String) throws(EngineError) {
        if case .plain(let text) = password {
            if let problem = AccountLimits.problem(ofPassword: text, AccountLimits.newPasswords) {
                throw .wrong(field, problem)
            }
        }
        let salted = password.salted(with: name)
        guard salted != SaltedPassword(name.text, name: name.text), salted != SaltedPassword("", name: name.text) else {
            throw .wrong(field, "must not be the name, or empty")
        }
    }
}

/// The id of a session.
struct AccountSessionID: TimeOrderedID {
    static let prefix = "ses"
    let rawValue: Int64

    init(rawValue: Int64) { self.rawValue = rawValue }
}
