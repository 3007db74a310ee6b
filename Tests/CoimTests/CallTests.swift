import Carillon
import Foundation
import Testing

@testable import Coim

@Suite("Calls and answers")
struct CallTests {
    @Test("A call is a POST of one flat JSON object with the app's key, to the app code's path") func sends() async {
        let server = ScriptedServer()
        let phone = await CoimPhone(server).start()
        let parameters: [String: any Sendable] = ["lat": "22.626400", "lng": 120.25, "r": 1, "名": "藝文/活動"]
        _ = await phone.send("/twCtBus/busStop/search/", parameters)

        let request = server.requests.first
        #expect(request?.sent.method == "POST")
        #expect(request?.sent.url.absoluteString == "https://push.example.com/demoApp/twCtBus/busStop/search")
        #expect(request?.sent.headers["Content-Type"] == "application/json")
        let expected = [
            "lat": "22.626400", "lng": "120.25", "r": "1", "名": "藝文/活動", "_key": CoimPhone.info["coim_app_key"],
        ]
        #expect(request?.body == expected.compactMapValues { $0 })
    }

    @Test("M-11 an array travels as the text of its JSON") func encodesArrays() async {
        let server = ScriptedServer()
        let phone = await CoimPhone(server).start()
        let empty: [String] = []
        _ = await phone.send("cms/page/tag/3", ["tags": ["a", "b/ç"], "ids": [1, 2], "none": empty])
        let body = server.requests.first?.body
        #expect(body?["tags"] == #"["a","b/ç"]"#)
        #expect(body?["ids"] == "[1,2]" && body?["none"] == "[]")
    }

    @Test("M-14 every call has the installation's random id, which outlives the process") func sendsClientKey() async {
        let (server, memory) = (ScriptedServer(), Memory())
        for _ in 0..<2 { _ = await CoimPhone(server, memory: memory).start().send("core/user/profile") }
        _ = await CoimPhone(server).start().send("core/user/profile")
        let keys = server.requests.map { $0.sent.headers["X-COIM-ClientKey"] }
        #expect(keys[0].flatMap(UUID.init(uuidString:)) != nil)
        #expect(keys[0] == keys[1] && keys[0] != keys[2])
        #expect(server.requests.allSatisfy { $0.sent.headers["Authorization"] == nil })
    }

    @Test(
        "A call with parameters that have no JSON, or with an impossible address, fails and is not sent",
        arguments: [
            ("core/user/profile", Double.nan as any Sendable), ("core/user/profile", Date(timeIntervalSince1970: 0)),
            ("core/user/profile", [Date(timeIntervalSince1970: 0)]), ("", 1), ("/", 1), ("core//profile", 1),
            ("../otherApp/core/user/profile", 1), ("core/%2e%2E/user", 1), ("core/./user", 1),
        ]
    )
    func refuses(address: String, value: any Sendable) async {
        let server = ScriptedServer()
        let phone = await CoimPhone(server).start()
        let listener = await phone.send(address, ["x": value])
        #expect(await listener.heard == ["error"])
        #expect(await listener.error?.code == -98)
        #expect(server.requests.isEmpty)
    }

    @Test(
        "An address is encoded once, and cannot leave its app",
        arguments: [
            ("a/b/c", "a/b/c"), ("a/b/c/小明", "a/b/c/%E5%B0%8F%E6%98%8E"), ("a/b/c/%E5%B0%8F", "a/b/c/%E5%B0%8F"),
            ("a/b/c/1 2%", "a/b/c/1%202%25"), ("a/b/c?x=1&y=a b#c", "a/b/c?x=1&y=a%20b%23c"),
            ("https://evil.example/a", ""), ("a/b/c#d", "a/b/c%23d"), ("a/b/c@d:8", "a/b/c@d:8"),
        ]
    )
    func encodesAddresses(text: String, path: String) throws {
        let base = try #require(URL(string: "https://push.example.com/demoApp"))
        let url = (try? CoimAddress(text))?.url(base).absoluteString
        #expect(url == (path.isEmpty ? nil : "https://push.example.com/demoApp/" + path))
    }

    @Test("M-82 what an answer does not have has the vendor's default values") func defaults() {
        for answer: [AnyHashable: Any]? in [nil, [:], ["value": "x", "message": 1, "errCode": "x"]] {
            #expect(coimSDK.getErrCode(from: answer) == -5000 && coimSDK.getErrCode(answer) == -5000)
            #expect(coimSDK.getMessage(from: answer) == "" && coimSDK.getMessage(answer) == "")
            #expect(coimSDK.getValue(from: answer).isEmpty && coimSDK.getValue(answer).isEmpty)
            #expect(coimSDK.getList(from: answer).isEmpty && coimSDK.getList(answer).isEmpty)
        }
    }

