import Carillon
import Foundation
import Testing

@testable import Coim

@Suite("Registration")
struct RegistrationTests {
    private static let form = ["accName": "alice", "passwd": "secret", "passwd2": "secret"]

    @Test("M-31 an account is activated by itself, and the delegate hears that answer alone") func activates() async {
        let server = ScriptedServer { request in
            .json(
                request.operation == "core/user/register"
                    ? #"{"errCode":0,"message":"Registered","token":"ignored","value":{"actID":"a1 7"}}"#
                    : Fixtures.login
            )
        }
        let phone = await CoimPhone(server).start()
        let listener = await phone.call { coimSDK.register(withParameter: Self.form, delegate: $0) }

        #expect(await listener.heard == ["data", "answer", "end"])
        #expect(await listener.message == "Login Ok.")
        #expect(server.requests.map(\.operation) == ["core/user/register", "core/user/activate/a1 7"])
        #expect(server.requests.map(\.token) == [nil, nil])
        let registration = server.requests.first?.body
        #expect(registration?["passwd"] == "4458181e25ee28c136b342effebfdf1e2b7c6652")
        #expect(registration?["passwd2"] == registration?["passwd"])
        #expect(await phone.token == Fixtures.token)
        #expect(await phone.run { coimSDK.getProperty("accName") } == "alice")
    }

    @Test(
        "M-31 without an actID the delegate hears the registration's answer, whose token is ignored",
        arguments: [
            (#"{"errCode":0,"message":"Mailed","token":"0123","value":{}}"#, "Mailed"),
            (#"{"errCode":-4,"message":"Database error"}"#, "Database error"),
        ]
    )
    func registersAlone(answer: String, message: String) async {
        let server = ScriptedServer(["core/user/register": answer])
        let phone = await CoimPhone(server).start()
        let listener = await phone.call { coimSDK.register(Self.form, aDelegate: $0) }

        #expect(await listener.heard == ["data", "answer", "end"])
        #expect(await listener.message == message)
        #expect(server.requests.count == 1)
        #expect(await phone.token == "")
    }

    @Test("M-31 an activation that fails is the only failure that the delegate hears") func failsOnce() async {
        let server = ScriptedServer { request in
            guard request.operation == "core/user/register" else { throw URLError(.timedOut) }
            return .json(#"{"errCode":0,"value":{"actID":17}}"#)
        }
        let phone = await CoimPhone(server).start()
        let listener = await phone.call { coimSDK.register(withParameter: Self.form, delegate: $0) }

        #expect(await listener.heard == ["error"])
        #expect(server.requests.last?.operation == "core/user/activate/17")
    }

    @Test("M-31 an actID cannot lead to another operation") func encodesActivation() async {
        let server = ScriptedServer(["core/user/register": #"{"errCode":0,"value":{"actID":"../logout?x"}}"#])
        let phone = await CoimPhone(server).start()
        _ = await phone.call { coimSDK.register(withParameter: Self.form, delegate: $0) }
        #expect(
            server.requests.last?.sent.url.absoluteString
                == "https://push.example.com/demoApp/core/user/activate/..%2Flogout%3Fx"
        )
    }

    @Test(
        "M-33 a registration has the phone's language: 2 for Chinese, else 1",
        arguments: [("zh-Hant-TW", "2"), ("zh", "2"), ("en-US", "1"), ("ja-JP", "1"), ("", "1")]
    )
    func sendsLanguage(language: String, number: String) async {
        let server = ScriptedServer()
        let phone = await CoimPhone(server, languages: [language, "zh"]).start()
        _ = await phone.call { coimSDK.register(withParameter: Self.form, delegate: $0) }
        #expect(server.requests.first?.body["_loc"] == number)
    }

    @Test("M-33 the app's own language is sent unchanged") func keepsLanguage() async {
        let server = ScriptedServer()
        let phone = await CoimPhone(server, languages: ["zh-TW"]).start()
        let form = Self.form.merging(["_loc": "1", "dspName": "Alice"]) { $1 }
        _ = await phone.call { coimSDK.register(withParameter: form, delegate: $0) }
        #expect(server.requests.first?.body["_loc"] == "1" && server.requests.first?.body["dspName"] == "Alice")
    }
}
