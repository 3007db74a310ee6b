import Carillon
import Foundation
import Testing

@testable import Coim

@Suite("Start and settings")
struct StartTests {
    private func failure(_ info: [String: any Sendable]) async -> NSError? {
        let phone = CoimPhone(info: info)
        return await phone.run {
            var failure: NSError?
            coimSDK.initSDK { failure = $0 as NSError? }
            return failure
        }
    }

    @Test(
        "M-79 without code or key the error names both",
        arguments: [
            ["coim_app_code": nil], ["coim_app_key": nil], ["coim_app_code": ""], ["coim_app_key": ""],
            ["coim_app_code": "../other"], ["coim_app_code": "a.b"], ["coim_app_key": "a\nb"],
            ["coim_app_code": String(repeating: "a", count: 65)],
        ] as [[String: String?]]
    )
    func lacksInfo(change: [String: String?]) async {
        let info = change.mapValues { $0 as (any Sendable)? ?? NSNull() }
        let error = await failure(info)
        #expect(error?.domain == "com.coimotion.csdk" && error?.code == -99)
        let text = error?.localizedDescription ?? ""
        #expect(text.contains("coim_app_code") && text.contains("coim_app_key"))
        let said = Lines()
        await CoimPhone(info: info).run { coimSDK.initSDK(callback: { said.add($0) }) }
        #expect(said.all == ["Please set coim_app_key and coim_app_code"])
    }

    @Test("M-79 a call before the start fails by its delegate, and nothing is sent") func notStarted() async {
        let server = ScriptedServer()
        let phone = CoimPhone(server)
        let file = FileManager.default.temporaryDirectory.path
        for listener in [
            await phone.send("core/user/profile"), await phone.logIn(),
            await phone.call { coimSDK.register(withParameter: nil, delegate: $0) },
            await phone.call { coimSDK.updatePasswd(nil, delegate: $0) }, await phone.call { coimSDK.logout($0) },
            await phone.call { coimSDK.attach([file], toURL: "a/b/c", params: nil, aDelegate: $0) },
        ] {
            #expect(await listener.heard == ["error"])
            #expect(await listener.error?.code == -100)
            #expect(await listener.error?.localizedDescription == "ReqUtil is not initialized")
        }
        #expect(server.requests.isEmpty)
        #expect(await phone.token == "")
    }

    @Test("The Swift form of the start says that it is ready; the names of March 2014 are read too") func starts() async
    {
        let said = Lines()
        let server = ScriptedServer()
        let early: [String: any Sendable] = [
            "coim_app_code": NSNull(), "coim_app_key": NSNull(), "APP_CODE": "early1", "APP_KEY": "k",
        ]
        let phone = CoimPhone(server, info: early)
        await phone.run { ReqUtil.initSDK(callback: { said.add($0) }) }
        await phone.call { ReqUtil.sendTo("core/user/profile", params: nil, aDelegate: $0) }
        #expect(said.all == ["SDK initialized"])
        #expect(server.requests.first?.sent.url.absoluteString == "https://push.example.com/early1/core/user/profile")
        #expect(server.requests.first?.body["_key"] == "k")
    }

    @Test(
        "M-80 the time limit is 30 seconds unless the Info.plist has a number above 0",
        arguments: [
            (nil, 30), ("aaa", 30), (0, 30), (-5, 30), (Double.nan, 30), (true, 1), (12, 12), (0.5, 0.5), ("45", 45),
        ] as [((any Sendable)?, TimeInterval)]
    )
    func timeLimit(value: (any Sendable)?, seconds: TimeInterval) async {
        let server = ScriptedServer()
        let phone = await CoimPhone(server, info: ["coim_timeout": value ?? NSNull()]).start()
        _ = await phone.send("core/user/profile")
        #expect(server.requests.first?.sent.timeLimit == seconds)
    }