    @Test("M-82 what an answer has is found") func parts() async {
        let server = ScriptedServer(["a/b/c": #"{"errCode":"-4","message":"m","value":{"list":[{"x":1},2],"n":3}}"#])
        let listener = await CoimPhone(server).start().send("a/b/c")
        await MainActor.run {
            let answer = listener.answer
            #expect(coimSDK.getErrCode(from: answer) == -4)
            #expect(coimSDK.getMessage(from: answer) == "m")
            #expect(coimSDK.getValue(from: answer)["n"] as? Int == 3)
            #expect(coimSDK.getList(from: answer).count == 2)
        }
    }

    @Test("M-83 a status that is not 200 is an error with it", arguments: [201, 204, 302, 404, 429, 503])
    func refusesStatus(status: Int) async {
        let server = ScriptedServer { _ in .json(Fixtures.login, status: status) }
        let phone = await CoimPhone(server).start()
        let listener = await phone.logIn()
        #expect(await listener.heard == ["error"])
        let error = await listener.error
        #expect(error?.domain == "com.coimotion.csdk" && error?.code == status)
        #expect(error?.localizedDescription.isEmpty == false)
        // What such an answer says counts for nothing.
        #expect(await phone.token == "")
    }

    @Test("M-83 an answer that is no JSON object is an error", arguments: ["", "{", "[1]", "17", "<html></html>"])
    func refusesOtherBodies(body: String) async {
        let phone = await CoimPhone(ScriptedServer(["core/user/login": body])).start()
        let listener = await phone.logIn()
        #expect(await listener.heard == ["error"])
        #expect(await listener.error?.domain == NSCocoaErrorDomain)
    }

    @Test("M-83 a time limit that has passed is told as such, and not as the cancellation by which it ends a call")
    func timesOut() async {
        let phone = await CoimPhone(ScriptedServer { _ in throw URLError(.cancelled) }).start()
        let error = await phone.send("core/user/profile").error
        #expect(error?.domain == NSURLErrorDomain && error?.code == NSURLErrorTimedOut)
    }

    @Test("M-84 a refusal of the server comes as an answer, not as an error", arguments: [-1000, -4, 1, 3])
    func passesRefusals(code: Int) async {
        let answer = #"{"errCode":\#(code),"message":"no"}"#
        let phone = await CoimPhone(ScriptedServer(["core/user/login": answer])).start()
        let listener = await phone.logIn()
        #expect(await listener.heard == ["data", "answer", "end"])
        #expect(await listener.errCode == code)
    }

    @Test("M-86 a cancelled call is heard of no more, and its login logs nobody in") func cancels() async {
        let gate = Gate()
        let server = ScriptedServer { _ in
            await gate.pass()
            return .json(Fixtures.login)
        }
        let phone = await CoimPhone(server).start()
        let listener = Listener()
        let work = await phone.run {
            let form = ["accName": "alice", "passwd": "secret"]
            let connection = coimSDK.login(to: "core/user/login", withParameter: form, delegate: listener)
            connection.accessibilityLabel = "login"
            #expect(connection.accessibilityLabel == "login")
            let work = connection.work
            Task { @MainActor in
                await gate.arrival()
                connection.cancel()
                connection.cancel()
                gate.open()
            }
            return work
        }
        await work?.value

        #expect(server.requests.count == 1)
        #expect(await listener.heard == [])
        #expect(await phone.token == "")
    }

    @Test("M-86 a call that its delegate cancels when the token is invalid has no success") func cancelsInside() async {
        let server = ScriptedServer(["a/b/c": #"{"errCode":0,"token":""}"#])
        let phone = await CoimPhone(server).start()
        let listener = Listener()
        let work = await phone.run {
            listener.onInvalidToken = { $0.cancel() }
            return coimSDK.send(to: "a/b/c", withParameter: nil, delegate: listener).work
        }
        await work?.value
        #expect(await listener.heard == ["data", "invalid token"])
    }

    @Test("M-86 a cancelled registration activates nothing") func cancelsRegistration() async {
        let gate = Gate()
        let server = ScriptedServer { _ in
            await gate.pass()
            return .json(Fixtures.registration)
        }
        let phone = await CoimPhone(server).start()
        let work = await phone.run {
            let form = ["accName": "alice", "passwd": "secret", "passwd2": "secret"]
            let connection = coimSDK.register(withParameter: form, delegate: nil)
            let work = connection.work
            Task { @MainActor in
                await gate.arrival()
                connection.cancel()
                gate.open()
            }
            return work
        }
        await work?.value
        #expect(server.requests.map(\.operation) == ["core/user/register"])
    }

    @Test("A delegate is kept until its call is over, and no longer") func keepsDelegate() async {
        let phone = await CoimPhone().start()
        let (connection, work, kept) = await phone.run { () -> (CoimConnection, Task<Void, Never>?, WeakListener) in
            let listener = Listener()
            let connection = coimSDK.send(to: "a/b/c", withParameter: nil, delegate: listener)
            return (connection, connection.work, WeakListener(listener))
        }
        #expect(kept.listener != nil || connection.isOver)
        await work?.value
        // The app keeps its calls, mostly in the delegate itself.
        #expect(kept.listener == nil && connection.isOver)
    }

    @Test("M-89 the network is known without a throw; loopback and link-local addresses are none") func network() {
        let online = NetworkInterface()
        let others = [
            NetworkInterface(isUp: false), NetworkInterface(isLoopback: true), NetworkInterface(isLinkLocal: true),
        ]
        #expect(NetworkInterface.isOnline([online]) && NetworkInterface.isOnline(others + [online]))
        #expect(!NetworkInterface.isOnline(others) && !NetworkInterface.isOnline([]))
        #expect(NetworkInterface.all.contains { $0.isLoopback })
        #expect(coimSDK.checkNetwork() == NetworkInterface.isOnline(NetworkInterface.all))
    }
}

/// Unchecked: only one test has it.
private final class WeakListener: @unchecked Sendable {
    weak var listener: Listener?

    init(_ listener: Listener) { self.listener = listener }
}
