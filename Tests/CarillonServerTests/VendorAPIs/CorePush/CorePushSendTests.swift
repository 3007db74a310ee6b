import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// Sends through CORE PUSH's API, and the Campaigns that they become.
struct CorePushSendTests {
    private static let everybody: JSONValue = [["app_user_id": "9999999999", "message": "開演は7時です"]]

    private func content(_ campaign: Campaign) -> LocalizedContent? { campaign.message.content["default"] }

    @Test("C-30, C-38 base64 of a JSON array is sent, and the answer has a feedback_key of digits")
    func sends() async throws {
        try await CorePushClient.run { client in
            let reply = try await client.push(Self.everybody)
            #expect(reply.status == "0" && reply.body.object?.keys.sorted() == ["feedback_key", "status"])
            #expect(reply["feedback_key"]?.string?.wholeMatch(of: /[0-9]+_[0-9]+/) != nil)
        }
    }

    @Test("C-30 base64 whose plus signs were not encoded, or without padding, is read as it was meant")
    func looseBase64() async throws {
        try await CorePushClient.run { client in
            let message = "~~~>>>???"
            let data = Data(#"[{"app_user_id":"9999999999","message":"\#(message)"}]"#.utf8).base64EncodedString()
            #expect(data.contains("+"))
            let body = "config_key=\(CorePushClient.configKey)&request_data=\(data.prefix { $0 != "=" })"
            let reply = try await client.send("iphone_push_request", body: body, secret: CorePushClient.secret)
            let key = try #require(reply["feedback_key"]?.string.flatMap { CorePushKey($0) }, "\(reply.body)")
            let campaign = try await client.server.engine.campaigns.campaign(key.first, within: client.app)
            #expect(content(campaign)?.body == message)
        }
    }

    @Test(
        "C-31 malformed base64, no JSON and no array are status 1, and nothing is sent",
        arguments: [
            ("", "is required"), ("%%%", "must be base64"), ("e30=", "must be a JSON array"),
            ("W10=", "must have 1 through 1000 elements"), ("W3s=", "must be JSON"), ("WzFd", "must be an object"),
            ("/w==", "must be JSON in UTF-8"),
            // A whole send to everybody, and what is no base64 in the middle of it.
            ("W3siYXBwX3VzZXJfaWQiOiI5OTk5%%%%OTk5OTk5IiwibWVzc2FnZSI6IngifV0=", "must be base64"),
        ]
    )
    func malformed(_ data: String, _ problem: String) async throws {
        try await CorePushClient.run { client in
            let fields = [("request_data", data)]
            let reply = try await client.send("iphone_push_request", fields, secret: CorePushClient.secret)
            #expect(reply.status == "1" && reply.message.contains(problem), "\(reply.body)")
            let list = try await client.server.engine.campaigns.list(app: client.app, after: nil, limit: 10)
            #expect(list.items.isEmpty)
        }
    }

    @Test("C-32, C-33 the id of everybody, as a text or a number, reaches all devices", arguments: [true, false])
    func everybody(_ isText: Bool) async throws {
        try await CorePushClient.run { client in
            let id: JSONValue = isText ? "9999999999" : 9_999_999_999
            let campaign = try await client.campaigns([["app_user_id": id, "message": "Hi", "title": "T"]])[0]
            #expect(campaign.audience == .all && campaign.message.isLiteral)
            #expect(content(campaign) == LocalizedContent(title: "T", body: "Hi"))
        }
    }

    @Test("C-34 a broadcast has one element: texts of single users beside it are refused")
    func broadcastIsAlone() async throws {
        try await CorePushClient.run { client in
            let reply = try await client.push([
                ["app_user_id": "9999999999", "message": "A"], ["app_user_id": "u-1", "message": "B"],
            ])
            #expect(reply.status == "1" && reply.message.contains("must have one element"))
        }
    }

    @Test("C-35 each user gets the own text, in one Campaign whose recipients have values")
    func individual() async throws {
        try await CorePushClient.run { client in
            let found = try await client.campaigns([
                ["app_user_id": "u-1", "message": "A {{x}}", "title": "T", "custom_key": ["a": "{{b}}", "n": 1]],
                ["app_user_id": 17, "message": "B", "custom_key": ["a": "{{b}}", "n": 1]],
            ])
            #expect(found.count == 1 && found[0].name == nil)
            #expect(found[0].audience == .users(["u-1", "17"].compactMap(UserID.init(rawValue:))))
            let (store, app) = (client.server.stores.campaigns, client.app)
            let recipients = try await store.recipients(of: found[0].id, app: app)
            let values = Dictionary(uniqueKeysWithValues: recipients.map { ($0.user.rawValue, $0.values.texts) })
            #expect(values == ["u-1": ["message": "A {{x}}", "title": "T"], "17": ["message": "B"]])
            #expect(content(found[0])?.body == "{{recipient.message}}")
            let data = try #require(found[0].message.data["a"]?.string)
            #expect(try PersonalText(data).pieces == [.text("{{b}}")])
            #expect(found[0].message.data["n"] == 1)

            let same = try await client.campaigns([
                ["app_user_id": "u-1", "message": "A"], ["app_user_id": "u-2", "message": "A"],
            ])
            #expect(same.count == 1 && same[0].message.isLiteral && content(same[0])?.body == "A")
        }
    }

    @Test("C-35 what differs beside the text is sent as Campaigns of their own, with one key; all of them or none")
    func severalMessages() async throws {
        try await CorePushClient.run { client in
            let items: [JSONValue] = (0..<3).map { number in
                ["app_user_id": .string("u-\(number)"), "message": "A", "custom_key": ["id": .integer(Int64(number))]]
            }
            _ = try await client.campaigns(Self.everybody)
            let found = try await client.campaigns(.array(items))
            #expect(found.map { $0.message.data["id"] } == [0, 1, 2])
            #expect(Set(found.map(\.name)).count == 1)

            let count = try await client.server.engine.campaigns.list(app: client.app, after: nil, limit: 99).items
                .count
            let bad: JSONValue = ["app_user_id": "u-9", "message": "A", "custom_key": ["aps": 1]]
            let reply = try await client.push(.array(items + [bad]))
            #expect(reply.message.hasPrefix("request_data[3].custom_key.aps must be"), "\(reply.body)")
            let many: [JSONValue] = (0..<101).map { number in
                ["app_user_id": .string("u-\(number)"), "message": "A", "badge": .integer(Int64(number))]
            }
            #expect(try await client.push(.array(many)).message.contains("101 different messages"))
            let after = try await client.server.engine.campaigns.list(app: client.app, after: nil, limit: 99).items
                .count
            #expect(after == count)
        }
    }

    @Test("C-36 a thousand elements are taken, one more is refused")
    func thousand() async throws {
        try await CorePushClient.run { client in
            func items(_ count: Int) -> JSONValue {
                .array((0..<count).map { ["app_user_id": .string("u-\($0)"), "message": .string("Text \($0)")] })
            }
            #expect(try await client.campaigns(items(1_000)).count == 1)
            let reply = try await client.push(items(1_001))
            #expect(reply.status == "1" && reply.message.contains("1 through 1000 elements, not 1001"))
        }
    }

    @Test("C-37 the asynchronous path answers the same, before anything is delivered")
    func asynchronous() async throws {
        try await CorePushClient.run { client in
            let reply = try await client.push(Self.everybody, path: "iphone_push_request_async")
            #expect(reply.body.object?.keys.sorted() == ["feedback_key", "status"])
            let key = try #require(reply["feedback_key"]?.string.flatMap { CorePushKey($0) })
            let campaign = try await client.server.engine.campaigns.campaign(key.first, within: client.app)
            #expect(campaign.state == .sending)
        }
    }

    @Test("C-43 the sandbox path sends to tokens of the development environment alone")
    func sandbox() async throws {
        try await CorePushClient.run { client in
            let path = "iphone_push_request_sandbox"
            let all = try await client.campaigns(Self.everybody, path: path)[0]
            #expect(all.audience == .rule(.term(.pushType(.isEqual(.apnsSandbox)))))
            let users = try await client.campaigns(
                [["app_user_id": "u-1", "message": "A"], ["app_user_id": "u-2", "message": "B"]],
                path: path
            )
            #expect(users.count == 2 && users.allSatisfy { $0.message.isLiteral })
            let user = try #require(UserID(rawValue: "u-2"))
            #expect(
                users[1].audience
                    == .rule(.and([.term(.user(.isAny([user]))), .term(.pushType(.isEqual(.apnsSandbox)))]))
            )
            let many: [JSONValue] = (0..<1_000).map { ["app_user_id": .string("u-\($0)"), "message": "A"] }
            #expect(try await client.campaigns(.array(many), path: path).count == 2)
            #expect(try await client.push(Self.everybody, path: "android_push_request_sandbox").status == "1")
        }
    }

