import Foundation
import Testing

@testable import Coim

@Suite("Passwords")
struct PasswordTests {
    @Test(
        "SHA-1 of the standard's samples, and of lengths around a block's end",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
            (String(repeating: "a", count: 55), "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
            (String(repeating: "a", count: 56), "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
            (String(repeating: "a", count: 63), "03f09f5b158a7a8cdad920bddc29b81c18a551f5"),
            (String(repeating: "a", count: 64), "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
            (String(repeating: "a", count: 119), "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"),
            (String(repeating: "a", count: 1_000), "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
        ]
    )
    func hashes(text: String, digest: String) {
        #expect(SHA1.hexadecimal(text) == digest)
    }

    @Test(
        "M-22 a password is sent as every SDK of the vendor's sends it",
        arguments: [
            ("alice", "secret", "4458181e25ee28c136b342effebfdf1e2b7c6652"),
            ("guest01", "Passw0rd!", "dbdd4d0a77395956198c339c33593f79a1d4ea56"),
            ("user@example.com", "p@ss word", "cd9b82efd92e9bac71d53c7a6fba8fd6f8bdfbe8"),
            ("小明", "密碼123", "9b9b379ddbf42e9d4b05ee330bc53ab75b8b211f"),
        ]
    )
    func salts(account: String, password: String, sent: String) async {
        let server = ScriptedServer()
        let phone = await CoimPhone(server).start()
        _ = await phone.logIn(account, password)

        let body = server.requests.first?.body
        #expect(body?["accName"] == account && body?["passwd"] == sent)
    }

    @Test("M-36 a password is changed with the salt of the account that is logged in")
    func changes() async {
        let server = ScriptedServer(["core/user/login": Fixtures.login])
        let phone = await CoimPhone(server).start()
        _ = await phone.logIn("guest01")
        let change = ["oldPasswd": "Passw0rd!", "passwd": "new", "passwd2": "new", "accName": "alice"]
        await phone.call { coimSDK.updatePasswd(change, delegate: $0) }

        let request = server.requests.last
        let new = SaltedPassword.transform("new", account: "guest01")
        #expect(request?.operation == "core/user/updPasswd" && request?.token == Fixtures.token)
        #expect(request?.body["oldPasswd"] == "dbdd4d0a77395956198c339c33593f79a1d4ea56")
        #expect(request?.body["passwd"] == new && request?.body["passwd2"] == new)
    }

    @Test("M-36 a guest has no password to change, and nothing is sent") func guestChangesNothing() async {
        let server = ScriptedServer()
        let phone = await CoimPhone(server).start()
        let change = ["oldPasswd": "a", "passwd": "b", "passwd2": "b"]
        let listener = await phone.call { coimSDK.updPasswd(change, aDelegate: $0) }

        #expect(await listener.error?.code == -98 && server.requests.isEmpty)
    }

    @Test(
        "M-85 a call that lacks name or password is refused on the phone",
        arguments: [
            [:], ["accName": "alice"], ["passwd": "secret", "passwd2": "secret"], ["accName": "", "passwd": "secret"],
            ["accName": "alice", "passwd": ""],
        ]
    )
    func refusesLacks(parameters: [String: String]) async {
        let server = ScriptedServer(["core/user/login": Fixtures.login])
        let phone = await CoimPhone(server).start()
        let login = await phone.call {
            coimSDK.login(to: "core/user/login", withParameter: parameters, delegate: $0)
        }
        let registration = await phone.call { coimSDK.register(withParameter: parameters, delegate: $0) }
        let change = await phone.call { coimSDK.updatePasswd(parameters, delegate: $0) }

        for listener in [login, registration, change] {
            #expect(await listener.heard == ["error"])
            let error = await listener.error
            #expect(error?.domain == "com.coimotion.csdk" && error?.code == -98)
            #expect(error?.localizedDescription.hasPrefix("Wrong Parameters") == true)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("M-85 a registration without its second password, a change without the old one, and no parameters at all")
    func refusesMore() async {
        let server = ScriptedServer(["core/user/login": Fixtures.login])
        let phone = await CoimPhone(server).start()
        _ = await phone.logIn()
        let half = ["accName": "alice", "passwd": "secret"]
        let listeners = [
            await phone.call { coimSDK.register(half, aDelegate: $0) },
            await phone.call { coimSDK.updPasswd(["passwd": "b", "passwd2": "b"], aDelegate: $0) },
            await phone.call { coimSDK.loginTo("core/user/login", params: nil, aDelegate: $0) },
        ]
        for listener in listeners { #expect(await listener.error?.code == -98) }
        #expect(server.requests.count == 1)
    }
}
