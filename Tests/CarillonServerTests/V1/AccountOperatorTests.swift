import CarillonAccountModel
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// What operators do with accounts, and what vendors' apps need of the engine.
struct AccountOperatorTests {
    @Test("An operator creates, lists, shows, blocks and deletes accounts, and sets forgotten passwords")
    func operates() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let (key, query) = (server.serverKey, "?app=\(person.app.app.id)")
            func send(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async throws -> TestResponse
            {
                try await server.send(method, path.contains("?") ? path : path + query, body, key: key)
            }
            let created = try await send(.post, "/v1/accounts", #"{"name":"Alice","user":"u-1"}"#)
            #expect(created.status == .created)
            let secret = try created.decoded(AccountSecret.self)
            let password = try #require(secret.password)
            #expect(secret.account.user.rawValue == "u-1" && secret.account.state == .active && password.count == 16)
            #expect(try await send(.post, "/v1/accounts", #"{"name":"alice"}"#).problem == "account-name-taken")
            #expect(try await send(.post, "/v1/accounts", #"{"name":"al","user":"u-1"}"#).problem == "account-exists")
            #expect(try await send(.post, "/v1/accounts", #"{"name":"bob ","password":"x"}"#).status.code == 422)
            _ = try await send(.post, "/v1/accounts", #"{"name":"Bob","password":"correct horse"}"#)
            _ = try await send(.post, "/v1/accounts", #"{"name":"albert","password":"correct horse"}"#)
            _ = try await person.send(.post, "/guest")

            func list(_ query: String) async throws -> [String?] {
                let path = "/v1/accounts?app=\(person.app.app.id)" + query
                return try await send(.get, path).decoded(Page<AccountRecord>.self).items.map(\.name)
            }
            #expect(try await list("") == ["albert", "Alice", "Bob"])
            #expect(try await list("&prefix=AL") == ["albert", "Alice"])
            let first = try await send(.get, "/v1/accounts?app=\(person.app.app.id)&limit=1")
            let page = try first.decoded(Page<AccountRecord>.self)
            #expect(try await list("&limit=1&cursor=" + (page.nextCursor ?? "")) == ["Alice"])
            #expect(try await send(.get, "/v1/accounts?app=\(person.app.app.id)&cursor=%21").field == "cursor")

            let token = try await person.signIn("alice", password).token
            let blocked = try await send(.patch, "/v1/users/u-1/account", #"{"isBlocked":true}"#)
            #expect(try blocked.decoded(AccountRecord.self).state == .blocked)
            #expect(try await person.get(token).problem == "wrong-account-token")
            #expect(try await person.signIn("alice", password).problem == "account-blocked")
            // Who does not know the password does not learn it.
            #expect(try await person.signIn("alice", "wrong horse").problem == "wrong-name-or-password")
            let shown = #"{"isBlocked":false,"displayName":"A"}"#
            #expect(try await send(.patch, "/v1/users/u-1/account", shown).status == .ok)
            #expect(try await person.signIn("alice", password).session.account.displayName == "A")

            let reset = try await send(.put, "/v1/users/u-1/account/password", "{}").decoded(AccountSecret.self)
            #expect(try await person.signIn("alice", password).status.code == 403)
            #expect(try await person.signIn("alice", try #require(reset.password)).status == .ok)
            #expect(try await send(.put, "/v1/users/u-2/account/password", "{}").problem == "unknown-account")

            #expect(try await send(.delete, "/v1/users/u-1/account").status == .noContent)
            for method in [HTTPRequest.Method.get, .delete] {
                #expect(try await send(method, "/v1/users/u-1/account").problem == "unknown-account")
            }
            #expect(try await list("") == ["albert", "Bob"])
        }
    }

    @Test("A User who is being erased gets no account, which would be erased with the rest")
    func refusesErasedUser() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let (app, user) = (person.app.app.id, try #require(UserID(rawValue: "u-1")))
            func create() async throws -> TestResponse {
                let body = #"{"name":"alice","user":"u-1"}"#
                return try await server.send(.post, "/v1/accounts?app=\(app)", body, key: server.serverKey)
            }
            _ = try await server.stores.users.beginErasure(of: user, app: app, at: server.clock.now())
            let refused = try await create()
            #expect(refused.problem == "user-being-erased" && refused.status == .conflict)
            while try await server.engine.registry.users.continueErasures() {}
            #expect(try await create().status == .created)
        }
    }

    @Test("A list begins with a prefix as long as a name can be")
    func listsByLongPrefix() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            // Four bytes each.
            let name = String(repeating: "𠀀", count: 128)
            #expect(try await person.signUp(name).status == .created)
            func list(_ prefix: String) async throws -> TestResponse {
                let text = prefix.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                let path = "/v1/accounts?app=\(person.app.app.id)&prefix=\(text)"
                return try await server.send(.get, path, key: server.serverKey)
            }
            #expect(try await list(name).decoded(Page<AccountRecord>.self).items.map(\.name) == [name])
            #expect(try await list(name + "a").field == "prefix")
        }
    }