    @Test("C-45 custom keys, and what Carillon adds to an element, are in the message")
    func extras() async throws {
        try await CorePushClient.run { client in
            let item: JSONValue = [
                "app_user_id": "9999999999", "message": "Hi", "url": "https://example.com/a", "badge": 3,
                "sound": "bell.caf", "category": "MAIL", "custom_key": ["a": 1, "b": ["c": true]], "unknown": "x",
            ]
            let message = try await client.campaigns([item])[0].message
            #expect(message.content["default"]?.link == "https://example.com/a" && message.badge == 3)
            #expect(message.sound == "bell.caf" && message.category == "MAIL" && !message.isSurvey)
            #expect(message.data == ["a": 1, "b": ["c": true]])

            let screen = try await client.campaigns([["app_user_id": "9999999999", "message": "Hi", "url": "page=1"]])[
                0
            ]
            #expect(content(screen)?.link == nil && screen.message.data == ["url": "page=1"])
            for (members, name) in [
                (["badge": -1], "badge"), (["url": "javascript:x"], "url"), (["custom_key": "x"], "custom_key"),
                (["custom_key": ["aps": 1]], "custom_key.aps"),
                (["sound": .string(String(repeating: "s", count: 200))], "sound"),
                (["CoreResearch": "1", "url": "https://example.com/a"], "url"), (["message": ""], "message"),
                (["message": .string(String(repeating: "m", count: 2_001))], "message"),
                (["app_user_id": .null], "app_user_id"),
            ] as [([String: JSONValue], String)] {
                let item = JSONValue.object(
                    ["app_user_id": "9999999999", "message": "Hi"].merging(members) { $1 }
                )
                let reply = try await client.push([item])
                #expect(reply.message.hasPrefix("request_data[0].\(name) "), "\(reply.body)")
            }
        }
    }

