import Carillon
import FacadeSupport
import Foundation
import Testing

@testable import Coim

@Suite("Sessions")
struct SessionTests {
    /// A phone on which somebody is logged in; the server answers profiles with the given text.
    private func loggedIn(profile: String, memory: Memory = Memory()) async -> (CoimPhone, ScriptedServer) {
        let server = ScriptedServer(["core/user/login": Fixtures.login, "core/user/profile": profile])
        let phone = await CoimPhone(server, memory: memory).start()
        _ = await phone.logIn()
        return (phone, server)
    }

    @Test("M-15 a phone without a session sends no token") func sendsNoToken() async {
        let server = ScriptedServer()
        let phone = await CoimPhone(server).start()
        _ = await phone.send("core/user/profile")
        #expect(server.requests.map(\.token) == [nil])
        #expect(await phone.token == "")
    }

    @Test("M-19 an empty token deletes the stored one; the delegate hears that first, then the answer")
    func invalidToken() async {
        let invalid = #"{"errCode":0,"message":"Ok","value":{"dspName":"guest","isGuest":1},"token":""}"#
        let (phone, server) = await loggedIn(profile: invalid)
        let listener = await phone.send("core/user/profile")

        #expect(await listener.heard == ["data", "invalid token", "answer", "end"])
        #expect(await phone.token == "")
        #expect(await phone.run { coimSDK.getProperty("accName") } == nil)
        _ = await phone.send("core/user/profile")
        #expect(server.requests.map(\.token) == [nil, Fixtures.token, nil])
    }

    @Test("M-19 an empty token says nothing of a newer one, nor of a session that began later")
    func staleInvalidToken() async {
        let gate = Gate()
        let invalid = #"{"errCode":0,"token":""}"#
        let server = ScriptedServer { request in
            guard request.operation == "slow/a/b" else { return .json(Fixtures.login) }
            await gate.pass()
            return .json(invalid)
        }
        let phone = await CoimPhone(server).start()
        let listener = Listener()
        await phone.run { _ = coimSDK.send(to: "slow/a/b", withParameter: nil, delegate: listener) }
        await gate.arrival()
        _ = await phone.logIn()
        gate.open()
        await listener.finish()

        #expect(await listener.heard == ["data", "answer", "end"])
        #expect(await phone.token == Fixtures.token)
    }