    @Test("A display name that turns text around is refused, of people and of operators")
    func checksDisplayNames() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let shown = "Al\u{202E}ice"
            let body = #"{"name":"alice","password":"correct horse","displayName":"\#(shown)"}"#
            #expect(try await person.send(.post, "/sign-up", body).field == "displayName")
            let path = "/v1/accounts?app=\(person.app.app.id)"
            #expect(try await server.send(.post, path, body, key: server.serverKey).field == "displayName")
            await #expect(throws: EngineError.self) {
                let credentials = AccountCredentials(name: "al", password: .plain("correct horse"), displayName: shown)
                _ = try await server.engine.accounts.register(credentials, by: person.caller())
            }
        }
    }

    @Test("An API key needs the scope, reads of accounts are recorded, and persons have pseudonyms in the log")
    func isRecorded() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let app = person.app.app.id
            let user = try await person.signUp().session.account.user
            let reader = try await server.makeKey(app, .read)
            let path = "/v1/users/\(user)/account"
            #expect(try await server.send(.get, path, key: reader).status == .ok)
            #expect(try await server.send(.delete, path, key: reader).problem == "missing-scope")
            #expect(try await server.send(.get, path).problem == "missing-credentials")
            #expect(try await server.send(.get, "/v1/accounts", key: reader).status == .ok)
            let log = try await server.send(.get, "/v1/audit?app=\(app)", key: server.serverKey)
            let text = String(buffer: log.body)
            for action in ["GET /v1/users/{user}/account", "DELETE /v1/users/{user}/account", "GET /v1/accounts"] {
                #expect(text.contains(action), "\(action)")
            }
            #expect(!text.contains(user.rawValue) && !text.contains("alice"))
        }
    }

    @Test("M-23 M-26 M-29 M-30 A vendor's app signs up in two steps, with salted passwords and short tokens")
    func registersInTwoSteps() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let (accounts, caller) = (server.engine.accounts, person.caller())
            let salted = AccountPassword.salted(SaltedPassword("secret", name: "alice"))
            let activation = try await accounts.register(.init(name: "alice", password: salted), by: caller)
            // It is nobody's account before the second step, and the name is taken.
            await #expect(throws: EngineError.account(.wrongNameOrPassword)) {
                try await accounts.signIn("alice", salted, by: caller)
            }
            await #expect(throws: EngineError.account(.nameTaken)) {
                try await accounts.register(.init(name: "Alice", password: salted), by: caller)
            }
            for wrong in ["", "x", String(repeating: "0", count: 32)] {
                await #expect(throws: EngineError.account(.wrongActivation)) {
                    try await accounts.activate(wrong, by: caller)
                }
            }

            let session = try await accounts.activate(activation, by: caller)

            let token = try #require(session.token)
            #expect(token.count == 32 && token.allSatisfy { "0123456789abcdef".contains($0) })
            #expect(try await accounts.sighting(of: token, by: caller) != .nobody(hadWrongToken: true))
            await #expect(throws: EngineError.account(.wrongActivation)) {
                try await accounts.activate(activation, by: caller)
            }
            let again = try await accounts.signIn("alice", salted, by: caller)
            #expect(again.token?.count == 32 && again.token != token)
            // The short password of the vendor's app is the one that V1 knows.
            #expect(try await person.signIn("alice", "secret").status == .ok)
        }
    }

    @Test("A sign-up that nobody completed gives its name back after a day")
    func forgetsIncomplete() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let (accounts, caller) = (server.engine.accounts, person.caller())
            let activation = try await accounts.register(
                .init(name: "alice", password: .plain("correct horse")),
                by: caller
            )
            server.clock.advance(byMilliseconds: 86_400_000)
            #expect(try await person.signUp().problem == "account-name-taken")
            server.clock.advance(byMilliseconds: 1)
            await #expect(throws: EngineError.account(.wrongActivation)) {
                try await accounts.activate(activation, by: caller)
            }
            #expect(try await person.signUp().status == .created)
        }
    }

    @Test("M-16 M-17 M-18 Who asks is nobody without a token, the person with one, and nobody with a wrong one")
    func tellsWho() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let (accounts, caller) = (server.engine.accounts, person.caller())
            #expect(try await accounts.sighting(of: nil, by: caller) == .nobody(hadWrongToken: false))
            for wrong in ["", "N/A", String(repeating: "f", count: 32), String(repeating: "x", count: 10_000)] {
                #expect(try await accounts.sighting(of: wrong, by: caller) == .nobody(hadWrongToken: true))
            }
            let session = try await person.signUp().session
            guard case .person(let seen) = try await accounts.sighting(of: session.token, by: caller) else {
                Issue.record("The token is nobody's.")
                return
            }
            #expect(seen.account == session.account && seen.account.displayName == "alice" && seen.token == nil)
        }
    }

    @Test("An export of the User has the account, without its password")
    func exportsAccount() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let user = try await person.signUp().session.account.user
            let path = "/v1/users/\(user)/export?app=\(person.app.app.id)"
            let lines = String(buffer: try await server.send(.get, path, key: server.serverKey).body)
            let line = try #require(lines.split(separator: "\n").first { $0.contains(#""kind":"account""#) })
            #expect(line.contains(#""name":"alice""#) && line.contains(#""state":"active""#))
            #expect(!lines.contains("password") && !lines.contains("hash"))
        }
    }

    @Test("The metrics count what people do at their accounts")
    func countsMetrics() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            _ = try await person.signUp()
            _ = try await person.signIn()
            _ = try await person.signIn("alice", "wrong horse")
            let page = String(buffer: try await server.send(.get, "/metrics", key: server.serverKey).body)
            for (result, count) in [("signed-up", 1), ("signed-in", 1), ("wrong", 1), ("limited", 0), ("busy", 0)] {
                #expect(page.contains("carillon_sign_ins_total{result=\"\(result)\"} \(count)"), "\(result)")
            }
        }
    }
}
