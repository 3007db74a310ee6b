import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// Launch reports, attributes and the push key.
struct CorePushOtherTests {
    private static let everybody: JSONValue = [["app_user_id": "9999999999", "message": "Hi"]]

    private func launch(
        _ client: CorePushClient,
        _ byte: Int,
        _ push: String,
        _ fields: [(String, String)] = [("latitude", "0"), ("longitude", "0")]
    ) async throws -> CorePushReply {
        let fields = [("device_token", CorePushClient.token(byte)), ("push_id", push)] + fields
        return try await client.send("launch_regist", fields)
    }

    @Test("C-51, C-52, C-53, C-54 a launch counts once in boot, at 0, 0 without a position; another key is an action")
    func launches() async throws {
        try await CorePushClient.run { client in
            for byte in 1...2 { try await client.register(byte) }
            let campaign = try await client.campaigns(Self.everybody)[0]
            let push = try #require(campaign.occurrence?.description)
            #expect(try await launch(client, 1, push).status == "1")
            try await client.deliver(campaign)

            #expect(try await launch(client, 1, push).body == ["status": "0"])
            #expect(try await launch(client, 1, push, [("action_key", "001")]).status == "0")
            #expect(
                try await launch(
                    client,
                    2,
                    push,
                    [("action_key", "101"), ("latitude", "35.6"), ("longitude", "139.7")]
                ).status == "0"
            )
            let funnel = try await client.server.engine.campaigns.funnel(campaign.id, within: client.app)
            #expect(funnel.launched == 1 && funnel.actions == 1)
            let places = try await client.server.stores.database.read { connection in
                try connection.all("SELECT latitude, longitude FROM events ORDER BY device_number") { row in
                    row.isNull(0) && row.isNull(1) ? nil : [row.double(0), row.double(1)]
                }
            }
            #expect(places == [nil, [35.6, 139.7]])
            let key = CorePushKey([campaign.id]).text
            let feedback = try await client.send(
                "iphone_feedback",
                [("feedback_key", key)],
                secret: CorePushClient.secret
            )
            #expect(feedback["results"]?["boot"] == "1")
        }
    }

    @Test("A launch counts only for a token that was sent this push, and that no app with a secret has")
    func strangers() async throws {
        try await CorePushClient.run { client in
            try await client.register(1)
            let campaign = try await client.campaigns(Self.everybody)[0]
            let push = try #require(campaign.occurrence?.description)
            try await client.deliver(campaign)
            try await client.register(2)
            let headers = ["Carillon-App-Key": client.appKey, "Carillon-Device-Secret": TestServer.deviceSecret]
            let path = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
            let body = #"{"token":"\#(CorePushClient.token(3))","consent":{"notifications":true}}"#
            _ = try await client.server.send(.put, path, body, headers: headers)
            let later = try await client.campaigns(Self.everybody)[0]
            try await client.deliver(later)
            let laterPush = try #require(later.occurrence?.description)

            let unknown = "push_id is of no push that was sent to this device_token."
            #expect(try await launch(client, 2, push).message == unknown)
            #expect(try await launch(client, 9, push).message == unknown)
            #expect(try await launch(client, 3, laterPush).message == unknown)
            #expect(try await launch(client, 1, "occ_000000000000").message == unknown)
            #expect(try await launch(client, 1, "451").message.hasPrefix("push_id must be"))
            #expect(try await launch(client, 1, push, [("latitude", "1")]).message.hasPrefix("latitude must be"))
            let long = String(repeating: "k", count: 65)
            #expect(try await launch(client, 1, push, [("action_key", long)]).message.hasPrefix("action_key "))
            let funnel = try await client.server.engine.campaigns.funnel(campaign.id, within: client.app)
            #expect(funnel.launched == 0)
        }
    }

    @Test("A back end sets attributes of a user, as JSON or as PHP's array; null removes one")
    func attributes() async throws {
        try await CorePushClient.run { client in
            let path = "user_attribute_regist"
            func set(_ body: String) async throws -> CorePushReply {
                let body = "config_key=\(CorePushClient.configKey)&app_user_id=u-1&" + body
                return try await client.send(path, body: body, secret: CorePushClient.secret)
            }
            let user = try #require(UserID(rawValue: "u-1"))
            #expect(try await set(#"attributes={"plan":"gold","age":31}"#).body == ["status": "0"])
            #expect(try await set("attributes[plan]=silver").status == "0")
            #expect(try await set(#"attributes={"age":null}"#).status == "0")
            let found = try await client.server.engine.attributes.attributes(of: user, app: client.app)
            #expect(found.attributes == ["plan": "silver"])
            for (body, field) in [
                ("", "attributes"), ("attributes=x", "attributes"), ("attributes=[1]", "attributes"),
                (#"attributes={"a b":1}"#, "attributes"), (#"attributes={"a":[1]}"#, "attributes.a"),
            ] {
                #expect(try await set(body).message.hasPrefix(field + " "), "\(body)")
            }
            let open = try await client.send(path, [("app_user_id", "u-1"), ("attributes", "{}")])
            #expect(open.message.hasPrefix("Send the secret"))
        }
    }

    @Test("C-62 the expiry of an App's credential is told: a push key has none")
    func expiry() async throws {
        try await CorePushClient.run { client in
            let reply = try await client.send("iphone_certificate_expiry", secret: CorePushClient.secret)
            #expect(reply["results"]?["expires"] == "0" && reply["results"]?["expiry_date"] == .null)
            #expect(reply["results"]?["key_id"] == "K")
        }
    }
}
