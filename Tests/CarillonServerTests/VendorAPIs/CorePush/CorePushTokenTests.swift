import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// Tokens over CORE PUSH's API.
struct CorePushTokenTests {
    private static let token = CorePushClient.token(1)

    @Test("C-01 a registration stores the token and answers 200 with status 0")
    func registers() async throws {
        try await CorePushClient.run { client in
            let reply = try await client.send("iphone_token_regist", [("device_token", Self.token), ("mode", "1")])
            #expect(reply.body == ["status": "0"])
            let found = try #require(try await client.registered(1))
            #expect(found.pushType == .apns && found.registration.consent == Consent(notifications: true))
            #expect(!found.hasSecret && found.vendorDeviceID == nil)
        }
    }

    @Test("C-02, C-46 Android's tokens and sends are refused by name: there is no sender for them")
    func android() async throws {
        try await CorePushClient.run { client in
            let token = try await client.send("android_token_regist", [("device_token", "fcm:1"), ("mode", "1")])
            #expect(token.status == "1" && token.message.contains("Android"))
            for path in ["android_push_request", "android_push_request_async"] {
                let reply = try await client.push([["app_user_id": "9999999999", "message": "Hi"]], path: path)
                #expect(reply.status == "1" && reply.message.contains("Android"))
            }
        }
    }

    @Test("C-03 mode 2 removes the token, and a later broadcast does not reach it")
    func removes() async throws {
        try await CorePushClient.run { client in
            try await client.register(1)
            try await client.register(2)
            let reply = try await client.send("iphone_token_regist", [("device_token", Self.token), ("mode", "2")])
            #expect(reply.status == "0")
            #expect(try await client.registered(1) == nil)
            let campaign = try await client.campaigns([["app_user_id": "9999999999", "message": "Hi"]])[0]
            try await client.deliver(campaign)
            #expect(try await client.server.engine.campaigns.funnel(campaign.id, within: client.app).accepted == 1)
        }
    }

    @Test("C-04 the status of every answer is a text, also of errors of the server's own")
    func statusIsText() async throws {
        try await CorePushClient.run { client in
            // The client checks type, status 200 and message of each.
            for path in ["iphone_token_regist", "notify_history", "nothing", "iphone_feedback"] {
                #expect(try await client.send(path, body: "").status == "1")
                #expect(try await client.send(path, body: "", method: .get).status == "1")
                #expect(try await client.send(path, body: "", method: .put).status == "1")
                let json = try await client.send(path, body: "{}", headers: ["Content-Type": "application/json"])
                #expect(json.status == "1")
            }
            #expect(try await client.send("notify_history", [("config_type", "1")]).status == "0")
            let large = try await client.send("notify_history", body: String(repeating: "a", count: 70_000))
            #expect(large.message == "The body must have at most 65536 bytes.")
            let many = String(repeating: "a=1&", count: 1_001)
            #expect(try await client.send("notify_history", body: many).message.contains("1000 fields"))
        }
    }

    @Test("C-05 a missing or unknown config key is status 1")
    func wrongKey() async throws {
        try await CorePushClient.run { client in
            let fields = [("device_token", Self.token), ("mode", "1")]
            for key in ["", "x", String(repeating: "f", count: 32), String(repeating: "f", count: 1_000)] {
                #expect(try await client.send("iphone_token_regist", fields, key: key).status == "1")
            }
            let missing = try await client.send("iphone_token_regist", body: "device_token=\(Self.token)&mode=1")
            #expect(missing.message == "config_key is required.")
            #expect(try await client.registered(1) == nil)
        }
    }

    @Test("C-06 a missing token or mode, or another mode, is status 1 and names the field")
    func wrongFields() async throws {
        try await CorePushClient.run { client in
            let long = String(repeating: "u", count: 129)
            for (fields, name) in [
                ([("mode", "1")], "device_token"), ([("device_token", ""), ("mode", "1")], "device_token"),
                ([("device_token", "xyz"), ("mode", "1")], "device_token"),
                ([("device_token", "<\(Self.token)>"), ("mode", "1")], "device_token"),
                ([("device_token", Self.token)], "mode"), ([("device_token", Self.token), ("mode", "3")], "mode"),
                ([("device_token", Self.token), ("mode", "1"), ("app_user_id", long)], "app_user_id"),
                ([("device_token", Self.token), ("mode", "1"), ("app_user_id", "9999999999")], "app_user_id"),
                ([("device_token", Self.token), ("mode", "1"), ("category_id", "[")], "category_id"),
                ([("device_token", Self.token), ("mode", "1"), ("latitude", "91"), ("longitude", "1")], "latitude"),
            ] as [([(String, String)], String)] {
                let reply = try await client.send("iphone_token_regist", fields)
                #expect(reply.status == "1" && reply.message.hasPrefix(name + " "), "\(reply.body)")
            }
            #expect(try await client.registered(1) == nil)
        }
    }

