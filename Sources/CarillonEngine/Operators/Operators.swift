import CarillonModel
package import CarillonOperatorModel
import Crypto
import Foundation
import NIOConcurrencyHelpers

/// Operators: who they are, how they sign in at the console, and who may change them.
///
/// Sessions, links, failed attempts and used codes are in the store, which is asked each time: what one node ends has ended
/// on all of them. Nothing here writes to the audit log; the caller does, with what ``OperatorChange`` has for it.
package struct Operators: Sendable {
    /// The settings.
    package struct Options: Sendable {
        /// How passwords are hashed: 128 MiB each, two at a time.
        package var passwords = PasswordHasher.Options.operators
        /// From which role on a second factor is needed; `nil` for none.
        package var secondFactorFrom: OperatorRole? = .sender
        /// After which time without use a session ends.
        package var idleTime = Duration.seconds(3_600)
        /// After which time a session ends in any case.
        package var lifetime = Duration.seconds(43_200)
        /// How old the last password or code may be for what needs a fresh one.
        package var freshness = Duration.seconds(900)
        /// How long the link for the first Operator is valid.
        package var setupTime = Duration.seconds(3_600)
        /// How long invitations and links for new passwords are valid.
        package var linkTime = Duration.seconds(86_400)
        /// Wrong passwords and codes of an address: 60 an hour.
        package var addresses = AttemptLimit(burst: 60, interval: .seconds(60))
        /// How many whole sessions an Operator has; the oldest ends when somebody signs in and there are more.
        package var sessionLimit = 20
        /// What accounts of identity providers and proxies may do.
        package var outside = OutsideRules()

        package init() {}
    }

    let store: any OperatorStore
    private let apps: Apps
    let vault: Vault
    let ids: IDSource
    let clock: any WallClock
    let random: RandomBytes
    package let options: Options
    package let hasher: PasswordHasher
    /// True for good once there is an admin: the last one can be neither removed nor demoted nor disabled.
    private let hasAdmin = NIOLockedValueBox(false)

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores Operators.
    ///   - apps: The Apps, whose names must not be in a password.
    ///   - vault: Seals the secrets of second factors.
    ///   - ids: Generates ids.
    ///   - clock: Decides what has expired.
    ///   - options: The settings.
    ///   - random: Generates values of sessions, links, secrets and salts.
    package init(
        store: any OperatorStore,
        apps: Apps,
        vault: Vault,
        ids: IDSource,
        clock: any WallClock,
        options: Options = Options(),
        random: RandomBytes = .system
    ) {
        self.store = store
        self.apps = apps
        self.vault = vault
        self.ids = ids
        self.clock = clock
        self.options = options
        self.random = random
        hasher = PasswordHasher(options.passwords, random: random)
    }

    /// Whether there is an Operator who can administer; before that the console asks for the setup link.
    package func isSetUp() async throws(EngineError) -> Bool {
        if hasAdmin.withLockedValue({ $0 }) { return true }
        let found = try await stored(try await store.hasAdmin())
        if found { hasAdmin.withLockedValue { $0 = true } }
        return found
    }

    /// Deletes some expired sessions, links and counts of attempts.
    ///
    /// - Returns: Whether there may be more.
    /// - Throws: ``StoreError``.
    func dropExpired(limit: Int) async throws(StoreError) -> Bool {
        let now = clock.now()
        return try await store.dropExpired(
            at: now,
            idleBefore: now.advanced(by: .zero - options.idleTime),
            limit: limit
        )
    }

    // MARK: Sessions

    /// Whether an Operator with a role needs a second factor.
    func needsSecondFactor(_ roles: OperatorRoles) -> Bool {
        guard let least = options.secondFactorFrom, let greatest = roles.greatest else { return false }
        return greatest >= least
    }

    /// A stored session as the console sees it.
    func session(_ found: StoredOperatorSession) -> OperatorSession {
        let owner = found.owner.record
        let stage: OperatorSession.Stage =
            if isWhole(found.method) {
                .full
            } else if owner.hasSecondFactor {
                found.isFull ? .full : .secondFactor
            } else {
                needsSecondFactor(owner.roles) ? .enrolment : .full
            }
        return OperatorSession(
            id: found.id,
            owner: owner,
            method: found.method,
            stage: stage,
            createdAt: found.createdAt,
            usedAt: found.usedAt,
            authenticatedAt: found.authenticatedAt,
            expiresAt: found.createdAt.advanced(by: options.lifetime),
            idleAt: found.usedAt.advanced(by: options.idleTime),
            address: found.address,
            client: found.client,
            failedAttempts: found.failedAttempts
        )
    }

    /// Returns the session of a value, if it has neither ended nor expired.
    func validSession(
        _ value: String
    ) async throws(EngineError) -> (found: StoredOperatorSession, shown: OperatorSession) {
        guard let hash = SessionValue.hash(of: value) else { throw .operators(.noSession) }
        let found = try await stored(try await store.session(hash))
        guard let found, found.owner.record.state == .active else { throw .operators(.noSession) }
        let (shown, now) = (session(found), clock.now())
        guard now < shown.expiresAt, now < shown.idleAt else { throw .operators(.noSession) }
        return (found, shown)
    }

    /// A new session to be stored.
    func newSession(
        _ value: String,
        isFull: Bool,
        _ method: OperatorSession.Method = .password,
        by caller: OperatorCaller
    ) -> NewOperatorSession {
        NewOperatorSession(
            id: ids.next(),
            value: SecretHash(of: value),
            isFull: isFull,
            method: method,
            at: clock.now(),
            address: caller.address,
            client: caller.client
        )
    }

    // MARK: Attempts

    /// What an attempt is counted under.
    enum AttemptKind: String {
        case name, code, passkey
    }

    /// An attempt of a caller.
    ///
    /// - Parameters:
    ///   - kind: Passwords or codes.
    ///   - key: The key of the name, whoever has it, or the Operator's id.
    ///   - caller: Where the request comes from.
    /// - Returns: The attempt. Who knows the password alone must not make the owner wait with wrong codes.
    func attempt(_ kind: AttemptKind, _ key: String, by caller: OperatorCaller) -> OperatorAttempt {
        func subject(_ parts: String...) -> [UInt8] {
            let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
            return Array(SHA256.hash(data: Data("operator attempts \(text)".utf8)).prefix(16))
        }
        return OperatorAttempt(
            account: subject(kind.rawValue, key),
            own: subject(kind.rawValue, key, caller.network),
            address: AttemptCharge(subject: subject("address", caller.network), limit: options.addresses)
        )
    }

    /// Counts an attempt, as wrong until it was right.
    ///
    /// - Throws: ``OperatorRefusal/tooMany(retryAfter:)``.
    func begin(_ attempt: OperatorAttempt) async throws(EngineError) {
        let wait = try await stored(try await store.begin(attempt, at: clock.now()))
        if let wait { throw .operators(.tooMany(retryAfter: .milliseconds(wait.milliseconds))) }
    }

    /// Records a wrong password or code; returns what to throw.
    func failed(_ id: OperatorID?) async throws(EngineError) -> EngineError {
        try await stored(try await store.recordFailure(of: id))
        return .operators(.wrongCredentials(of: id))
    }

    // MARK: Passwords

    /// Takes a place for an attempt that was counted; without a free one nothing was tried, and it does not count.
    func enter(_ caller: OperatorCaller, for attempt: OperatorAttempt) async throws(EngineError) -> PasswordHasher.Place
    {
        do throws(EngineError) {
            return try enter(caller)
        } catch {
            try await stored(try await store.cancel(attempt, at: clock.now()))
            throw error
        }
    }

    /// Takes a place among the passwords that are hashed.
    func enter(_ caller: OperatorCaller) throws(EngineError) -> PasswordHasher.Place {
        do {
            return try hasher.enter(network: caller.network)
        } catch {
            throw .operators(.busy)
        }
    }

    func verify(
        _ password: String,
        _ hash: PasswordHash?,
        _ place: PasswordHasher.Place
    ) async throws(EngineError) -> PasswordHasher.Finding {
        do {
            return try await hasher.verify(OperatorPassword(password), hash, place)
        } catch {
            throw .operators(.busy)
        }
    }

    /// Checks the rules of a new password.
    ///
    /// - Throws: ``EngineError/invalid(_:)``.
    func check(new password: String, names: [String], field: String) async throws(EngineError) {
        let apps = try await apps.list(after: nil, limit: 1_000).items.map(\.name)
        if let problem = OperatorPassword(password).problem(names: names + apps) { throw .wrong(field, problem) }
    }

    /// Checks and hashes a new password.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - names: The Operator's names.
    ///   - field: The name of the field, for errors.
    ///   - place: A place among the passwords that are hashed.
    /// - Returns: The hash.
    /// - Throws: ``EngineError/invalid(_:)``, ``OperatorRefusal/busy``.
    func hash(
        new password: String,
        names: [String],
        field: String = "password",
        _ place: PasswordHasher.Place
    ) async throws(EngineError) -> PasswordHash {
        try await check(new: password, names: names, field: field)
        do {
            return try await hasher.hash(OperatorPassword(password), place)
        } catch {
            throw .operators(.busy)
        }
    }
}

extension StoredOperator {
    /// What must not be in the password: the names, and what stands before the at sign.
    var names: [String] { Self.names(address: name.text, displayName: record.displayName) }

    static func names(address: String, displayName: String) -> [String] {
        [address, String(address.prefix { $0 != "@" }), displayName]
    }
}
