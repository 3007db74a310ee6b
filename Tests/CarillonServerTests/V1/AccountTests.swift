import CarillonAccountModel
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

/// People sign up and in over HTTP.
struct AccountTests {
    @Test("M-26 M-32 A person signs up and signs in, and the account is a User that a Device may claim")
    func signsUpAndIn() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let signedUp = try await person.signUp("alice.b@example.com")
            #expect(signedUp.status == .created)
            let first = try signedUp.session
            #expect(first.account.name == "alice.b@example.com" && first.account.displayName == "alice")
            #expect(!first.account.isGuest && first.account.user.rawValue.hasPrefix("acc_"))

            let signedIn = try await person.signIn("ALICE.B@example.com")
            #expect(signedIn.status == .ok)
            let second = try signedIn.session
            #expect(second.account == first.account && second.token != first.token)

            for session in [first, second] {
                let answer = try await person.get(session.token)
                #expect(try answer.session.account == first.account)
                #expect(try answer.session.token == nil)
            }
            // Before the first Device too.
            let shown = try await server.send(
                .get,
                "/v1/users/\(first.account.user)?app=\(person.app.app.id)",
                key: server.serverKey
            )
            let record: UserRecord = try shown.decoded()
            #expect(record.user == first.account.user && record.contacts.isEmpty)
            // The App is signed: only the proof claims the User.
            let proof = String(decoding: try JSONEncoder().encode(second.userProof), as: UTF8.self)
            let path = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
            let user = first.account.user
            for (proof, status) in [("", 403), (#","userProof":\#(proof)"#, 201)] {
                let body = #"{"consent":{"notifications":true},"user":"\#(user)"\#(proof)}"#
                let answer = try await server.send(.put, path, body, headers: server.device(person.app))
                #expect(answer.status.code == status)
            }
            let known = try await server.send(.get, "/v1/users?app=\(person.app.app.id)", key: server.serverKey)
            #expect(try known.decoded(Page<ListedUser>.self).items.map(\.user) == [user])
        }
    }

    @Test("M-24 An unknown name and a wrong password have the same answer, and no token")
    func hidesNames() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            _ = try await person.signUp()
            let answers = try await [
                person.signIn("alice", "wrong horse"), person.signIn("nobody", "wrong horse"),
                // No account can have these names.
                person.signIn(" alice ", "wrong horse"), person.signIn("pаypal", "wrong horse"),
            ]
            for answer in answers {
                #expect(answer.problem == "wrong-name-or-password" && answer.status.code == 403)
                #expect(answer.body == answers[0].body)
                #expect(answer.headers.map(\.name.rawName).sorted() == answers[0].headers.map(\.name.rawName).sorted())
            }
        }
    }

    @Test("M-25 A missing name or password is named, all at once")
    func namesFields() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            for path in ["/sign-in", "/sign-up"] {
                let answer = try await person.send(.post, path, "{}")
                let errors = try answer.decoded(Problem.self).errors ?? []
                #expect(errors.map(\.field) == ["name", "password"], "\(errors)")
            }
            let long = String(repeating: "x", count: 257)
            for (name, password, field) in [
                ("alice", "short", "password"), ("alice", long, "password"), (" alice", "correct horse", "name"),
                ("same as name", "same as name", "password"), ("", "correct horse", "name"),
            ] {
                let answer = try await person.signUp(name, password)
                #expect(answer.status.code == 422 && answer.field == field, "\(name)")
            }
            let huge = try await person.signIn("alice", String(repeating: "x", count: 1_000_000))
            #expect(huge.problem == "body-too-large")
            let wide = try await person.signUp("alice", String(repeating: "\u{1F468}\u{200D}\u{1F469}", count: 120))
            #expect(wide.field == "password")
        }
    }

    @Test("M-28 A name that exists is refused, and the old password stays valid")
    func keepsName() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            _ = try await person.signUp()
            for name in ["alice", "ALICE", "ａｌｉｃｅ"] {
                #expect(try await person.signUp(name, "another horse").problem == "account-name-taken")
            }
            #expect(try await person.signIn().status == .ok)
            #expect(try await person.signIn("alice", "another horse").status.code == 403)
        }
    }

    @Test("Of two sign-ups of one name at once one has it")
    func signsUpOnce() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    let name = number.isMultiple(of: 2) ? "alice" : "Alice"
                    group.addTask { try await person.signUp(name, "password \(number)").status.code }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.sorted() == [201] + Array(repeating: 409, count: 7))
            let app = person.app.app.id
            let listed = try await server.engine.accounts.list(app: app, prefix: nil, after: nil, limit: 9)
            #expect(listed.items.count == 1)
        }
    }

    @Test("M-34 M-35 M-36 A changed password is salted with the stored name, and ends other sessions")
    func changesPassword() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let other = try await person.signUp("Alice").token
            // Signed in with another case: the password is salted with the stored name all the same.
            let own = try await person.signIn("aLICE").token
            func change(_ old: String, _ new: String, _ token: String?) async throws -> TestResponse {
                try await person.send(
                    .put,
                    "/me/password",
                    #"{"oldPassword":"\#(old)","newPassword":"\#(new)"}"#,
                    token: token
                )
            }
            #expect(try await change("wrong horse", "another horse", own).problem == "wrong-name-or-password")
            #expect(try await change("correct horse", "another horse", nil).problem == "wrong-account-token")
            #expect(try await change("correct horse", "short", own).field == "newPassword")
            #expect(try await change("correct horse", "Alice", own).field == "newPassword")
            #expect(try await person.signIn().status == .ok)

            #expect(try await change("correct horse", "another horse", own).status == .ok)

            #expect(try await person.signIn().status.code == 403)
            #expect(try await person.signIn("alice", "another horse").status == .ok)
            #expect(try await person.get(own).status == .ok)
            #expect(try await person.get(other).problem == "wrong-account-token")

            // The vendor's app salts with the name as it was stored, and reaches the same password.
            let salted = SaltedPassword("another horse", name: "Alice")
            let session = try await server.engine.accounts.signIn("Alice", .salted(salted), by: person.caller())
            #expect(session.account.name == "Alice")
            let guest = try await person.send(.post, "/guest").token
            #expect(try await change("correct horse", "another horse", guest).problem == "account-without-password")
        }
    }

    @Test("M-37 Signing out ends the token, and twice is once")
    func signsOut() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let other = try await person.signUp().token
            let token = try await person.signIn().token
            for _ in 0..<2 {
                #expect(try await person.send(.post, "/me/sign-out", token: token).status == .noContent)
            }
            let answer = try await person.get(token)
            #expect(answer.status == .unauthorized && answer.problem == "wrong-account-token")
            #expect(answer.headers[.wwwAuthenticate]?.contains("Carillon-Account-Token") == true)
            #expect(try await person.get(other).status == .ok)
            #expect(try await person.send(.post, "/me/sign-out").status == .noContent)
        }
    }

    @Test("M-43 A token of one App is nobody's in another")
    func separatesApps() async throws {
        try await TestServer.run { server in
            let (person, stranger) = (try await server.makeAccounts(), try await server.makeAccounts())
            let token = try await person.signUp().token
            #expect(try await stranger.get(token).problem == "wrong-account-token")
            #expect(try await stranger.send(.post, "/me/sign-out", token: token).status == .noContent)
            #expect(try await person.get(token).status == .ok)
            #expect(try await stranger.signIn().status.code == 403)
            #expect(try await stranger.signUp().status == .created)
        }
    }

    @Test("A guest has no password until the person chooses one, and keeps the id")
    func namesGuest() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            _ = try await person.signUp("bob")
            let guest = try await person.send(.post, "/guest").session
            #expect(guest.account.isGuest && guest.account.name == nil && guest.account.displayName == "Guest")
            let token = try #require(guest.token)
            func choose(_ name: String) async throws -> TestResponse {
                let body = #"{"name":"\#(name)","password":"correct horse","displayName":"Al"}"#
                return try await person.send(.put, "/me/credentials", body, token: token)
            }
            #expect(try await choose("BOB").problem == "account-name-taken")
            #expect(try await person.get(token).session.account.isGuest)

            let named = try await choose("alice").session

            #expect(named.account.user == guest.account.user && named.account.displayName == "Al")
            #expect(try await person.get(token).session.account == named.account)
            #expect(try await person.signIn().session.account == named.account)
            #expect(try await choose("carol").problem == "account-has-password")
        }
    }

    @Test("Accounts are off until the App's rules turn them on, and sign-ups and guests apart")
    func followsRules() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let person = TestPerson(server: server, app: app)
            let path = "/v1/apps/\(app.app.id)/accounts"
            for answer in try await [person.signUp(), person.signIn(), person.send(.post, "/guest"), person.get("x")] {
                #expect(answer.problem == "accounts-off" && answer.status.code == 403)
            }
            let rules = try await server.send(.get, path, key: server.serverKey).decoded(AccountRules.self)
            #expect(rules == AccountRules())
            let wrong = #"{"isOn":true,"tokenDays":0,"guestDays":366,"guestsPerHour":0}"#
            let errors = try await server.send(.put, path, wrong, key: server.serverKey).decoded(Problem.self).errors
            #expect(errors?.map(\.field) == ["guestsPerHour", "tokenDays", "guestDays"])
            #expect(try await server.send(.put, path, #"{"isOn":true}"#, key: server.serverKey).status == .ok)
            #expect(try await person.signUp().status == .created)
            #expect(try await person.send(.post, "/guest").problem == "guests-off")
            let closed = #"{"isOn":true,"signUp":false}"#
            #expect(try await server.send(.put, path, closed, key: server.serverKey).status == .ok)
            #expect(try await person.signUp("bob").problem == "sign-up-off")
            #expect(try await person.signIn().status == .ok)
            let unknown = "/v1/apps/\(AppID(rawValue: 5))/accounts"
            #expect(try await server.send(.put, unknown, closed, key: server.serverKey).problem == "unknown-app")
        }
    }

    @Test("A person deletes the account with its User, by the password")
    func deletesOwn() async throws {
        try await TestServer.run { server in
            let person = try await server.makeAccounts()
            let session = try await person.signUp().session
            let proof = String(decoding: try JSONEncoder().encode(session.userProof), as: UTF8.self)
            let user = session.account.user
            let body = #"{"consent":{"notifications":true},"user":"\#(user)","userProof":\#(proof)}"#
            let path = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
            #expect(try await server.send(.put, path, body, headers: server.device(person.app)).status == .created)
            let token = session.token
            #expect(try await person.send(.post, "/me/delete", "{}", token: token).field == "password")
            let wrong = try await person.send(.post, "/me/delete", #"{"password":"wrong horse"}"#, token: token)
            #expect(wrong.problem == "wrong-name-or-password")

            let right = try await person.send(.post, "/me/delete", #"{"password":"correct horse"}"#, token: token)

            #expect(right.status == .noContent)
            #expect(try await person.get(token).problem == "wrong-account-token")
            #expect(try await person.signIn().status.code == 403)
            let known = try await server.send(.get, "/v1/users/\(user)?app=\(person.app.app.id)", key: server.serverKey)
            #expect(known.problem == "unknown-user")
            #expect(try await person.signUp().status == .created)
            let guest = try await person.send(.post, "/guest").token
            #expect(try await person.send(.post, "/me/delete", "{}", token: guest).status == .noContent)
            let other = try await person.send(.post, "/guest").token
            #expect(try await person.send(.post, "/me/delete", token: other).status == .noContent)
            let third = try await person.signUp("carol").session.token
            #expect(try await person.send(.post, "/me/delete", token: third).field == "password")
        }
    }
}
