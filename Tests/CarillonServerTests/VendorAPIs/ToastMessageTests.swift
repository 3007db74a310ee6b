import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// Sends through TOAST Push's API, and the Campaigns that they become.
struct ToastMessageTests {
    /// A send to everybody, with other members.
    static func body(_ changes: [String: JSONValue?] = [:]) -> String {
        var members: [String: JSONValue?] = [
            "target": .object(["type": "ALL"]), "messageType": "NOTIFICATION",
            "content": .object(["default": .object(["title": "Tonight", "body": "Doors open at seven"])]),
        ]
        members.merge(changes) { $1 }
        // Members that are texts, lists and objects are always encodable.
        let data = (try? JSONEncoder().encode(members.compactMapValues(\.self))) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    func content(_ members: [String: JSONValue]) -> [String: JSONValue?] {
        ["content": .object(["default": .object(members)])]
    }

    func campaign(_ client: ToastClient, _ changes: [String: JSONValue?] = [:]) async throws -> Campaign {
        let reply = try await client.send(.post, "messages", Self.body(changes))
        let number = try #require(reply["message"]?["messageId"]?.integer, "\(reply.body)")
        return try await client.server.engine.campaigns.campaign(of: OccurrenceID(rawValue: number), app: client.app)
    }

    func code(_ client: ToastClient, _ changes: [String: JSONValue?]) async throws -> Int64? {
        try await client.send(.post, "messages", Self.body(changes)).code
    }

    private func target(_ type: String, _ to: [String], _ more: [String: JSONValue] = [:]) -> [String: JSONValue?] {
        var target = more
        target["type"] = .string(type)
        if !to.isEmpty { target["to"] = .array(to.map(JSONValue.string)) }
        return ["target": .object(target)]
    }

    // MARK: Targets

    @Test("T-36 ALL is everybody's token for notifications; calls are reached when VoIP types are named")
    func everybody() async throws {
        try await ToastClient.run { client async throws in
            let all = try await campaign(client)
            #expect(all.audience == .all && all.channel == .notification)
            let both: JSONValue = ["APNS", "APNS_SANDBOX", "FCM"]
            #expect(try await campaign(client, target("ALL", [], ["pushTypes": both])).audience == .all)
            let calls = try await campaign(client, target("ALL", [], ["pushTypes": ["APNS_VOIP", "APNS_SANDBOXVOIP"]]))
            #expect(calls.audience == .all && calls.channel == .voip)
            #expect(try await code(client, target("ALL", [], ["pushTypes": ["APNS", "APNS_VOIP"]])) == 40001)
            #expect(try await code(client, target("ALL", [], ["pushTypes": ["FCM"]])) == 40402)
            #expect(try await code(client, target("ALL", [], ["pushTypes": ["SMS"]])) == 40001)
            #expect(try await code(client, target("TOKEN", ["x"])) == 40001)
        }
    }

    @Test("T-37 10,000 uids are accepted, 10,001 are refused")
    func users() async throws {
        try await ToastClient.run { client async throws in
            let uids = (1...10_001).map { "u-\($0)" }
            #expect(try await code(client, target("UID", uids)) == 40008)
            let sent = try await campaign(client, target("UID", Array(uids.dropLast())))
            guard case .users(let users) = sent.audience else { throw Unexpected() }
            #expect(users.map(\.rawValue) == Array(uids.dropLast()))
            #expect(try await code(client, target("UID", [])) == 40003)
        }
    }

    private struct Unexpected: Error {}

    @Test("T-38 T-39 tags are an expression; countries and push types narrow it")
    func tags() async throws {
        try await ToastClient.run { client async throws in
            let ids = [
                try await client.makeTag("a"), try await client.makeTag("b"), try await client.makeTag("c"),
            ]
            let words = ["(", ids[0], "AND", ids[1], ")", "OR", ids[2]]
            let sent = try await campaign(client, target("TAG", words))
            let tags = try ids.map { AudienceRule.term(.tag(try #require(TagID(rawValue: $0)))) }
            #expect(sent.audience == .rule(.or([.and([tags[0], tags[1]]), tags[2]])))
            let shown = try await client.send(.get, "messages/\(sent.toastNumber)")
            // `AND` binds stronger, so that the parentheses say nothing.
            let plain = words.filter { !["(", ")"].contains($0) }
            #expect(shown["message"]?["target"]?["to"] == .array(plain.map(JSONValue.string)))

            let more: [String: JSONValue] = ["countries": ["KR", "JPN"], "pushTypes": ["APNS_SANDBOX"]]
            let narrow = try await campaign(client, target("TAG", [ids[0]], more))
            #expect(
                narrow.audience
                    == .rule(
                        .and([
                            tags[0], .term(.pushType(.isEqual(.apnsSandbox))),
                            .term(.text(.country, .isAny(["KR", "JPN"]))),
                        ])
                    )
            )
            for bad in [["AND"], [ids[0], ids[1]], ["(", ids[0]], ["all"], ["tag:" + ids[0]]] {
                #expect(try await code(client, target("TAG", bad)) == 40001, "\(bad)")
            }
        }
    }

    // MARK: Content

    @Test("T-40 default content is required, and all of it has at most 8,192 characters")
    func contentLimits() async throws {
        try await ToastClient.run { client async throws in
            let body = JSONValue.object(["body": "x"])
            #expect(try await code(client, ["content": .object(["ko": body])]) == 40003)
            #expect(try await code(client, ["content": nil]) == 40003)
            let long = JSONValue.string(String(repeating: "x", count: 8_192))
            #expect(try await code(client, content(["body": "x", "custom": long])) == 40008)
            // Slashes are one character each, however an encoder writes them.
            func languages(_ last: Int) throws -> (content: JSONValue, length: Int) {
                let text = JSONValue.string(String(repeating: "/", count: 2_000))
                var content = ["default", "ko", "ja", "fr"].map { ($0, JSONValue.object(["body": text])) }
                content.append(("zh", .object(["body": .string(String(repeating: "/", count: last))])))
                let object = JSONValue.object(Dictionary(content) { $1 })
                let encoded = String(decoding: try JSONEncoder().encode(object), as: UTF8.self)
                return (object, encoded.count { $0 != "\\" })
            }
            let room = 8_192 - (try languages(0).length)
            let full = try languages(room)
            #expect(full.length == 8_192 && room > 0)
            #expect(try await code(client, ["content": full.content]) == 0)
            #expect(try await code(client, ["content": try languages(room + 1).content]) == 40008)
            let reply = try await client.send(
                .post,
                "messages",
                Self.body(content(["title": .string(String(repeating: "x", count: 257)), "body": "x"]))
            )
            #expect(reply.code == 40001 && reply.message.contains("content.default.title<"))
        }
    }

    @Test("T-41 an ad needs contact and remove guide, in their forms")
    func ads() async throws {
        try await ToastClient.run { client async throws in
            func ad(_ changes: [String: JSONValue?]) -> [String: JSONValue?] {
                ["messageType": "AD", "contact": "1588-1588", "removeGuide": "Menu > Settings"].merging(changes) { $1 }
            }
            #expect(try await code(client, ad(["contact": nil])) == 40013)
            #expect(try await code(client, ad(["removeGuide": nil])) == 40012)
            #expect(try await code(client, ad(["contact": "1588#"])) == 40014)
            let sent = try await campaign(client, ad(["adWordPosition": "BODY"]))
            #expect(sent.isAd)
            #expect(sent.adWording == AdWording(contact: "1588-1588", removeGuide: "Menu > Settings", position: .body))
            let old = try await client.of("v2.2").send(.post, "messages", Self.body(ad(["contact": nil])))
            #expect(old.code == 40003)
        }
    }

    @Test("T-42 the time to live is 1 through 60 minutes, and 10 when it is missing")
    func timeToLive() async throws {
        try await ToastClient.run { client async throws in
            let usual = try await campaign(client)
            #expect(usual.validFor == 600)
            #expect(try await campaign(client, ["timeToLiveMinute": .integer(60)]).validFor == 3_600)
            for bad in [0, 61, -1] as [Int64] {
                #expect(try await code(client, ["timeToLiveMinute": .integer(bad)]) == 40001)
            }
            #expect(try await code(client, ["timeToLiveMinute": "10"]) == 40002)
            // An App's dialect has limits of its own; the call has the vendor's under every dialect.
            var change = AppUpdate()
            change.dialect = .corepush
            _ = try await client.server.engine.apps.update(client.app, change)
            #expect(try await code(client, ["timeToLiveMinute": .integer(61)]) == 40001)
            #expect(try await campaign(client).validFor == 600)
        }
    }

    // MARK: Reading

    @Test("A message is shown as it was sent, with its counts and state")
    func shows() async throws {
        try await ToastClient.run { client async throws in
            let members: [String: JSONValue] = [
                "title": "T", "body": "B", "badge": .integer(1), "own": .array([.integer(1)]),
                "clickAction": "https://example.com/",
            ]
            let sent = try await campaign(client, content(members).merging(target("UID", ["u-1"])) { $1 })
            let id = sent.toastNumber
            let message = try #require(try await client.send(.get, "messages/\(id)")["message"])
            #expect(message["content"]?["default"] == .object(members))
            #expect(message["target"] == .object(["type": "UID", "to": ["u-1"]]))
            #expect(message["messageId"] == .integer(id) && message["messageIdString"] == .string("\(id)"))
            #expect(message["messageStatus"] == "PROCESSING" && message["timeToLiveMinute"] == .integer(10))
            #expect(message["targetCount"] == .integer(0) && message["messageType"] == "NOTIFICATION")

            _ = try await campaign(client)
            let list = try await client.send(.get, "messages?pageSize=1&pageIndex=1")
            #expect(list["totalCount"] == .integer(2))
            #expect(list["messages"]?.array?.compactMap { $0["messageId"] } == [.integer(id)])
            #expect(try await client.send(.get, "messages?messageStatus=COMPLETE")["totalCount"] == .integer(0))
            #expect(try await client.send(.get, "messages?deliveryType=RESERVATION")["totalCount"] == .integer(0))
            #expect(try await client.send(.get, "messages?messageStatus=GONE").code == 40001)
        }
    }

    @Test("What V1 refuses is told under the vendor's names")
    func engineErrors() async throws {
        try await ToastClient.run { client async throws in
            let rule: [String: JSONValue?] = ["statsId": "sta_000000000001"]
            let statistics = try await client.send(.post, "messages", Self.body(rule))
            #expect(statistics.code == 40001 && statistics.message.contains("statsId<"))
            #expect(try await code(client, ["statsId": "mine"]) == 40401)
            let media = JSONValue.object(["media": .object(["mediaType": "IMAGE", "source": "http://a.example/x.png"])])
            let reply = try await client.send(
                .post,
                "messages",
                Self.body(content(["body": "B", "richMessage": media]))
            )
            #expect(
                reply.code == 40001 && reply.message.contains("content.default.richMessage.media.source<"),
                "\(reply.message)"
            )
        }
        try await TestServer.run { server in
            // An App without a push key.
            let app = try await server.engine.apps.create(AppRequest(name: "x", bundleID: "org.example.x")).app.id
            let keys = VendorAPIRequest(key: ToastClient.appKey, secret: ToastClient.secretKey)
            _ = try await server.engine.vendorAPIs.turnOn(.toast, app: app, keys)
            let reply = try await ToastClient(server: server, app: app).send(.post, "messages", Self.body())
            #expect(reply.code == 40402)
        }
    }
}