    @Test("C-07, C-15 the same token again is the same device with the new values; what is missing is gone")
    func again() async throws {
        try await CorePushClient.run { client in
            try await client.register(1, [("app_user_id", "u-1"), ("category_id", #"["4"]"#)])
            let first = try #require(try await client.registered(1))
            try await client.register(1, [("app_user_id", "u-1"), ("category_id", #"["5"]"#)])
            let second = try #require(try await client.registered(1))
            #expect(first.device == second.device)
            #expect(second.registration.categories == .list(["5"]) && second.registration.user?.rawValue == "u-1")
            try await client.register(1, [("app_user_id", "u-2")])
            #expect(try await client.registered(1)?.registration.user?.rawValue == "u-2")
            try await client.register(1)
            let last = try #require(try await client.registered(1)?.registration)
            #expect(last.user == nil && last.categories == nil)
            #expect(
                try await client.server.engine.devices.list(app: client.app, user: nil, cursor: nil, limit: 9).items
                    .count == 1
            )
        }
    }

    @Test("C-08, C-13 without category_id a device is in category 1; device_id is never needed and never kept")
    func standards() async throws {
        try await CorePushClient.run { client in
            try await client.register(1, [("device_id", "5f4dcc3b5aa765d61d8327deb882cf99")])
            let found = try #require(try await client.registered(1))
            #expect(found.registration.categories == nil && found.vendorDeviceID == nil)
            try await client.register(1)
            #expect(try await client.registered(1)?.device == found.device)
            let campaign = try await client.campaigns(
                [["app_user_id": "9999999999", "message": "Hi"]],
                [("category_id", "1")]
            )[0]
            try await client.deliver(campaign)
            #expect(try await client.server.engine.campaigns.funnel(campaign.id, within: client.app).accepted == 1)
        }
    }

    @Test(
        "C-09, C-10, C-11, C-12 categories are an id, an array or an object, as JSON or as PHP's own arrays",
        arguments: [
            ("category_id=1", .list(["1"])), ("category_id=%5B%221%22%2C%224%22%5D", .list(["1", "4"])),
            ("category_id=[1,4]", .list(["1", "4"])), ("category_id[]=1&category_id[]=4", .list(["1", "4"])),
            (
                #"category_id={"1":["神奈川"],"4":["サッカー","野球"]}"#,
                .dimensions(["1": ["神奈川"], "4": ["サッカー", "野球"]])
            ),
            ("category_id[1][]=A&category_id[4][]=B&category_id[4][]=C", .dimensions(["1": ["A"], "4": ["B", "C"]])),
        ] as [(String, DeviceCategories)]
    )
    func categories(_ field: String, _ expected: DeviceCategories) async throws {
        try await CorePushClient.run { (client) async throws in
            let body = "config_key=\(CorePushClient.configKey)&device_token=\(Self.token)&mode=1&\(field)"
            #expect(try await client.send("iphone_token_regist", body: body).status == "0")
            #expect(try await client.registered(1)?.registration.categories == expected)
        }
    }

    @Test("C-14 app_user_id binds a user and the token; a signed App takes it only with the secret")
    func users() async throws {
        try await CorePushClient.run { client in
            try await client.register(1, [("app_user_id", "u-1")])
            let campaign = try await client.campaigns([["app_user_id": "u-1", "message": "Hi"]])[0]
            try await client.deliver(campaign)
            #expect(try await client.server.engine.campaigns.funnel(campaign.id, within: client.app).accepted == 1)
        }
        try await CorePushClient.run(identity: .signed) { client in
            let fields = [("device_token", Self.token), ("mode", "1"), ("app_user_id", "u-1")]
            let refused = try await client.send("iphone_token_regist", fields)
            #expect(refused.status == "1" && refused.message.hasPrefix("app_user_id needs the secret"))
            #expect(try await client.registered(1) == nil)
            #expect(try await client.send("iphone_token_regist", fields, secret: CorePushClient.secret).status == "0")
            #expect(try await client.registered(1)?.registration.user?.rawValue == "u-1")
            #expect(try await client.send("iphone_token_regist", Array(fields.prefix(2))).status == "0")
        }
    }

    @Test(
        "C-16, C-17, C-18, C-19, C-23 raw and encoded bodies are the same, in any order, with what is superfluous",
        arguments: [
            "config_key=KEY&device_token=TOKEN&mode=1&app_user_id=山田+太郎",
            "mode=1&app_user_id=%E5%B1%B1%E7%94%B0%20%E5%A4%AA%E9%83%8E&device_token=TOKEN&config_key=KEY&",
            "&&app%5Fuser_id=山田 太郎&type=1&unknown=%zz&mode=1&config_key=KEY&device_token=TOKEN&&device_name=x&",
        ]
    )
    func bodies(_ body: String) async throws {
        try await CorePushClient.run { client in
            let body = body.replacing("KEY", with: CorePushClient.configKey).replacing("TOKEN", with: Self.token)
            for type in ["application/x-www-form-urlencoded; charset=UTF-8", "application/x-www-form-urlencoded", ""] {
                let reply = try await client.send("iphone_token_regist", body: body, headers: ["Content-Type": type])
                #expect(reply.status == "0", "\(reply.body)")
                #expect(try await client.registered(1)?.registration.user?.rawValue == "山田 太郎")
                _ = try await client.send("iphone_token_regist", [("device_token", Self.token), ("mode", "2")])
            }
        }
    }

    @Test("C-18 multipart/form-data, as PHP's curl sends an array, is read too; a file is refused")
    func multipart() async throws {
        try await CorePushClient.run { client in
            func body(_ file: String) -> String {
                [("config_key", CorePushClient.configKey), ("device_token", Self.token), ("mode", "1")].map {
                    "--x\r\nContent-Disposition: form-data; name=\"\($0)\"\(file)\r\n\r\n\($1)\r\n"
                }.joined() + "--x--\r\n"
            }
            let headers = ["Content-Type": "multipart/form-data; boundary=x"]
            #expect(try await client.send("iphone_token_regist", body: body(""), headers: headers).status == "0")
            #expect(try await client.registered(1) != nil)
            let file = try await client.send(
                "iphone_token_regist",
                body: body("; filename=\"a\""),
                headers: headers
            )
            #expect(file.message == "config_key must be a text, no file.")
        }
    }

    @Test("C-20 a config key is of one App: the tokens of another are apart")
    func apps() async throws {
        try await CorePushClient.run { client in
            try await client.register(1)
            let other = try await client.server.makeApp().app.id
            let key = String(repeating: "e", count: 32)
            _ = try await client.server.engine.vendorAPIs.turnOn(.corepush, app: other, VendorAPIRequest(key: key))
            let reply = try await client.send(
                "iphone_token_regist",
                [("device_token", Self.token), ("mode", "2")],
                key: key
            )
            #expect(reply.status == "0")
            #expect(try await client.registered(1) != nil)
        }
    }

    @Test("C-21, C-22 hexadecimal digits may be capitals, and removing an unknown token succeeds")
    func capitals() async throws {
        try await CorePushClient.run { client in
            let token = CorePushClient.token(0xAB)
            try await client.register(0xAB)
            let fields = [("device_token", token.uppercased()), ("mode", "2")]
            #expect(try await client.send("iphone_token_regist", fields).status == "0")
            #expect(try await client.registered(0xAB) == nil)
            #expect(try await client.send("iphone_token_regist", fields).status == "0")
        }
    }

    @Test("A device that its app registered itself is not changed without the secret; a position is kept")
    func ownDevices() async throws {
        try await CorePushClient.run { client in
            let headers = ["Carillon-App-Key": client.appKey, "Carillon-Device-Secret": TestServer.deviceSecret]
            let path = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
            let body = #"{"token":"\#(Self.token)","consent":{"notifications":true}}"#
            #expect(try await client.server.send(.put, path, body, headers: headers).status == .created)
            let fields = [("device_token", Self.token), ("mode", "2")]
            let refused = try await client.send("iphone_token_regist", fields)
            #expect(refused.status == "1" && refused.message.contains("registered itself"))
            #expect(try await client.send("iphone_token_regist", fields, secret: CorePushClient.secret).status == "0")

            try await client.register(2, [("latitude", "35.68"), ("longitude", "139.76"), ("sandbox", "1")])
            let found = try #require(try await client.registered(2))
            #expect(found.registration.location?.latitude == 35.68 && found.pushType == .apnsSandbox)
            // A phone that knows no position leaves the last one; only a removal deletes it.
            for fields in [[], [("latitude", "0"), ("longitude", "0")]] {
                try await client.register(2, fields + [("sandbox", "1")])
                #expect(try await client.registered(2)?.registration.location?.latitude == 35.68)
            }
            let removal = [("device_token", CorePushClient.token(2)), ("mode", "2")]
            #expect(try await client.send("iphone_token_regist", removal).status == "0")
            try await client.register(2, [("sandbox", "1")])
            #expect(try await client.registered(2)?.registration.location == nil)
        }
    }

    @Test("A back end registers and removes many tokens at once; what is wrong is told one by one")
    func bulk() async throws {
        try await CorePushClient.run { client in
            let items: JSONValue = [
                ["device_token": .string(CorePushClient.token(1)), "app_user_id": 17, "category_id": ["2", "3"]],
                ["device_token": .string(CorePushClient.token(2)), "category_id": ["1": ["A"]]],
                ["device_token": "zz"], ["device_token": .string(CorePushClient.token(9)), "mode": 2],
            ]
            let fields = [("request_data", CorePushClient.data(items))]
            #expect(try await client.send("iphone_tokens_regist", fields).message.hasPrefix("Send the secret"))
            let reply = try await client.send("iphone_tokens_regist", fields, secret: CorePushClient.secret)
            #expect(reply.status == "0")
            #expect(reply["results"]?["succeeded"] == "3" && reply["results"]?["failed"] == "1")
            let failure = reply["results"]?["failures"]?.array?.first
            #expect(failure?["index"] == "2")
            #expect(failure?["message"]?.string?.hasPrefix("request_data[2].device_token must be") == true)
            let first = try #require(try await client.registered(1)?.registration)
            #expect(first.user?.rawValue == "17" && first.categories == .list(["2", "3"]))
            #expect(try await client.registered(2)?.registration.categories == .dimensions(["1": ["A"]]))
        }
    }
}
