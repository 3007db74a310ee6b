import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

/// Errors within objects and lists: a request with many is answered with all those that its errors one by one have.
struct NestedFieldErrorTests {
    /// A request that decodes, and values that do not, by their paths.
    struct Sample: Sendable, CustomTestStringConvertible {
        var method = HTTPRequest.Method.post
        var path: String
        var isOfDevice = false
        var valid: String
        /// Paths, and the values as JSON.
        var wrong: [String: String]

        var testDescription: String { "\(method) \(path) \(wrong.keys.min() ?? "")" }
    }

    @Test("S1-operators-11 Errors within objects and lists are reported at once", arguments: samples)
    func reportsAll(_ sample: Sample) async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let valid = try JSONSerialization.jsonObject(with: Data(sample.valid.utf8))
            func send(_ wrong: [(path: String, value: String)]) async throws -> [String] {
                var body: Any = valid
                for (path, value) in wrong {
                    let value = try JSONSerialization.jsonObject(with: Data(value.utf8), options: .fragmentsAllowed)
                    body = Self.set(value, at: path.split(separator: ".")[...], in: body)
                }
                let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
                let answer = try await server.send(
                    sample.method,
                    sample.path.replacing("APP", with: app.app.id.description),
                    text,
                    key: sample.isOfDevice ? nil : server.serverKey,
                    headers: sample.isOfDevice ? server.device(app) : [:]
                )
                let problem = try? answer.decoded(Problem.self)
                return problem?.code == "invalid-field" ? (problem?.errors ?? []).map(\.field).sorted() : []
            }

