import CarillonAccountModel
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonServer
import CarillonStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

/// What attackers of accounts run into.
struct AccountLimitTests {
    @Test("Wrong passwords of a name are limited, whether the name exists or not, and many at once too")
    func limitsName() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            _ = try await person.signUp()
            for name in ["alice", "nobody"] {
                let codes = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<15 {
                        group.addTask { try await person.signIn(name, "guess \(number)").status.code }
                    }
                    return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
                }
                #expect(codes == [403: 10, 429: 5], "\(name)")
            }
            let refused = try await person.signIn()
            #expect(refused.problem == "too-many-requests")
            #expect(refused.headers[.retryAfter] == "60")

            server.clock.advance(byMilliseconds: 60_000)

            #expect(try await person.signIn().status == .ok)
            // The right password does not count.
            for _ in 0..<3 { #expect(try await person.signIn().status == .ok) }
        }
    }

    @Test("M-40 A restart forgets neither tokens nor attempts")
    func survivesRestart() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let token = try await person.signUp().token
            for number in 0..<10 { _ = try await person.signIn("alice", "guess \(number)") }
            // Another node on the same store, as after a restart: nothing of the first one's memory is there.
            let engine = try server.anotherEngine()
            let caller = person.caller(.carillon)
            #expect(try await engine.accounts.session(of: token, by: caller).account.name == "alice")
            await #expect(throws: EngineError.account(.tooMany(retryAfter: .seconds(60)))) {
                try await engine.accounts.signIn("alice", .plain("correct horse"), by: caller)
            }
        }
    }

    @Test("Wrong passwords of an address are limited over all names, and other addresses are not")
    func limitsAddress() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let accounts = server.engine.accounts
            for number in 0..<60 {
                await #expect(throws: EngineError.account(.wrongNameOrPassword)) {
                    try await accounts.signIn("name \(number)", .plain("x"), by: person.caller())
                }
            }
            await #expect(throws: EngineError.account(.tooMany(retryAfter: .seconds(10)))) {
                try await accounts.signIn("another", .plain("x"), by: person.caller())
            }
            await #expect(throws: EngineError.account(.wrongNameOrPassword)) {
                try await accounts.signIn("another", .plain("x"), by: person.caller(network: "192.0.2.2"))
            }
        }
    }

    @Test("Sign-ups and guests of an address are limited, and guests of the App in all")
    func limitsSignUps() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts { $0.guestsPerHour = 130 }
            let accounts = server.engine.accounts
            func signUp(_ number: Int) async throws -> AccountSession {
                let credentials = AccountCredentials(name: "name \(number)", password: .plain("correct horse"))
                return try await accounts.signUp(credentials, by: person.caller())
            }
            for number in 0..<20 { _ = try await signUp(number) }
            await #expect(throws: EngineError.account(.tooMany(retryAfter: .seconds(30)))) { try await signUp(20) }
            for _ in 0..<100 { _ = try await accounts.signUpGuest(by: person.caller()) }
            await #expect(throws: EngineError.account(.tooMany(retryAfter: .seconds(10)))) {
                try await accounts.signUpGuest(by: person.caller())
            }
            for _ in 0..<30 { _ = try await accounts.signUpGuest(by: person.caller(network: "2001:db8::/64")) }
            await #expect(throws: EngineError.self) {
                try await accounts.signUpGuest(by: person.caller(network: "192.0.2.3"))
            }
        }
    }

    @Test("M-20 M-21 M-41 A token is renewed at the end of its life, and the former one ends")
    func renewsToken() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts { $0.tokenDays = 4 }
            let first = try await person.signUp().token
            let day: Int64 = 86_400_000
            #expect(try await person.get(first).session.token == nil)
            server.clock.advance(byMilliseconds: 3 * day)

            let lost = try await person.get(first).token
            // A second request at the same time gets none; after a minute the answer counts as lost.
            #expect(try await person.get(first).session.token == nil)
            server.clock.advance(byMilliseconds: 60_000)
            let second = try await person.get(first).token
            #expect(try await person.get(lost).problem == "wrong-account-token")
            #expect(try await person.get(second).session.token == nil)
            // A request that was under way is answered still.
            #expect(try await person.get(first).status == .ok)
            server.clock.advance(byMilliseconds: 60_000)
            // Whoever copied the former one ends the session with it.
            #expect(try await person.get(first).problem == "wrong-account-token")
            #expect(try await person.get(second).problem == "wrong-account-token")

            let third = try await person.signIn().token
            server.clock.advance(byMilliseconds: 4 * day)
            #expect(try await person.get(third).problem == "wrong-account-token")
            #expect(server.engine.accounts.metrics.values[.reusedToken] == 1)
        }
    }

    @Test("A person has a bounded number of sessions; the oldest ends")
    func limitsSessions() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let first = try await person.signUp().token
            var tokens: [String] = []
            for _ in 0..<20 {
                server.clock.advance(byMilliseconds: 1)
                tokens.append(try await person.signIn().token)
            }
            #expect(try await person.get(first).problem == "wrong-account-token")
            for token in tokens { #expect(try await person.get(token).status == .ok) }
        }
    }

    @Test("M-42 The store has neither passwords nor tokens, and hashes are made anew when their cost is raised")
    func storesHashes() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let token = try await person.signUp().token
            let (id, key) = (person.app.app.id, AccountName.key(of: "alice"))
            let before = try #require(try await server.stores.accounts.account(named: key, app: id))
            let sent = SaltedPassword("correct horse", name: "alice")
            let password = try #require(before.password)
            for secret in [token, sent.text, "correct horse"] {
                #expect(!String(decoding: password.bytes, as: UTF8.self).contains(secret))
            }
            var dearer = Accounts.Options()
            dearer.passwords.parameters = .init(logRounds: 11, blockSize: 8, parallelism: 1)
            let engine = try server.anotherEngine(dearer)
            _ = try await engine.accounts.signIn("alice", .plain("correct horse"), by: person.caller())
            let after = try #require(try await server.stores.accounts.account(named: key, app: id)?.password)
            #expect(after.parameters.logRounds == 11 && after != password)
            #expect(try await person.signIn().status == .ok)
        }
    }

    @Test("Tokens, attempts, sign-ups and guests of the past are deleted; guests with Devices and used ones stay")
    func sweeps() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts { ($0.guestDays, $0.tokenDays) = (10, 60) }
            let accounts = server.engine.accounts
            let day: Int64 = 86_400_000
            let used = try await accounts.signUpGuest(by: person.caller())
            let phone = try await accounts.signUpGuest(by: person.caller())
            let tagged = try await accounts.signUpGuest(by: person.caller())
            for _ in 0..<250 { _ = try await accounts.signUpGuest(by: person.caller(network: "\(UUID())")) }
            _ = try await accounts.register(.init(name: "late", password: .plain("correct horse")), by: person.caller())
            _ = try await person.signIn("nobody")
            let registration = String(decoding: try JSONEncoder().encode(phone.userProof), as: UTF8.self)
            let user = phone.account.user
            let body = #"{"consent":{"notifications":true},"user":"\#(user)","userProof":\#(registration)}"#
            let path = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
            #expect(try await server.send(.put, path, body, headers: server.device(person.app)).status == .created)
            let attributes = "/v1/users/\(tagged.account.user)/attributes?app=\(person.app.app.id)"
            let set = try await server.send(.patch, attributes, #"{"attributes":{"a":1}}"#, key: server.serverKey)
            #expect(set.status == .ok)
            server.clock.advance(byMilliseconds: 5 * day)
            #expect(try await accounts.session(of: used.token, by: person.caller()).account == used.account)
            server.clock.advance(byMilliseconds: 7 * day)

            #expect(await retention(server).round())

            func count(_ sql: SQL) async throws -> Int {
                try await server.stores.database.read { try $0.first(sql, as: Int.self) ?? -1 }
            }
            #expect(try await count("SELECT count(*) FROM accounts") == 2)
            #expect(try await count("SELECT count(*) FROM user_attributes") == 0)
            #expect(try await count("SELECT count(*) FROM sign_in_attempts") == 0)
            #expect(try await count("SELECT count(*) FROM account_tokens") == 2)
            server.clock.advance(byMilliseconds: 60 * day)
            #expect(await retention(server).round())
            #expect(try await count("SELECT count(*) FROM account_tokens") == 0)
            #expect(try await count("SELECT count(*) FROM accounts") == 1)
        }
    }

    @Test("A guest who was used within the days stays, though a use is recorded to the day")
    func keepsUsedGuest() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts { $0.guestDays = 10 }
            let (accounts, hour) = (server.engine.accounts, Int64(3_600_000))
            let token = try await accounts.signUpGuest(by: person.caller()).token
            server.clock.advance(byMilliseconds: 23 * hour)
            _ = try await accounts.session(of: token, by: person.caller())
            server.clock.advance(byMilliseconds: 239 * hour)
            #expect(await retention(server).round())
            #expect(try await accounts.session(of: token, by: person.caller()).account.isGuest)
        }
    }

    @Test("M-44 An App may take passwords and tokens only over TLS, also behind a proxy")
    func requiresTLS() async throws {
        let proxies = try #require(TrustedProxies(["10.0.0.0/8"]))
        try await TestServer.run({ configuration, _ in configuration.trustedProxies = proxies }) { server in
            let person = try await server.makeAccounts { $0.requiresTLS = true }
            var caller = person.caller()
            caller.isEncrypted = false
            let accounts = server.engine.accounts
            await #expect(throws: EngineError.account(.insecure)) {
                try await accounts.signIn("alice", .plain("correct horse"), by: caller)
            }
            await #expect(throws: EngineError.account(.insecure)) {
                _ = try await accounts.signUp(.init(name: "alice", password: .plain("correct horse")), by: caller)
            }
            await #expect(throws: EngineError.account(.insecure)) { try await accounts.sighting(of: "x", by: caller) }
            // Without a socket there is no peer: nobody knows whether it is encrypted.
            #expect(try await person.signUp().problem == "tls-required")
            caller.isEncrypted = true
            _ = try await accounts.signUp(.init(name: "alice", password: .plain("correct horse")), by: caller)
        }
    }

    /// The daily job, without pauses.
    private func retention(_ server: TestServer) -> Retention {
        var options = Retention.Options()
        options.pause = .zero
        return Retention(
            options: options,
            store: server.stores.retention,
            apps: server.stores.apps,
            users: server.engine.registry.users,
            accounts: server.engine.accounts,
            clock: server.clock,
            logger: TestServer.logger
        )
    }
}
