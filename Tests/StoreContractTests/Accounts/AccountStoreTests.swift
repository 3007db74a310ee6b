import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

/// Accounts, their tokens and attempts, in each database.
struct AccountStoreTests {
    private let app = AppID(rawValue: 7)
    private let start = Timestamp(rawValue: 1_800_000_000_000)

    private func withStore(
        _ kind: StoreKind,
        _ body: (any AccountStore, Stores) async throws -> Void
    ) async throws {
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: start)
            let request = AppRequest(name: "Bus", bundleID: "org.example.bus")
            let secrets = SealedAppSecrets(keyHash: SecretHash(of: "k"), identitySecret: [1], receiptKey: [2])
            let app = App(id: app, request: request, createdAt: start)
            try await stores.apps.insert(StoredApp(app: app, secrets: secrets))
            try await body(stores.accounts, stores)
        }
    }

    private func account(_ user: String, _ name: String?, password: UInt8 = 1) throws -> StoredAccount {
        let salted = SaltedPassword("secret", name: name ?? "")
        let hash = try PasswordHash(
            salted,
            salt: [UInt8](repeating: password, count: 16),
            parameters: .init(logRounds: 10, blockSize: 1, parallelism: 1)
        )
        return StoredAccount(
            user: try #require(UserID(rawValue: user)),
            name: try name.map { try AccountName($0) },
            displayName: name ?? "Guest",
            password: name.map { _ in hash },
            createdAt: start
        )
    }

    private func token(_ text: String, session: Int64 = 1, at: Int64 = 0) -> NewAccountToken {
        NewAccountToken(
            hash: SecretHash(of: text),
            session: session,
            createdAt: Timestamp(rawValue: start.rawValue + at),
            expiresAt: Timestamp(rawValue: start.rawValue + at + 1_000_000)
        )
    }

    @Test(
        "An account is found by name and User, once each, and a name is unique in the App",
        arguments: StoreKind.allCases
    )
    func isUnique(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, _ in
            let alice = try account("u1", "Alice")
            func insert(_ account: StoredAccount, _ app: AppID? = nil) async throws -> AccountInsertion {
                try await store.insert(
                    account,
                    app: app ?? self.app,
                    token: nil,
                    activation: nil,
                    staleBefore: start
                )
            }
            #expect(try await insert(alice) == .done)
            #expect(try await insert(try account("u2", "ALICE")) == .nameTaken)
            #expect(try await insert(try account("u1", "bob")) == .userTaken)
            #expect(try await insert(alice, AppID(rawValue: 8)) == .unknown)
            for guest in ["g1", "g2"] { #expect(try await insert(try account(guest, nil)) == .done) }
            #expect(try await store.account(named: "alice", app: app) == alice)
            #expect(try await store.account(of: alice.user, app: app) == alice)
            #expect(try await store.account(named: "alice", app: AppID(rawValue: 8)) == nil)
            #expect(try await store.accounts(app: app, prefix: "", after: nil, limit: 9) == [alice])
            #expect(try await store.accounts(app: app, prefix: "b", after: nil, limit: 9) == [])
        }
    }

    @Test("Of several at once that want one name, one gets it", arguments: StoreKind.allCases)
    func takesNameOnce(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, _ in
            let accounts = try (0..<8).map { try account("u\($0)", $0.isMultiple(of: 2) ? "alice" : "Alice") }
            let results = try await withThrowingTaskGroup(of: AccountInsertion.self) { group in
                for account in accounts {
                    group.addTask {
                        try await store.insert(account, app: app, token: nil, activation: nil, staleBefore: start)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.filter { $0 == .done }.count == 1)
            #expect(results.filter { $0 == .nameTaken }.count == 7)
        }
    }

    @Test("A sign-up is completed once, and gives its name back when it is stale", arguments: StoreKind.allCases)
    func activates(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, _ in
            let (alice, activation) = (try account("u1", "alice"), SecretHash(of: "activation"))
            let pending = try await store.insert(
                alice,
                app: app,
                token: nil,
                activation: activation,
                staleBefore: start
            )
            #expect(pending == .done)
            #expect(try await store.account(named: "alice", app: app)?.isPending == true)
            func activate() async throws -> StoredAccount? {
                try await store.activate(
                    activation,
                    app: app,
                    begunAfter: Timestamp(rawValue: start.rawValue - 1),
                    token: token("t")
                )
            }
            let late = try await store.activate(activation, app: app, begunAfter: start, token: token("t"))
            #expect(late == nil)
            #expect(try await activate() == alice)
            #expect(try await activate() == nil)
            #expect(try await store.token(SecretHash(of: "t"), app: app)?.account == alice)

            let bob = try account("u2", "bob")
            for (user, stale, result) in [("u2", 0, .done), ("u3", 0, .nameTaken), ("u3", 1, .done)]
                as [(String, Int64, AccountInsertion)]
            {
                var other = bob
                other.user = try #require(UserID(rawValue: user))
                let inserted = try await store.insert(
                    other,
                    app: app,
                    token: nil,
                    activation: SecretHash(of: user),
                    staleBefore: Timestamp(rawValue: start.rawValue + stale)
                )
                #expect(inserted == result)
            }
        }
    }

    @Test("A session's tokens follow each other, and a new password ends the others", arguments: StoreKind.allCases)
    func followsTokens(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, _ in
            let alice = try account("u1", "alice")
            _ = try await store.insert(alice, app: app, token: token("a"), activation: nil, staleBefore: start)
            func state(_ text: String) async throws -> StoredAccountToken.State? {
                try await store.token(SecretHash(of: text), app: app)?.token.state
            }
            #expect(try await store.renew(token("b", at: 5), of: alice.user, app: app))
            // Of two requests at once the second one gets none, and the first one's stays.
            #expect(try await store.renew(token("x", at: 9), of: alice.user, app: app) == false)
            #expect(try await state("b") == .next)
            #expect(try await store.renew(token("c", at: 60_005), of: alice.user, app: app))
            let next = Timestamp(rawValue: start.rawValue + 60_005)
            #expect(try await store.token(SecretHash(of: "a"), app: app)?.next == next)
            #expect(try await state("b") == nil)
            let found = try #require(try await store.token(SecretHash(of: "c"), app: app)).token
            for _ in 0..<2 { try await store.promote(SecretHash(of: "c"), of: found, app: app, at: start) }
            #expect(try await state("a") == .former)
            #expect(try await state("c") == .current)
            #expect(try await store.renew(token("d", session: 2), of: alice.user, app: app) == false)

            for session in 3...6 as ClosedRange<Int64> {
                let isIn = try await store.signIn(
                    alice,
                    app: app,
                    token: token("s\(session)", session: session),
                    rehashed: nil,
                    forgiving: [],
                    sessionLimit: 3
                )
                #expect(isIn)
            }
            #expect(try await state("c") == nil)
            #expect(try await state("s3") == nil)
            #expect(try await state("s4") == .current)

            let new = try account("u1", "alice", password: 2).password
            let hash = try #require(new)
            #expect(try await !store.setPassword(hash, of: alice.user, app: app, replacing: hash, keeping: 6))
            #expect(try await store.setPassword(hash, of: alice.user, app: app, replacing: alice.password, keeping: 6))
            #expect(try await state("s5") == nil)
            #expect(try await state("s6") == .current)
            // What was verified is not the password any more.
            let stale = try await store.signIn(
                alice,
                app: app,
                token: token("x"),
                rehashed: nil,
                forgiving: [],
                sessionLimit: 3
            )
            #expect(!stale)
            var block = AccountUpdate()
            block.isBlocked = true
            #expect(try await store.update(alice.user, app: app, block)?.isBlocked == true)
            #expect(try await state("s6") == nil)
        }
    }

    @Test("Nothing is left of a session that ends while it is renewed", arguments: StoreKind.allCases)
    func endsRenewedSession(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, stores in
            let alice = try account("u1", "alice")
            _ = try await store.insert(alice, app: app, token: token("a"), activation: nil, staleBefore: start)
            for round in 2..<22 as Range<Int64> {
                let isIn = try await store.signIn(
                    alice,
                    app: app,
                    token: token("s\(round)", session: round),
                    rehashed: nil,
                    forgiving: [],
                    sessionLimit: 100
                )
                #expect(isIn)
                async let renewed = store.renew(token("n\(round)", session: round), of: alice.user, app: app)
                async let ended: Void = store.endSession(round, of: alice.user, app: app)
                _ = try await (renewed, ended)
            }
            #expect(try await count("SELECT count(*) FROM account_tokens", stores) == 1)
        }
    }

    @Test("Nothing is left of an account that is erased while its person signs in", arguments: StoreKind.allCases)
    func erasesWhileSigningIn(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, stores in
            for round in 0..<20 {
                let person = try account("u\(round)", "alice \(round)")
                let activation = SecretHash(of: "activation \(round)")
                _ = try await store.insert(person, app: app, token: nil, activation: activation, staleBefore: start)
                async let active = store.activate(
                    activation,
                    app: app,
                    begunAfter: Timestamp(rawValue: 0),
                    token: token("t\(round)")
                )
                async let erasure = stores.users.beginErasure(of: person.user, app: app, at: start)
                _ = try await (active, erasure)
            }
            #expect(try await count("SELECT count(*) FROM account_tokens", stores) == 0)
            #expect(try await count("SELECT count(*) FROM accounts", stores) == 0)
        }
    }

    @Test("Many attempts at once that forget the same old ones do not wait in a circle", arguments: StoreKind.allCases)
    func forgetsAtOnce(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, stores in
            let limit = AttemptLimit(burst: 3, interval: .seconds(10))
            let charges = (0..<40).map { AttemptCharge(subject: [UInt8](repeating: $0, count: 16), limit: limit) }
            for charge in charges { #expect(try await store.count([charge], app: app, at: start) == nil) }
            let later = start.advanced(by: .seconds(3_600))
            let waits = try await withThrowingTaskGroup(of: AttemptWait?.self) { group in
                for charge in charges.reversed() {
                    group.addTask { try await store.count([charge], app: app, at: later) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(waits.allSatisfy { $0 == nil })
            #expect(try await count("SELECT count(*) FROM sign_in_attempts", stores) == 40)
        }
    }

    private func count(_ sql: SQL, _ stores: Stores) async throws -> Int {
        try await stores.database.read { try $0.first(sql, as: Int.self) ?? -1 }
    }

    @Test("Attempts count together, and those at once do not pass the limit", arguments: StoreKind.allCases)
    func countsAttempts(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, _ in
            let name = AttemptCharge(
                subject: [UInt8](repeating: 1, count: 16),
                limit: AttemptLimit(burst: 3, interval: .seconds(10))
            )
            let address = AttemptCharge(
                subject: [UInt8](repeating: 2, count: 16),
                limit: AttemptLimit(burst: 9, interval: .seconds(1))
            )
            let waits = try await withThrowingTaskGroup(of: AttemptWait?.self) { group in
                for number in 0..<12 {
                    let charges = number.isMultiple(of: 2) ? [name, address] : [address, name]
                    group.addTask { try await store.count(charges, app: app, at: start) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(waits.filter { $0 == nil }.count == 3)
            // The refused ones did not count against the address either.
            for _ in 0..<6 { #expect(try await store.count([address], app: app, at: start) == nil) }
            #expect(try await store.count([address], app: app, at: start) == AttemptWait(milliseconds: 1_000))
        }
    }
}