            let wrong = sample.wrong.map { (path: $0.key, value: $0.value) }
            for error in wrong {
                #expect(try await send([error]) == [error.path], "alone")
            }
            #expect(try await send(wrong) == wrong.map(\.path).sorted(), "together")
        }
    }

    @Test("What a wrong field is needed for is no error of its own")
    func reportsNoConsequences() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            for (body, fields) in [
                (#""isAd":"no","adWording":{"contact":"1","removeGuide":"x"},\#(Self.message)"#, ["isAd"]),
                (
                    #""message":{"content":{"default":{"title":"x","buttons":[{"id":"a","title":"b","kind":"say","hint":"h"}]}}}"#,
                    ["message.content.default.buttons.0.kind"]
                ),
                (#""message":{"content":{"default":{"title":""}}}"#, ["message.content.default.title"]),
                (#""sendAt":"soon","sendsLate":true,\#(Self.message)"#, ["sendAt"]),
                (
                    #""schedule":{"repeat":"hourly","weekdays":["monday"],"times":["08:00"],"zone":"UTC"},\#(Self.message)"#,
                    ["schedule.repeat"]
                ),
                (#""schedule":{"zone":"UTC"},\#(Self.message)"#, ["schedule.repeat", "schedule.times"]),
                (#""message":{"silent":"yes","content":{"default":{"title":"x"}}}"#, ["message.silent"]),
            ] {
                let answer = try await server.send(
                    .post,
                    "/v1/campaigns?app=\(app)",
                    "{\"audience\":{\"all\":true},\(body)}",
                    key: server.serverKey
                )
                #expect(try answer.decoded(Problem.self).errors?.map(\.field) == fields, "\(body)")
            }
        }
    }

    // MARK: - Private

    private static func set(_ value: Any, at path: ArraySlice<Substring>, in tree: Any) -> Any {
        guard let name = path.first else { return value }
        if var elements = tree as? [Any], let index = Int(name) {
            elements[index] = set(value, at: path.dropFirst(), in: elements[index])
            return elements
        }
        var object = tree as? [String: Any] ?? [:]
        object[String(name)] = set(value, at: path.dropFirst(), in: object[String(name)] ?? [String: Any]())
        return object
    }

    private static let message = #""message":{"content":{"default":{"body":"x"}}}"#
    private static let device = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301"

    private static let samples: [Sample] = campaigns + others + devices

    private static let campaigns: [Sample] = [
        Sample(
            path: "/v1/campaigns?app=APP",
            valid: """
                {"audience":{"all":true},"isAd":true,"message":{"content":{
                "default":{"title":"t","body":"b","media":{"kind":"image","source":"https://a.example/x.png"},
                "buttons":[{"id":"a","title":"A"},{"id":"b","title":"B","kind":"reply","hint":"h"}]},
                "ja":{"title":"t","buttons":[{"id":"a","title":"A"}]}}},
                "variants":[{"name":"a"},{"name":"b","content":{"default":{"title":"v"}}}],
                "adWording":{"contact":"1","removeGuide":"x"}}
                """,
            wrong: [
                "message.content.default.title": "\"\"", "message.content.default.media.kind": "\"film\"",
                "message.content.default.media.source": "5", "message.content.default.buttons.0.id": "\"a b\"",
                "message.content.default.buttons.0.title": "\"\"", "message.content.default.buttons.1.kind": "7",
                "message.content.default.buttons.1.id": "\"ü\"", "message.content.ja.body": "\"\"",
                "message.content.ja.buttons.0.title": "1", "message.badge": "-1", "message.priority": "\"now\"",
                "variants.0.name": "\"a b\"", "variants.0.weight": "0", "variants.1.name": "1",
                "variants.1.content.default.title": "\"\"", "adWording.contact": "\"call\"",
                "adWording.removeGuide": "\"\"", "adWording.position": "\"top\"", "holdout": "0",
            ]
        ),
        Sample(
            path: "/v1/campaigns?app=APP",
            valid: """
                {\(message),"recipients":[{"user":"a","values":{"x":"1"}},{"user":"b"}],
                "schedule":{"repeat":"weekly","weekdays":["monday","friday"],"times":["08:00","09:00"],"zone":"UTC"}}
                """,
            wrong: [
                "recipients.0.user": "\"\"", "recipients.1.user": "1", "recipients.1.values": "7",
                "schedule.weekdays.0": "\"moon\"", "schedule.weekdays.1": "5", "schedule.times.0": "\"25:00\"",
                "schedule.times.1": "\"x\"", "schedule.from": "\"soon\"", "schedule.until": "\"later\"",
                "schedule.zone": "\"\"", "schedule.local": "\"no\"", "pace.perMinute": "0",
            ]
        ),
        Sample(
            path: "/v1/dry-run?app=APP",
            valid: """
                {"audience":{"all":true},\(message),"schedule":{"at":["2027-01-01T08:00","2027-01-01T09:00"],"zone":"UTC"}}
                """,
            wrong: [
                "schedule.at.0": "\"2027-13-01T08:00\"", "schedule.at.1": "1", "schedule.times": "[]",
                "schedule.repeat": "\"daily\"", "schedule.days": "[1]", "schedule.zone": "3",
                "pace.groups": "1", "pace.every": "1",
            ]
        ),
        Sample(
            path: "/v1/campaigns?app=APP",
            valid: """
                {\(message),"audience":{"rule":{"and":[{"tagName":"a"},{"or":[{"field":"model","op":"=","value":"x"},
                {"within":{"latitude":1,"longitude":2,"radius":3}}]},{"event":"opened","campaign":"cmp_000000000001"}]}}}
                """,
            wrong: [
                "audience.rule.and.0.tagName": "\"\"", "audience.rule.and.1.or.0.op": "\"~\"",
                "audience.rule.and.1.or.1.within.latitude": "91", "audience.rule.and.1.or.1.within.longitude": "\"x\"",
                "audience.rule.and.1.or.1.within.radius": "0", "audience.rule.and.2.campaign": "\"x\"",
                "nightPolicy": "\"wait\"",
            ]
        ),
        Sample(
            path: "/v1/campaigns?app=APP",
            valid: "{\(message),\"audience\":{\"users\":[\"a\",\"b\"]}}",
            wrong: ["audience.users.0": "\"\"", "audience.users.1": "1", "retryFor": "-1"]
        ),
        Sample(
            path: "/v1/test-send?app=APP",
            valid: "{\"device\":\"3f2504e0-4f89-41d3-9a0c-0305e82c3301\",\(message)}",
            wrong: ["device": "\"x\"", "message.content.default.body": "\"\"", "message.sound": "1"]
        ),
        Sample(
            method: .patch,
            path: "/v1/campaigns/cmp_000000000001",
            valid: "{\"schedule\":{\"repeat\":\"monthly\",\"days\":[1,2],\"times\":[\"08:00\"],\"zone\":\"UTC\"}}",
            wrong: [
                "schedule.days.0": "\"x\"", "schedule.days.1": "\"y\"", "schedule.times.0": "8", "schedule.zone": "1",
                "pace.over": "1", "holdout": "91",
            ]
        ),
        Sample(
            path: "/v1/templates?app=APP",
            valid: #"{"name":"x","message":{"content":{"default":{"body":"x"},"ko":{"body":"y"}}}}"#,
            wrong: [
                "name": "\"\"", "message.content.default.body": "1", "message.content.ko.body": "\"\"",
                "message.content.ko.link": "\"javascript:1\"",
            ]
        ),
    ]

    private static let others: [Sample] = [
        Sample(
            path: "/v1/apps",
            valid: """
                {"name":"x","bundleID":"a.b","sendingRules":{"quietHours":{"from":"21:00","until":"08:00"},
                "frequencyCaps":[{"limit":1,"period":60},{"limit":1,"period":60}]}}
                """,
            wrong: [
                "bundleID": "\"a b\"", "sendingRules.quietHours.from": "\"25:00\"",
                "sendingRules.quietHours.until": "8", "sendingRules.quietHours.policy": "\"wait\"",
                "sendingRules.frequencyCaps.0.limit": "0", "sendingRules.frequencyCaps.0.period": "59",
                "sendingRules.frequencyCaps.1.limit": "\"x\"", "sendingRules.frequencyCaps.1.per": "\"app\"",
                "sendingRules.controlGroup": "51",
            ]
        ),
        Sample(
            method: .patch,
            path: "/v1/apps/APP",
            valid:
                #"{"sendingRules":{"quietHours":{"from":"21:00","until":"08:00"},"frequencyCaps":[{"limit":1,"period":60}]}}"#,
            wrong: [
                "name": "\"\"", "sendingRules.quietHours.from": "1", "sendingRules.frequencyCaps.0.period": "1",
                "payloadLimit": "1", "adRule": "\"x\"",
            ]
        ),
        Sample(
            path: "/v1/apps/APP/rotate-keys",
            valid: #"{"keys":["appKey","receiptKey"]}"#,
            wrong: ["keys.0": "\"x\"", "overlapHours": "-1"]
        ),
        Sample(
            method: .put,
            path: "/v1/apps/APP/push-key",
            valid: #"{"keyID":"AAAAAAAAAA","teamID":"BBBBBBBBBB","privateKey":"-----BEGIN EC PRIVATE KEY-----"}"#,
            wrong: ["keyID": "\"AAAAAAAAA\"", "teamID": "7", "privateKey": "\"\""]
        ),
        Sample(
            method: .put,
            path: "/v1/apps/APP/retention",
            valid: "{}",
            wrong: ["deliveries": "1", "events": "\"x\"", "lists": "0"]
        ),
        Sample(
            method: .put,
            path: "/v1/apps/APP/user-messages",
            valid: "{}",
            wrong: ["isAllowed": "1", "titleLength": "101", "perDevice": "0", "checkURL": "5"]
        ),
        Sample(
            path: "/v1/keys",
            valid: #"{"name":"x","scopes":["read","send"]}"#,
            wrong: ["name": "\"\"", "scopes.0": "\"root\"", "scopes.1": "1", "expiresAt": "\"soon\""]
        ),
        Sample(
            path: "/v1/audiences?app=APP",
            valid:
                #"{"name":"x","rule":{"or":[{"tagName":"a"},{"not":{"field":"language","op":"in","value":["ja","ko"]}}]}}"#,
            wrong: [
                "name": "1", "rule.or.0.tagName": "5", "rule.or.1.not.value.1": "[]",
            ]
        ),
        Sample(
            path: "/v1/webhooks?app=APP",
            valid: #"{"url":"https://a.example","topics":["event.opened","event.received"]}"#,
            wrong: ["url": "\"\"", "topics.0": "\"x\"", "topics.1": "1"]
        ),
        Sample(
            path: "/v1/categories?app=APP",
            valid: #"{"label":"x"}"#,
            wrong: ["label": "\"\"", "dimension": "1"]
        ),
    ]

    private static let devices: [Sample] = [
        Sample(
            method: .put,
            path: device,
            isOfDevice: true,
            valid: """
                {"consent":{"notifications":true},"user":"u","location":{"latitude":1,"longitude":2,"at":"2026-01-01T00:00:00Z"},
                "categories":{"a":["x","y"],"b":["z"]},"userProof":{"expires":1,"signature":"\(String(repeating: "x", count: 43))"}}
                """,
            wrong: [
                "consent.notifications": "1", "consent.ads": "\"x\"", "user": "\"\"", "location.latitude": "91",
                "location.longitude": "\"x\"", "location.at": "\"soon\"", "categories.a.1": "\"\"",
                "categories.b.0": "1", "userProof.expires": "\"x\"", "userProof.signature": "\"short\"",
                "language": "\"\"", "country": "\"x\"",
            ]
        ),
        Sample(
            method: .patch,
            path: device,
            isOfDevice: true,
            valid:
                #"{"consent":{"notifications":true},"location":{"latitude":1,"longitude":2,"at":"2026-01-01T00:00:00Z"}}"#,
            wrong: ["consent.ads": "2", "location.latitude": "\"x\"", "location.at": "1", "model": "\"\""]
        ),
        Sample(
            method: .put,
            path: device + "/voip",
            isOfDevice: true,
            valid: #"{"token":"0011223344556677","pushType":"apns_voip"}"#,
            wrong: ["token": "\"x\"", "pushType": "\"apns\""]
        ),
        Sample(
            path: device + "/messages",
            isOfDevice: true,
            valid: #"{"to":"x","body":"y"}"#,
            wrong: ["to": "\"\"", "body": "\"\"", "title": "1"]
        ),
    ]
}
