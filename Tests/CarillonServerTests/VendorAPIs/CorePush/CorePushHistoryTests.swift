import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// Histories and feedback.
struct CorePushHistoryTests {
    private func history(_ client: CorePushClient, _ path: String = "notify_history") async throws -> [JSONValue] {
        let reply = try await client.send(path, [("config_type", "1")])
        #expect(reply.status == "0" && reply.body.object?.keys.sorted() == ["results", "status"], "\(reply.body)")
        return reply["results"]?.array ?? []
    }

    private func push(_ client: CorePushClient, _ members: [String: JSONValue]) async throws -> Campaign {
        client.server.clock.advance(byMilliseconds: 1_000)
        let item = ["app_user_id": "9999999999", "message": "Hi"].merging(members) { $1 }
        return try await client.campaigns([.object(item)])[0]
    }

    @Test("C-24, C-26, C-27, C-28 an entry has all five names, texts in them, and Japan's time", arguments: ["1", "2"])
    func entries(_ type: String) async throws {
        try await CorePushClient.run { client in
            #expect(try await history(client).isEmpty)
            let plain = try await push(client, [:])
            let rich = try await push(client, ["title": "T", "url": "https://example.com/a?b=1"])
            let screen = try await push(client, ["url": "page=1"])
            let reply = try await client.send("notify_history", [("config_type", type)])
            let results = try #require(reply["results"]?.array)
            func entry(_ campaign: Campaign, _ time: String, _ title: JSONValue, _ url: JSONValue) throws -> JSONValue {
                [
                    "history_id": .string(String(try #require(campaign.occurrence).rawValue)), "title": title,
                    "message": "Hi", "url": url, "reg_date": .string(time),
                ]
            }
            // 2026-11-21T08:44Z is 17:44 in Japan.
            #expect(
                results == [
                    try entry(screen, "2026-11-21 17:44:03", "", "page=1"),
                    try entry(rich, "2026-11-21 17:44:02", "T", "https://example.com/a?b=1"),
                    try entry(plain, "2026-11-21 17:44:01", "", .null),
                ]
            )
        }
    }

    @Test("C-25 a history has a hundred entries at most, newest first")
    func hundred() async throws {
        try await CorePushClient.run { client in
            for number in 1...102 { _ = try await push(client, ["message": .string("\(number)")]) }
            let found = try await history(client).map { $0["message"]?.string }
            #expect(found == (3...102).reversed().map { String($0) })
        }
    }

    @Test("What was sent to single users, to a segment, later or silently is in no history")
    func others() async throws {
        try await CorePushClient.run { client in
            _ = try await client.campaigns([["app_user_id": "u-1", "message": "Secret"]])
            _ = try await client.campaigns(
                [["app_user_id": "9999999999", "message": "Segment"]],
                [("category_id", "1")]
            )
            _ = try await client.campaigns(
                [["app_user_id": "9999999999", "message": "Later"]],
                path: "iphone_push_schedule",
                [("send_date", "2026-11-22 09:00:00")]
            )
            let silent = #"{"audience":{"all":true},"message":{"silent":true,"data":{"a":1}}}"#
            let key = client.server.serverKey
            let path = "/v1/campaigns?app=\(client.app)"
            #expect(try await client.server.send(.post, path, silent, key: key).status == .created)
            let personal =
                #"{"audience":{"all":true},"message":{"content":{"default":{"body":"To {{user | default: \"you\"}}"}}}}"#
            #expect(try await client.server.send(.post, path, personal, key: key).status == .created)
            #expect(try await history(client).map { $0["message"] } == ["To you"])
        }
    }

    @Test("C-29 another config_type or key is status 1, without results")
    func refused() async throws {
        try await CorePushClient.run { client in
            for type in ["", "0", "3", "ios"] {
                let reply = try await client.send("notify_history", [("config_type", type)])
                #expect(
                    reply.status == "1" && reply["results"] == nil && reply.message == "config_type must be 1 or 2."
                )
            }
            let wrong = try await client.send("notify_history", [("config_type", "1")], key: "unknownunknown")
            #expect(wrong.status == "1" && wrong["results"] == nil)
        }
    }

