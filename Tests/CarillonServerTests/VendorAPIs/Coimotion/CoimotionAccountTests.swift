import CarillonAccountModel
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// `core/user`: people who register, log in and out by COIMOTION's calls.
struct CoimotionAccountTests {
    @Test("M-16 M-18 Without a token, and with an invalid one, there is the guest as the guide prints it")
    func guests() async throws {
        try await CoimotionClient.run { client async throws in
            #expect(try await client.profile(nil).body == CoimotionFixtures.guest)
            for token in ["f700e0396cd48298c0b314592490bbce", "x", String(repeating: "é", count: 90)] {
                let reply = try await client.profile(token)
                #expect(reply.value == CoimotionFixtures.guest["value"] && reply.token == "", "\(token)")
                // An operation that anybody may call answers all the same.
                try await client.importEvents()
                let list = try await client.post("twShow/show/byCity/15", CoimotionFixtures.week, token: token)
                #expect(list.code == 0 && list.token == "" && list.list?.isEmpty == false)
            }
        }
        let settings = CoimotionSettings(code: CoimotionClient.code, guestName: "Guest")
        try await CoimotionClient.run(settings) { client async throws in
            #expect(try await client.profile(nil).value == .object(["dspName": "Guest", "isGuest": 1]))
        }
    }

    @Test("M-17 M-26 M-29 M-32 A person registers, activates, is known by the token, and logs in as well")
    func wholeWay() async throws {
        try await CoimotionClient.run { client async throws in
            let registered = try await client.register("alice@example.com")
            let activation = try #require(registered.value?["actID"]?.string)
            #expect(registered.code == 0 && registered.token == nil)
            let activated = try await client.post("core/user/activate/" + activation)
            let token = try #require(activated.token)
            #expect(activated.code == 0 && token.wholeMatch(of: /[0-9a-f]{32}/) != nil)

            let profile = try await client.profile(token)
            #expect(profile.value?["dspName"] == "alice" && profile.value?["isGuest"] == 0 && profile.token == nil)

            let login = try await client.login("alice@example.com")
            #expect(login.code == 0 && login.token != token)
            #expect(try await client.profile(login.token).value?["dspName"] == "alice")
            // A listing with a valid token says nothing of it.
            try await client.importEvents()
            #expect(try await client.post("twShow/show/catList", token: token).token == nil)
        }
    }

