import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// Addresses, parameters and envelopes of COIMOTION's API.
struct CoimotionProtocolTests {
    @Test("M-01 M-12 M-13 A POST with JSON is answered with 200, errCode 0, Ok, and Chinese text as it is")
    func envelope() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importEvents()
            let reply = try await client.post("twShow/show/catList")
            #expect(reply.code == 0 && reply.message == "Ok" && reply.list?.isEmpty == false)
            #expect(reply.text.contains("音樂表演") && !reply.text.contains("\\u"))
            let failure = try await client.post("twShow/show/info/unknown")
            #expect(failure.code == 1 && !failure.message.isEmpty)
            #expect(failure.names == ["errCode", "message"])
        }
    }

    @Test("M-02 The first label of the host names the App, whatever its case; a path without one needs no other")
    func hosts() throws {
        func path(_ host: String, _ path: String) -> String? {
            let head = HTTPRequest(method: .post, scheme: "http", authority: host, path: path)
            return CoimotionPath.resolved(Request(head: head, body: RequestBody(buffer: ByteBuffer()))).head.path
        }
        #expect(path("demoApp.example.com", "/core/user/profile") == "/demoApp/core/user/profile")
        #expect(path("demoapp.example.com:8443", "/twShow/show/info/17?a=b") == "/demoapp/twShow/show/info/17?a=b")
        #expect(path("demoApp.example.com", "/nothing/of/this") == "/demoApp/nothing/of/this")
        // The app code is in the path, or there is none, or the path is another one of the server's.
        #expect(path("carillon.example.com", "/demoApp/core/user/profile") == "/demoApp/core/user/profile")
        #expect(path("127.0.0.1:8080", "/core/user/profile") == "/core/user/profile")
        #expect(path("localhost:8080", "/core/user/profile") == "/core/user/profile")
        #expect(path("push.example.com", "/core/user/profile") == "/core/user/profile")
        #expect(path("under_score.example.com", "/core/user/profile") == "/core/user/profile")
        #expect(path("demoApp.example.com", "/v1/users/ann") == "/v1/users/ann")
        #expect(path("demoApp.example.com", "/push/v2.4/appkeys/k/tokens") == "/push/v2.4/appkeys/k/tokens")
        #expect(path("demoApp.example.com", "/health") == "/health")
    }

    @Test("M-03 M-06 The first segment of the path names the App, whatever its case; an unknown one is -12")
    func appCodes() async throws {
        try await CoimotionClient.run { client async throws in
            for code in ["demoApp", "DEMOAPP", "demoapp"] {
                #expect(try await client.post("core/user/profile", code: code).body == CoimotionFixtures.guest)
            }
            for code in ["nobody1", "x", "demoApp2", String(repeating: "a", count: 200), "%E5%B0%8F%E6%98%8E"] {
                #expect(try await client.post("core/user/profile", code: code).code == -12, "\(code)")
            }
        }
    }

    @Test("M-04 A GET with a query has the same answer; what has a password or ends a session has no GET")
    func queries() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importEvents()
            try await client.importBuses()
            #expect(try await client.get("core/user/profile").body == CoimotionFixtures.guest)
            let posted = try await client.post("twCtBus/busStop/search", ["lat": "22.6265", "lng": "120.2660"])
            let read = try await client.get("twCtBus/busStop/search", "lat=22.6265&lng=120.2660")
            #expect(read.body == posted.body && read.list?.count == 2)
            #expect(try await client.get("twShow/show/byCity/15", "cat=1&fromTm=2026-11-26&toTm=2026-12-03").list != [])
            for path in ["login", "register", "activate/x", "logout", "updPasswd"] {
                #expect(try await client.get("core/user/" + path, "accName=a&passwd=b").code == -14, "\(path)")
            }
            // A POST may have parameters in its query too; those of the body count more.
            let mixed = try await client.post("twCtBus/busStop/search?lat=0&lng=120.2660", ["lat": .number(22.6265)])
            #expect(mixed.body == posted.body)
        }
    }

    @Test("M-05 A missing or wrong _key is refused, without value and token")
    func keys() async throws {
        try await CoimotionClient.run { client async throws in
            let token = try await client.signUp()
            let other = "1b4e28ba-2fa1-11d2-883f-0016d3cca428"
            for key in [nil, "", other, "x", String(repeating: "k", count: 500)] {
                let reply = try await client.post("core/user/profile", token: token, key: key)
                #expect(reply.code == -20 && reply.value == nil && reply.token == nil, "\(key ?? "none")")
            }
            #expect(try await client.get("twShow/show/catList", key: nil).code == -20)
            let list = try await client.send(.post, "core/user/profile", body: #"{"_key":["a"]}"#)
            #expect(list.code == 2)
        }
    }

    @Test("M-07 An unknown repository, resource and operation have codes of their own")
    func unknown() async throws {
        try await CoimotionClient.run { client async throws in
            for (path, code) in [
                ("noRepo/a/b", -11), ("event/a/b", -11), ("cms/page/view/1", -14), ("cms/forum/list", -13),
                ("twShow/noRs/a", -13), ("core/repo/info/twShow", -13),
                ("twShow/show/noOp", -14), ("twShow/show/byCity", -14), ("core/user/activate", -14),
                ("twCtBus/busStop/search/1/2/3", -14),
            ] as [(String, Int64)] {
                #expect(try await client.post(path).code == code, "\(path)")
            }
            for method in [HTTPRequest.Method.put, .delete, .patch] {
                #expect(try await client.send(method, "core/user/profile", body: "{}").code == -14)
            }
        }
    }

    @Test("M-06 M-07 A path that begins with no App's code is the server's own, also below a prefix: 404 in V1's form")
    func otherPaths() async throws {
        try await CoimotionClient.run { client async throws in
            for path in [
                "/nowhere", "/nobody1/noRepo/a/b", "/nobody1/twShow/noRs/a", "/nobody1/twShow/show/noOp",
                "/prefix/v1/content-sets/events", "/prefix/v1/devices/d/inbox", "/console/assets/styles/main.css",
                "/wp-content/plugins/a/b.js", "/nobody1/a/b/%E5%B0%8F",
            ] {
                #expect(try await client.server.send(.get, path).problem == "unknown-path", "\(path)")
                #expect(try await client.server.send(.post, path, "{}").problem == "unknown-path", "\(path)")
            }
            // The method is no App's either.
            #expect(try await client.server.send(.get, "/nobody1/core/user/login").problem == "unknown-path")
            #expect(try await client.server.send(.get, "/prefix/a/b/%zz").problem == "malformed-url")
        }
        // Many such paths end the look-ups, and stay what they are; a code that is known is known all the same.
        try await CoimotionClient.run { configuration, _ in
            configuration.requestLimits?.unknownKey = 0.001
        } _: { client async throws in
            #expect(try await client.profile(nil).code == 0)
            for number in 1...15 {
                #expect(try await client.server.send(.get, "/nobody\(number)/a/b/c").problem == "unknown-path")
            }
            #expect(try await client.post("noRepo/a/b").code == -11)
        }
    }

    @Test("M-08 A repository that the App does not reference is refused, and one whose content set is gone")
    func references() async throws {
        try await CoimotionClient.run(CoimotionSettings(code: CoimotionClient.code)) { client async throws in
            try await client.importEvents()
            for path in ["twShow/show/catList", "twShow/show/byCity/15", "twCtBus/busRoute/next/KHH100"] {
                #expect(try await client.post(path).code == -10, "\(path)")
            }
        }
        try await CoimotionClient.run { client async throws in
            #expect(try await client.post("twShow/show/byCity/15").code == -10)
            #expect(try await client.post("twCtBus/busStop/search", ["lat": 1, "lng": 1]).code == -10)
        }
    }

    @Test("M-09 A body that is no JSON object and another content type are refused, never a crash")
    func bodies() async throws {
        try await CoimotionClient.run { client async throws in
            let deep = String(repeating: "[", count: 10_000)
            for body in [
                "[]", "7", "null", "\"x\"", "{", "", deep, "{\"a\":1,\"a\":2}", "\u{FEFF}{}", "{\"_key\":1e999}",
                "{\"_key\":\"\\u0000\"}", "{\"_key\":{}}", String(repeating: " ", count: 70_000),
            ] {
                let reply = try await client.send(.post, "core/user/profile", body: body)
                let code = try #require(reply.code)
                #expect([-16, -20, 2].contains(code), "\(body.prefix(30)): \(reply.body)")
            }
            let form = try await client.send(
                .post,
                "core/user/profile",
                body: "_key=" + CoimotionClient.key,
                headers: ["Content-Type": "application/x-www-form-urlencoded"]
            )
            #expect(form.code == -16)
            for path in ["twShow/show/info/%zz", "twShow/show/info/%00", "twShow/show/info/%ff"] {
                #expect(try await client.get(path).code != 0)
            }
        }
    }

    @Test("M-09 Whatever bytes, names and values come, the answer is an envelope, and no error of the server's own")
    func randomCalls() async throws {
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0000", "\\ud800", "1e999", "-", "0.1", "null", "true",
            "\"_key\"",
            "\"token\"", "\"lat\"", "\"cat\"", "\"N/A\"", "\"\(CoimotionClient.key)\"", "é", "\u{0}", "\u{FEFF}", " ",
            "[[[[",
        ]
        let values: [JSONValue] = [
            .null, true, 7, .number(1e300), .number(-0.5), "", "x", "[", "[]", "[1,[2]]", "1e400", "-0", "\u{0}",
            "9999-12-31",
            "1970-01-01", "0001-01-01", "90", "-180", ["a", 1, .null], .object([:]),
            .string(String(repeating: "高", count: 500)),
        ]
        let names = ["token", "cat", "fromTm", "toTm", "lat", "lng", "r", "_pn", "_ps", "detail", "accName", "passwd"]
        let paths = [
            "core/user/profile", "core/user/login", "core/user/logout", "core/user/updPasswd", "twShow/show/catList",
            "twShow/show/byCity/15", "twShow/show/byLoc", "twShow/show/info/x", "twCtBus/busStop/search",
            "twCtBus/busStop/routes/KHH1", "twCtBus/busRoute/next/KHH100",
        ]
        try await CoimotionClient.run { client async throws in
            try await client.importEvents()
            try await client.importBuses()
            var random = SplitMix(seed: 20)
            for number in 0..<400 {
                let path = paths[number % paths.count]
                let body = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    pieces[Int.random(in: pieces.indices, using: &random)]
                }
                #expect(try await client.send(.post, path, body: body.joined()).code != -100)
                var parameters: [String: JSONValue] = [:]
                for name in names where Bool.random(using: &random) {
                    parameters[name] = values[Int.random(in: values.indices, using: &random)]
                }
                let reply = try await client.post(path, parameters)
                #expect(reply.code != -100, "\(path) \(parameters): \(reply.body)")
            }
        }
    }

    @Test("M-10 M-11 Numbers come as numbers or texts, and arrays also as texts with their JSON")
    func values() async throws {
        try await CoimotionClient.run { client async throws in
            try await client.importEvents()
            let all = [CoimotionFixtures.exhibition, CoimotionFixtures.harbour]
            for categories in ["[\"1\",\"6\"]", ["1", "6"], "[1, 6]", [1, 6]] as [JSONValue] {
                let day: [String: JSONValue] = ["cat": categories, "fromTm": "2026-11-28", "toTm": "2026-11-28"]
                let reply = try await client.post("twShow/show/byCity/15", day)
                #expect(Set(all).isSubset(of: reply.texts("spID")), "\(categories)")
            }
            for category in [1, "1"] as [JSONValue] {
                let reply = try await client.post("twShow/show/byCity/15", ["cat": category])
                #expect(reply.texts("spID").contains(CoimotionFixtures.spring))
                #expect(!reply.texts("spID").contains(CoimotionFixtures.exhibition))
            }
            for bad in [["1", []], "[1", "[[1]]", .object(["a": 1])] as [JSONValue] {
                #expect(try await client.post("twShow/show/byCity/15", ["cat": bad]).code == 2, "\(bad)")
            }
        }
    }

    @Test("M-14 The phone's id is optional; a phone that sends it is limited like a Device")
    func phones() async throws {
        try await CoimotionClient.run { client async throws in
            let phone = ["X-COIM-ClientKey": "3F2504E0-4F89-41D3-9A0C-0305E82C3301"]
            #expect(try await client.post("core/user/profile", headers: phone).code == 0)
            #expect(try await client.post("core/user/profile").code == 0)
        }
        try await CoimotionClient.run { configuration, _ in
            configuration.requestLimits?.device = 0.01
        } _: { client async throws in
            let phone = ["X-COIM-ClientKey": "android-17"]
            #expect(try await client.post("core/user/profile", headers: phone).code == 0)
            let limited = try await client.post("core/user/profile", headers: phone)
            #expect(limited.code == -1 && limited.retryAfter != nil)
            #expect(try await client.post("core/user/profile", headers: ["X-COIM-ClientKey": "other"]).code == 0)
            #expect(try await client.post("core/user/profile").code == 0)
        }
    }

    @Test("M-15 A missing token, an empty one and N/A are no token, and the answer says nothing of one")
    func noToken() async throws {
        try await CoimotionClient.run { client async throws in
            for token in [nil, "", "N/A", .null] as [JSONValue?] {
                let reply = try await client.post("core/user/profile", token.map { ["token": $0] } ?? [:])
                #expect(reply.body == CoimotionFixtures.guest)
            }
        }
    }
}

/// Random numbers that are the same in each run (SplitMix64).
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