    @Test("M-81 debug lines have a prefix, and no password, token, key or id of an activation") func debugs() async {
        let server = ScriptedServer { request in
            switch request.operation {
            case "core/user/register": .json(#"{"errCode":0,"value":{"actID":"SECRETID"}}"#)
            case "core/user/login", "core/user/activate/SECRETID": .json(Fixtures.login)
            case "core/user/fails": .json("", status: 500)
            default: .json(Fixtures.ok)
            }
        }
        let phone = await CoimPhone(server, info: ["coim_debug": true]).start()
        await phone.call {
            let form = ["accName": "alice", "passwd": "s3cret", "passwd2": "s3cret"]
            return coimSDK.register(withParameter: form, delegate: $0)
        }
        _ = await phone.logIn("alice", "s3cret")
        _ = await phone.send("core/user/fails?token=SECRETID")
        await phone.call { coimSDK.updatePasswd(["oldPasswd": "s3cret", "passwd": "n", "passwd2": "n"], delegate: $0) }
        await phone.call { coimSDK.logout($0) }

        let lines = phone.lines.all
        #expect(lines.allSatisfy { $0.hasPrefix("[DEBUG] - ") })
        #expect(lines.contains("[DEBUG] - POST core/user/login"))
        #expect(lines.contains("[DEBUG] - core/user/activate: errCode 0"))
        let secrets = [
            "s3cret", SaltedPassword.transform("s3cret", account: "alice"), Fixtures.token, "SECRETID", "alice",
            CoimPhone.info["coim_app_key"] ?? "",
        ]
        for secret in secrets { #expect(!lines.joined().contains(secret)) }
    }

    @Test("M-81 without coim_debug nothing is logged", arguments: [nil, false])
    func isSilent(value: Bool?) async {
        let phone = await CoimPhone(info: value.map { ["coim_debug": $0] } ?? [:]).start()
        _ = await phone.logIn()
        #expect(phone.lines.all.isEmpty)
    }

    @Test(
        "M-44 a server without TLS is refused, and nothing is sent; this machine's own is not",
        arguments: [
            ("http://push.example.com", true), ("ftp://push.example.com", true), ("", true),
            ("https://user@push.example.com", true), ("https://push.example.com", false),
            ("http://127.0.0.1:8080", false),
        ]
    )
    func wantsTLS(url: String, isRefused: Bool) async {
        let server = ScriptedServer()
        let phone = CoimPhone(server, info: ["CarillonServerURL": url])
        let error = await phone.run {
            var failure: NSError?
            coimSDK.initSDK { failure = $0 as NSError? }
            return failure
        }
        #expect((error != nil) == isRefused)
        _ = await phone.logIn()
        #expect(server.requests.isEmpty == isRefused)
    }

    @Test("M-44 every call goes to the server by https, also those that the vendor sent by http") func usesTLS() async {
        let server = ScriptedServer(["core/user/login": Fixtures.login])
        let phone = await CoimPhone(server).start()
        _ = await phone.send("core/user/profile")
        _ = await phone.logIn()
        let (form, change) = (
            ["accName": "a", "passwd": "b", "passwd2": "b"], ["oldPasswd": "a", "passwd": "b", "passwd2": "b"]
        )
        await phone.call { coimSDK.register(withParameter: form, delegate: $0) }
        await phone.call { coimSDK.updatePasswd(change, delegate: $0) }
        await phone.call { coimSDK.logout($0) }
        #expect(server.requests.count == 5)
        #expect(server.requests.allSatisfy { $0.sent.url.scheme == "https" && $0.sent.url.host == "push.example.com" })
    }

    @Test("The server's URL may be in the app's code, with a path of its own") func serverInCode() async throws {
        let server = ScriptedServer()
        let phone = CoimPhone(server, info: ["CarillonServerURL": NSNull()])
        #expect(
            await failure(["CarillonServerURL": NSNull()])?.localizedDescription.contains("CarillonServerURL") == true
        )
        let url = try #require(URL(string: "https://example.com/push/"))
        await phone.run { coimSDK.serverURL = url }
        _ = await phone.start()
        _ = await phone.send("core/user/profile")
        #expect(server.requests.first?.sent.url.absoluteString == "https://example.com/push/demoApp/core/user/profile")
    }
}