    @Test("A person's profile has the User and a proof, with which the App's pushes reach the person")
    func proof() async throws {
        try await CoimotionClient.run { client async throws in
            let profile = try await client.profile(try await client.signUp())
            let user = try #require(profile.value?["userID"]?.string)
            let proof = try client.text(try #require(profile.value?["userProof"]?.object))
            let answer = try await client.server.send(
                .put,
                "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301",
                #"{"consent":{"notifications":true},"user":"\#(user)","userProof":\#(proof)}"#,
                headers: client.server.device(client.secrets)
            )
            #expect(answer.status == .created)
        }
    }

    @Test("M-23 A login is answered as the guide prints it: Login Ok., and a token of 32 hexadecimal digits")
    func login() async throws {
        try await CoimotionClient.run { client async throws in
            _ = try await client.signUp()
            let reply = try await client.login()
            #expect(reply.names == CoimotionFixtures.login)
            #expect(reply.message == "Login Ok." && reply.token?.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        }
    }

    @Test("M-24 A wrong password and an unknown account have one answer, with a positive code and no token")
    func wrongPassword() async throws {
        try await CoimotionClient.run { client async throws in
            _ = try await client.signUp()
            let wrong = try await client.login("alice", "wrong horse")
            #expect(wrong.code == 3 && wrong.token == nil)
            #expect(try await client.login("nobody", "wrong horse").body == wrong.body)
            // An account that was not activated is none.
            _ = try await client.register("bob")
            #expect(try await client.login("bob").body == wrong.body)
        }
    }

    @Test("M-25 M-27 What is missing or differs has a code of its own, and nothing is created")
    func missing() async throws {
        try await CoimotionClient.run { client async throws in
            let good = CoimotionClient.salted("correct horse", "alice")
            let other = CoimotionClient.salted("battery staple", "alice")
            for (path, parameters, code) in [
                ("login", ["passwd": good], 1), ("login", ["accName": "", "passwd": good], 1),
                ("login", ["accName": "alice"], 2), ("register", ["passwd": good, "passwd2": good], 1),
                ("register", ["accName": " alice", "passwd": good, "passwd2": good], 1),
                ("register", ["accName": "alice", "passwd2": good], 2),
                ("register", ["accName": "alice", "passwd": good], 3),
                ("register", ["accName": "alice", "passwd": good, "passwd2": other], 3),
                ("register", ["accName": "alice", "passwd": "short", "passwd2": "short"], 2),
                ("register", ["accName": "alice", "passwd": good, "passwd2": good, "dspName": "\u{7}"], 6),
            ] as [(String, [String: JSONValue], Int64)] {
                let reply = try await client.post("core/user/" + path, parameters)
                #expect(reply.code == code, "\(path) \(parameters.keys.sorted()): \(reply.body)")
            }
            #expect(try await client.login().code == 3)
            #expect(try await client.register().code == 0)
        }
    }

    @Test("M-28 A name that is taken is -4, and the old password stays")
    func taken() async throws {
        try await CoimotionClient.run { client async throws in
            _ = try await client.signUp()
            #expect(try await client.register("alice", "battery staple").code == -4)
            #expect(try await client.register("ALICE", "battery staple").code == -4)
            #expect(try await client.login().code == 0)
        }
    }

    @Test("M-30 An activation is good once, and for a day")
    func activation() async throws {
        try await CoimotionClient.run { client async throws in
            let first = try #require(try await client.register().value?["actID"]?.string)
            #expect(try await client.post("core/user/activate/" + first).code == 0)
            #expect(try await client.post("core/user/activate/" + first).code == 1)
            #expect(try await client.post("core/user/activate/f700e0396cd48298c0b314592490bbce").code == 1)
            #expect(try await client.post("core/user/activate/x").code == 1)
            let late = try #require(try await client.register("bob").value?["actID"]?.string)
            client.server.clock.advance(byMilliseconds: 86_400_001)
            #expect(try await client.post("core/user/activate/" + late).code == 1)
        }
    }

    @Test("M-34 M-35 A password is changed with the old one alone; the new one holds, and a guest is refused")
    func changesPassword() async throws {
        try await CoimotionClient.run { client async throws in
            let token = try await client.signUp()
            let other = try #require(try await client.login().token)
            func change(
                _ old: String,
                _ new: String,
                _ token: String?,
                again: String? = nil
            ) async throws
                -> CoimotionReply
            {
                try await client.post(
                    "core/user/updPasswd",
                    [
                        "oldPasswd": CoimotionClient.salted(old, "alice"),
                        "passwd": CoimotionClient.salted(new, "alice"),
                        "passwd2": CoimotionClient.salted(again ?? new, "alice"),
                    ],
                    token: token
                )
            }
            #expect(try await change("wrong horse", "battery staple", token).code == 4)
            #expect(try await change("correct horse", "battery staple", token, again: "another one").code == 3)
            #expect(try await change("correct horse", "battery staple", nil).code == -1_000)
            let invalid = try await change("correct horse", "battery staple", "f700e0396cd48298c0b314592490bbce")
            #expect(invalid.code == -1_000 && invalid.token == "")
            #expect(try await client.post("core/user/updPasswd", [:], token: token).code == 1)
            #expect(try await client.login().code == 0)

            #expect(try await change("correct horse", "battery staple", token).code == 0)
            #expect(try await client.login().code == 3)
            #expect(try await client.login("alice", "battery staple").code == 0)
            // The session that changed it stays, all others end.
            #expect(try await client.profile(token).value?["isGuest"] == 0)
            #expect(try await client.profile(other).token == "")
        }
    }

    @Test("M-37 M-40 A logout ends the token; without one it lives on at another node, as after a restart")
    func logout() async throws {
        try await CoimotionClient.run { client async throws in
            let (first, second) = (try await client.signUp(), try #require(try await client.login().token))
            let elsewhere = try client.server.anotherEngine().accounts
            let caller = AccountCaller(app: client.app, network: "192.0.2.1", form: .hexadecimal, isEncrypted: true)
            #expect(try await elsewhere.session(of: first, by: caller).account.name == "alice")

            #expect(try await client.post("core/user/logout", token: first).body["errCode"] == 0)
            let after = try await client.profile(first)
            #expect(after.value == CoimotionFixtures.guest["value"] && after.token == "")
            #expect(try await client.profile(second).token == nil)
            // Neither a second logout nor one of nobody is an error.
            #expect(try await client.post("core/user/logout", token: first).code == 0)
            #expect(try await client.post("core/user/logout").code == 0)
        }
    }

    @Test("M-41 A token expires after the App's days, and is renewed in the last quarter of its life")
    func expiry() async throws {
        var rules = CoimotionClient.accounts
        rules.tokenDays = 4
        try await CoimotionClient.run(rules: rules) { client async throws in
            let token = try await client.signUp()
            client.server.clock.advance(byMilliseconds: 3 * 86_400_000 + 1_000)
            let renewed = try #require(try await client.profile(token).token)
            #expect(renewed != token && renewed.wholeMatch(of: /[0-9a-f]{32}/) != nil)
            #expect(try await client.profile(renewed).value?["isGuest"] == 0)
            client.server.clock.advance(byMilliseconds: 4 * 86_400_000)
            #expect(try await client.profile(renewed).token == "")
        }
    }

    @Test("M-42 What is stored of a password is not what arrives, and no answer has it")
    func storedPassword() async throws {
        try await CoimotionClient.run { client async throws in
            _ = try await client.signUp()
            let stored = try await client.server.stores.accounts.account(named: "alice", app: client.app)
            let password = try #require(stored?.password)
            let salted = SaltedPassword("correct horse", name: "alice")
            // Neither its text nor the bytes that the text means, anywhere.
            let digest = stride(from: 0, to: 40, by: 2).compactMap { place in
                UInt8(salted.text.dropFirst(place).prefix(2), radix: 16)
            }
            #expect(digest.count == 20)
            for secret in [Array(salted.text.utf8), digest, Array("correct horse".utf8)] {
                #expect(!password.bytes.indices.contains { password.bytes[$0...].starts(with: secret) })
            }
            // It is scrypt of what arrives, with a salt of its own.
            let salt = Array(password.bytes[4..<20])
            #expect(try PasswordHash(salted, salt: salt, parameters: password.parameters) == password)
            _ = try await client.signUp("bob")
            let other = try await client.server.stores.accounts.account(named: "bob", app: client.app)?.password
            #expect(try #require(other).bytes[4..<20] != password.bytes[4..<20])

            for reply in [try await client.login(), try await client.profile(nil)] {
                for secret in [salted.text, "correct horse"] { #expect(!reply.text.contains(secret)) }
            }
        }
    }

    @Test("M-43 A token of one App is nobody's in another")
    func otherApp() async throws {
        try await CoimotionClient.run { client async throws in
            let token = try await client.signUp()
            let other = try await client.server.makeAccounts().app.app.id
            let key = "another-key-of-the-app"
            let request = VendorAPIRequest(key: key, coimotion: CoimotionSettings(code: "otherApp"))
            _ = try await client.server.engine.vendorAPIs.turnOn(.coimotion, app: other, request)
            let reply = try await client.post("core/user/profile", token: token, key: key, code: "otherApp")
            #expect(reply.value?["isGuest"] == 1 && reply.token == "")
            // The key of one App opens no other.
            #expect(try await client.post("core/user/profile", token: token, code: "otherApp").code == -20)
        }
    }

    @Test("M-44 Where the App wants TLS, passwords and tokens that come without are refused")
    func requiresTLS() async throws {
        var rules = CoimotionClient.accounts
        rules.requiresTLS = true
        try await CoimotionClient.run(rules: rules) { client async throws in
            #expect(try await client.login().code == -20)
            #expect(try await client.register().code == -20)
            #expect(try await client.profile("f700e0396cd48298c0b314592490bbce").code == -20)
            #expect(try await client.profile(nil).code == 0)
        }
        let tls = try SelfSignedCertificate().serverConfiguration
        try await CoimotionClient.run(rules: rules) { configuration, _ in
            configuration.tls = tls
        } _: { client async throws in
            #expect(try await client.profile(try await client.signUp()).value?["isGuest"] == 0)
        }
    }

    @Test("A password that comes unsalted, as of March 2014, is the same one")
    func plainPasswords() async throws {
        try await CoimotionClient.run { client async throws in
            _ = try await client.signUp("小明", "密碼123密碼123")
            let reply = try await client.post(
                "core/user/login",
                ["accName": "小明", "passwd": "密碼123密碼123"]
            )
            #expect(reply.code == 0)
            // V1's sign-in is of the same account.
            let caller = AccountCaller(app: client.app, network: "192.0.2.1", isEncrypted: true)
            let session = try await client.server.engine.accounts.signIn("小明", .plain("密碼123密碼123"), by: caller)
            #expect(session.account.name == "小明")
        }
    }

    @Test("Without accounts there is the guest alone, and many wrong passwords have to wait")
    func rules() async throws {
        try await CoimotionClient.run(rules: AccountRules()) { client async throws in
            #expect(try await client.profile(nil).body == CoimotionFixtures.guest)
            #expect(try await client.profile("f700e0396cd48298c0b314592490bbce").token == "")
            #expect(try await client.login().code == -10)
            #expect(try await client.register().code == -10)
        }
        var closed = CoimotionClient.accounts
        closed.signUp = false
        try await CoimotionClient.run(rules: closed) { client async throws in
            #expect(try await client.register().code == -20)
        }
        try await CoimotionClient.run { client async throws in
            for _ in 1...10 { #expect(try await client.login("alice", "wrong horse").code == 3) }
            let limited = try await client.login("alice", "wrong horse")
            #expect(limited.code == -1 && limited.retryAfter != nil)
        }
    }
}
