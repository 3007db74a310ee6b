import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// What is asked through CORE PUSH's API leaves the same as what is asked through V1.
struct CorePushContractTests {
    /// A Campaign without what is new in each.
    private func content(_ campaign: Campaign) -> Campaign {
        var content = campaign
        (content.id, content.occurrence, content.app) = (CampaignID(rawValue: 0), nil, AppID(rawValue: 0))
        content.createdBy = nil
        return content
    }

    private func create(_ client: CorePushClient, _ body: String) async throws -> Campaign {
        let path = "/v1/campaigns?app=\(client.app)"
        let answer = try await client.server.send(.post, path, body, key: client.server.serverKey)
        #expect(answer.status == .created, "\(String(buffer: answer.body))")
        return try answer.decoded()
    }

    private static let message = #""message":{"content":{"default":{"body":"Hi"}},"isLiteral":true}"#

    @Test(
        "A send leaves the Campaign that V1 leaves",
        arguments: [
            ("iphone_push_request", "9999999999", [:], #"{"audience":{"all":true},MESSAGE}"#),
            ("iphone_push_request", "u-1", [:], #"{"audience":{"users":["u-1"]},MESSAGE}"#),
            (
                "iphone_push_request", "9999999999", ["category_id": #"{"1":["A"]}"#],
                #"{"audience":{"rule":"category.1 in [A]"},MESSAGE}"#
            ),
            (
                "iphone_push_request_sandbox", "9999999999", [:],
                #"{"audience":{"rule":"pushType = apns_sandbox"},MESSAGE}"#
            ),
            (
                "iphone_push_schedule", "9999999999", ["send_date": "2026-11-22 09:00:00"],
                #"{"audience":{"all":true},"sendAt":"2026-11-22T00:00:00Z",MESSAGE}"#
            ),
            (
                "iphone_push_distribution", "9999999999", ["groups": "3", "interval": "600"],
                #"{"audience":{"all":true},"pace":{"groups":3,"every":600},MESSAGE}"#
            ),
        ] as [(String, String, [String: String], String)]
    )
    func sends(_ path: String, _ user: String, _ fields: [String: String], _ body: String) async throws {
        try await CorePushClient.run { client in
            let item: JSONValue = ["app_user_id": .string(user), "message": "Hi"]
            let ours = try await client.campaigns([item], path: path, fields.map { ($0, $1) })[0]
            let theirs = try await create(client, body.replacing("MESSAGE", with: Self.message))
            #expect(content(ours) == content(theirs))
            #expect(ours.createdBy == .vendorAPI(.corepush))
        }
    }

    @Test("A registration leaves what a registration over V1 leaves, but for the secret")
    func registration() async throws {
        try await CorePushClient.run { client in
            try await client.register(1, [("app_user_id", "u-1"), ("category_id", #"["4"]"#)])
            let body = """
                {"token":"\(CorePushClient.token(2))","user":"u-1","categories":["4"],"consent":{"notifications":true}}
                """
            let headers = ["Carillon-App-Key": client.appKey, "Carillon-Device-Secret": TestServer.deviceSecret]
            let path = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
            #expect(try await client.server.send(.put, path, body, headers: headers).status == .created)
            var (ours, theirs) = (
                try #require(try await client.registered(1)), try #require(try await client.registered(2))
            )
            #expect(!ours.hasSecret && theirs.hasSecret)
            (ours.registration.token, theirs.registration.token) = (nil, nil)
            #expect(ours.registration == theirs.registration && ours.consentTimes == theirs.consentTimes)
        }
    }

    @Test("Cancelling, attributes and launches leave what V1 leaves")
    func changes() async throws {
        try await CorePushClient.run { client in
            let later = #"{"audience":{"all":true},"sendAt":"2026-11-22T00:00:00Z",\#(Self.message)}"#
            let (ours, theirs) = (try await create(client, later), try await create(client, later))
            let key = [("feedback_key", CorePushKey([ours.id]).text)]
            let cancelled = try await client.send("iphone_push_schedule_cancel", key, secret: CorePushClient.secret)
            #expect(cancelled.status == "0")
            let path = "/v1/campaigns/\(theirs.id)/cancel"
            #expect(try await client.server.send(.post, path, key: client.server.serverKey).status == .ok)
            let campaigns = client.server.engine.campaigns
            #expect(
                content(try await campaigns.campaign(ours.id, within: client.app))
                    == content(try await campaigns.campaign(theirs.id, within: client.app))
            )

            let fields = [("app_user_id", "u-1"), ("attributes", #"{"plan":"gold"}"#)]
            #expect(try await client.send("user_attribute_regist", fields, secret: CorePushClient.secret).status == "0")
            let v1 = try await client.server.send(
                .patch,
                "/v1/users/u-2/attributes?app=\(client.app)",
                #"{"attributes":{"plan":"gold"}}"#,
                key: client.server.serverKey
            )
            let user = try #require(UserID(rawValue: "u-1"))
            #expect(try await client.server.engine.attributes.attributes(of: user, app: client.app) == v1.decoded())
        }
    }
}