    @Test("M-19 an empty token for one that another answer has replaced meanwhile deletes nothing")
    func rotatedMeanwhile() async {
        let gate = Gate()
        let server = ScriptedServer { request in
            switch request.operation {
            case "core/user/login": return .json(Fixtures.login)
            case "core/user/profile": return .json(#"{"errCode":0,"token":"0123"}"#)
            default: await gate.pass()
            }
            return .json(#"{"errCode":0,"token":""}"#)
        }
        let phone = await CoimPhone(server).start()
        _ = await phone.logIn()
        let listener = Listener()
        await phone.run { _ = coimSDK.send(to: "slow/a/b", withParameter: nil, delegate: listener) }
        await gate.arrival()
        _ = await phone.send("core/user/profile")
        gate.open()
        await listener.finish()

        #expect(await listener.heard == ["data", "answer", "end"])
        #expect(await phone.token == "0123")
    }

    @Test("M-20 a token of any answer takes the stored one's place, and is sent next time") func rotates() async {
        let (phone, server) = await loggedIn(profile: #"{"errCode":3,"message":"no","token":"0123"}"#)
        #expect(await phone.token == Fixtures.token)
        _ = await phone.send("core/user/profile")
        #expect(await phone.token == "0123")
        _ = await phone.send("twShow/show/catList")
        #expect(server.requests.map(\.token) == [nil, Fixtures.token, "0123"])
        #expect(await phone.run { coimSDK.getProperty("accName") } == "alice")
    }

    @Test(
        "M-21 an answer without a token leaves the stored one alone",
        arguments: [
            Fixtures.ok, #"{"errCode":-1000,"message":"access denied"}"#, #"{"errCode":0,"token":null}"#,
            #"{"errCode":0,"token":17}"#, "{}",
        ]
    )
    func keepsToken(answer: String) async {
        let (phone, _) = await loggedIn(profile: answer)
        let listener = await phone.send("core/user/profile")
        #expect(await listener.heard == ["data", "answer", "end"])
        #expect(await phone.token == Fixtures.token)
    }

    @Test("M-38 a logout deletes token and name before it is answered, and sends the old token once")
    func logsOut() async {
        let gate = Gate()
        let server = ScriptedServer { request in
            guard request.operation == "core/user/logout" else { return .json(Fixtures.login) }
            await gate.pass()
            return .json(#"{"errCode":0,"message":"Ok","token":"late"}"#)
        }
        let phone = await CoimPhone(server).start()
        _ = await phone.logIn()
        let listener = Listener()
        await phone.run { _ = coimSDK.logout(listener) }
        await gate.arrival()
        #expect(await phone.token == "")
        #expect(await phone.run { coimSDK.getProperty("accName") } == nil)
        gate.open()
        await listener.finish()

        #expect(await listener.heard == ["data", "answer", "end"])
        // What the answer says of a token comes too late.
        #expect(await phone.token == "")
        await phone.call { coimSDK.logout(from: "core/user/logout", delegate: $0) }
        #expect(server.requests.map(\.token) == [nil, Fixtures.token, nil])
    }

    @Test("M-39 a logout without a network fails, and nobody is logged in all the same") func logsOutOffline() async {
        let server = ScriptedServer { request in
            guard request.operation == "core/user/logout" else { return .json(Fixtures.login) }
            throw URLError(.notConnectedToInternet)
        }
        let phone = await CoimPhone(server).start()
        _ = await phone.logIn()
        let listener = await phone.call { coimSDK.logout(from: "core/user/logout", delegate: $0) }

        #expect(await listener.heard == ["error"])
        let error = await listener.error
        #expect(error?.domain == NSURLErrorDomain && error?.code == NSURLErrorNotConnectedToInternet)
        #expect(await phone.token == "")
    }

    @Test("M-40 a session outlives the process; that of another server or app is not sent") func outlives() async throws
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coim-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = ScriptedServer(["core/user/login": Fixtures.login])
        _ = await CoimPhone(server, memory: FacadeFile { folder }).start().logIn()

        let again = await CoimPhone(server, memory: FacadeFile { folder }).start()
        #expect(await again.token == Fixtures.token)
        #expect(await again.run { coimSDK.getProperty("accName") } == "alice")
        for change in [["coim_app_code": "otherApp"], ["CarillonServerURL": "https://other.example.com"]] {
            let other = await CoimPhone(server, memory: FacadeFile { folder }, info: change).start()
            #expect(await other.token == "")
        }
        #expect(await again.token == Fixtures.token)
        await again.run { coimSDK.clearToken() }
        #expect(await CoimPhone(server, memory: FacadeFile { folder }).start().token == "")
    }

    @Test("Before the phone's first unlock nobody is taken for a guest: calls fail and are not sent")
    func waitsForTheFirstUnlock() async {
        let server = ScriptedServer()
        let phone = await CoimPhone(server, memory: LockedMemory()).start()
        let listener = await phone.send("core/user/profile")
        #expect(await listener.heard == ["error"])
        #expect(server.requests.isEmpty)
    }

    @Test("A refused login leaves the session of before") func refusedLogin() async {
        let server = ScriptedServer { request in
            .json(request.body["accName"] == "alice" ? Fixtures.login : #"{"errCode":3,"message":"no"}"#)
        }
        let phone = await CoimPhone(server).start()
        _ = await phone.logIn()
        _ = await phone.logIn("bob", "wrong")
        #expect(await phone.token == Fixtures.token)
        #expect(await phone.run { coimSDK.getProperty("accName") } == "alice")
    }
}

private struct LockedMemory: FacadeStorage {
    struct NotYet: Error {}

    func data(_ name: String) throws -> Data? { throw NotYet() }

    func keep(_ data: Data?, _ name: String) { Issue.record("\(name) was made up") }
}