    @Test("R-11, R-12, R-13, R-16, R-18 the surveys' history has surveys alone, with body and the push's own url")
    func surveys() async throws {
        try await CorePushClient.run { client in
            _ = try await push(client, ["title": "News", "url": "https://example.com/a"])
            let url = "https://research.example.com/q?c=1"
            let survey = try await push(client, ["title": "Q", "url": .string(url), "CoreResearch": "1"])
            #expect(survey.message.isSurvey)
            // The vendor's sample ends its bodies so.
            let body = "config_type=1&config_key=\(CorePushClient.configKey)&"
            let reply = try await client.send("research_history", body: body)
            let id = try #require(survey.occurrence?.rawValue)
            #expect(
                reply.body == [
                    "status": "0",
                    "results": [
                        [
                            "history_id": .string(String(id)), "title": "Q", "body": "Hi", "url": .string(url),
                            "reg_date": "2026-11-21 17:44:02",
                        ]
                    ],
                ]
            )
            #expect(try await history(client).map { $0["title"] } == ["News"])
        }
    }

    // MARK: Feedback

    private func feedback(
        _ client: CorePushClient,
        _ campaigns: [Campaign],
        _ path: String = "iphone_feedback"
    ) async throws -> CorePushReply {
        let key = CorePushKey(campaigns.map(\.id)).text
        return try await client.send(path, [("feedback_key", key)], secret: CorePushClient.secret)
    }

    @Test("C-39, C-40, C-42 feedback has its container, numbers as texts, and the console's counts")
    func feedback() async throws {
        try await CorePushClient.run { client in
            for byte in 1...3 { try await client.register(byte) }
            let campaign = try await push(client, ["title": "T", "url": "https://example.com/a"])
            try await client.deliver(campaign)
            let expected: JSONValue = [
                "message": "Hi", "url": "https://example.com/a", "reg_date": "2026-11-21 17:44:01", "sent": "3",
                "failed": "0", "boot": "0",
            ]
            #expect(try await feedback(client, [campaign]).body == ["status": "0", "results": expected])
            let android = try await feedback(client, [campaign], "android_feedback")
            #expect(android["results"] == nil && android["result"]?["title"] == "T")
            #expect(android["result"]?["sent"] == "3")

            let failed = try await push(client, [:])
            try await client.deliver(failed, .failed)
            let answer = try await feedback(client, [failed])
            #expect(answer["results"]?["sent"] == "0" && answer["results"]?["failed"] == "3")
            #expect(answer["results"]?["url"] == "")
            let funnel = try await client.server.engine.campaigns.funnel(failed.id, within: client.app)
            #expect(funnel.failed.values.reduce(0, +) == 3)
        }
    }

    @Test("C-42 the feedback of several messages of one call is their sum; others in between are left out")
    func sum() async throws {
        try await CorePushClient.run { client in
            for byte in 1...3 { try await client.register(byte, [("app_user_id", "u-\(byte)")]) }
            let found = try await client.campaigns(
                .array((1...3).map { ["app_user_id": .string("u-\($0)"), "message": "Hi", "badge": .integer($0)] })
            )
            #expect(found.count == 3)
            for campaign in found { try await client.deliver(campaign) }
            let answer = try await feedback(client, found)
            #expect(answer["results"]?["sent"] == "3" && answer["results"]?["message"] == "Hi")
            // Another call's message between the first and the last of this one.
            let name = try #require(found[0].name)
            var all: [Campaign] = []
            for name in [name, "Another", name] {
                var request = CampaignRequest(audience: .all, message: found[0].message)
                request.name = name
                all.append(try await client.server.engine.campaigns.create(app: client.app, request))
            }
            for campaign in all { try await client.deliver(campaign) }
            #expect(try await feedback(client, [all[0], all[2]])["results"]?["sent"] == "6")
        }
    }

    @Test(
        "C-41 an unknown or malformed feedback_key is status 1",
        arguments: [
            "", "1", "1_1", "1_2", "2_1", "x_y", "1_1_1", "-1_1", "99999999999999999999_1",
            "1152921504606846976_1152921504606846976",
        ]
    )
    func unknown(_ key: String) async throws {
        try await CorePushClient.run { client in
            let fields = [("feedback_key", key)]
            for path in ["iphone_feedback", "android_feedback"] {
                let reply = try await client.send(path, fields, secret: CorePushClient.secret)
                #expect(reply.status == "1" && reply.message.hasPrefix("feedback_key"))
            }
            // Of another App, it is unknown too.
            let other = try await client.server.makeApp().app.id
            let request = CampaignRequest(audience: .all, message: Message(content: ["default": .init(body: "x")]))
            let campaign = try await client.server.engine.campaigns.create(app: other, request)
            #expect(try await feedback(client, [campaign]).status == "1")
        }
    }
}