    @Test("C-47 a payload over the App's limit is refused with its size")
    func payloadLimit() async throws {
        try await CorePushClient.run(payloadLimit: 256) { client in
            // The test's sender writes the text and 24 bytes.
            let fits = String(repeating: "m", count: 232)
            _ = try await client.campaigns([["app_user_id": "9999999999", "message": .string(fits)]])
            let reply = try await client.push([["app_user_id": "9999999999", "message": .string(fits + "m")]])
            #expect(reply.message == "request_data[0].message must render to at most 256 bytes, not 257.")
            let users = try await client.push([
                ["app_user_id": "u-1", "message": "A"], ["app_user_id": "u-2", "message": .string(fits + "m")],
            ])
            #expect(users.message == "request_data[1].message must render to at most 256 bytes, not 257.")
            let split = try await client.campaigns([
                ["app_user_id": "u-1", "message": "A"], ["app_user_id": "u-2", "message": .string(fits)],
            ])
            #expect(split.count == 2 && split.allSatisfy { $0.message.isLiteral })
        }
    }

    @Test("A user comes once in a call, and an App that is open to all names users only when it says so")
    func users() async throws {
        try await CorePushClient.run { client in
            let reply = try await client.push([
                ["app_user_id": "u-1", "message": "A"], ["app_user_id": "u-1", "message": "B"],
            ])
            #expect(reply.message.hasPrefix("request_data[1].app_user_id must come once"))
            var change = AppUpdate()
            change.personalMessages = false
            _ = try await client.server.engine.apps.update(client.app, change)
            let refused = try await client.push([["app_user_id": "u-1", "message": "A"]])
            #expect(refused.message.hasPrefix("request_data[0].app_user_id must name no users"), "\(refused.body)")
        }
    }

    @Test("A category_id that names nobody is refused, and does not reach everybody", arguments: ["[]", "{}"])
    func emptySegment(_ category: String) async throws {
        try await CorePushClient.run { client async throws in
            let reply = try await client.push(Self.everybody, [("category_id", category)])
            #expect(reply.message.hasPrefix("category_id names nobody"), "\(reply.message)")
        }
    }

    @Test("C-56, C-57 category_id beside a broadcast selects its members: any id, or a label of every dimension")
    func segments() async throws {
        try await CorePushClient.run { client in
            try await client.register(1, [("category_id", #"["2"]"#)])
            try await client.register(2, [("category_id", #"{"1":["A"],"2":["X"]}"#)])
            try await client.register(3, [("category_id", #"{"1":["A"],"2":["Y"]}"#)])
            for (category, count) in [
                ("2", 1), (#"["1","2"]"#, 1), (#"{"1":["A"]}"#, 2), (#"{"1":["B","A"],"2":["Z","Y"]}"#, 1),
            ] {
                let campaign = try await client.campaigns(Self.everybody, [("category_id", category)])[0]
                try await client.deliver(campaign)
                let funnel = try await client.server.engine.campaigns.funnel(campaign.id, within: client.app)
                #expect(funnel.accepted == count, "\(category)")
            }
            let both = try await client.push([["app_user_id": "u-1", "message": "A"]], [("category_id", "1")])
            #expect(both.message.hasPrefix("category_id must be missing"))
        }
    }
}
