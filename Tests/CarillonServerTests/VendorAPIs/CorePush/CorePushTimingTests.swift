import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// Scheduled and distributed delivery.
struct CorePushTimingTests {
    private static let everybody: JSONValue = [["app_user_id": "9999999999", "message": "Hi"]]

    /// Asks about what a call has sent.
    private func ask(
        _ client: CorePushClient,
        _ path: String,
        _ campaigns: [Campaign],
        _ fields: [(String, String)] = []
    ) async throws -> CorePushReply {
        let key = ("feedback_key", CorePushKey(campaigns.map(\.id)).text)
        return try await client.send(path, [key] + fields, secret: CorePushClient.secret)
    }

    @Test("C-58 a scheduled send waits for its time, in Japan, and is cancelled before it")
    func schedule() async throws {
        try await CorePushClient.run { client in
            let path = "iphone_push_schedule"
            let date = [("send_date", "2026-11-22 09:00:00")]
            let found = try await client.campaigns(Self.everybody, path: path, date)
            #expect(found[0].state == .scheduled && found[0].sendAt == Timestamp("2026-11-22T00:00:00Z"))
            let status = try await ask(client, "iphone_push_schedule_status", found)
            #expect(status["results"] == ["state": "scheduled", "send_date": "2026-11-22 09:00:00"])
            let cancelled = try await ask(client, "iphone_push_schedule_cancel", found)
            #expect(cancelled["results"]?["state"] == "cancelled")
            let campaign = try await client.server.engine.campaigns.campaign(found[0].id, within: client.app)
            #expect(campaign.state == .cancelled)

            for (value, problem) in [
                ("", "is required"), ("tomorrow", "must be a time"), ("2026-11-22T09:00:00", "must be a time"),
                ("2026-13-22 09:00:00", "must be a time"), ("2026-11-20 09:00:00", ""), ("2027-11-22 09:00:00", ""),
            ] {
                let reply = try await client.push(Self.everybody, path: path, [("send_date", value)])
                #expect(reply.status == "1" && reply.message.hasPrefix("send_date \(problem)"), "\(reply.body)")
            }
        }
    }

    @Test("C-61 what is not sent yet is cancelled, and cancelling what is over is status 1")
    func cancels() async throws {
        try await CorePushClient.run { client in
            try await client.register(1)
            let found = try await client.campaigns(Self.everybody)
            try await client.deliver(found[0])
            let reply = try await ask(client, "iphone_push_schedule_cancel", found)
            #expect(reply.status == "1" && reply.message == "The campaign is sent.")
            #expect(try await ask(client, "iphone_push_schedule_status", found)["results"]?["state"] == "sent")
        }
    }

    @Test("C-55 a distributed delivery has groups with ids of their own, and is changed before it begins")
    func distribution() async throws {
        try await CorePushClient.run { client in
            let path = "iphone_push_distribution"
            let fields = [("groups", "3"), ("interval", "600"), ("send_date", "2026-11-22 09:00:00")]
            let found = try await client.campaigns(Self.everybody, path: path, fields)
            #expect(found[0].pace == .groups(3, every: 600) && found[0].state == .scheduled)
            let modified = try await ask(
                client,
                "iphone_push_distribution_modify",
                found,
                [("groups", "2"), ("send_date", "2026-11-22 10:00:00")]
            )
            #expect(modified["results"] == ["state": "scheduled", "send_date": "2026-11-22 10:00:00"])
            let status = try await ask(client, "iphone_push_distribution_status", found)
            let groups = try #require(status["results"]?["groups"]?.array)
            #expect(groups.map { $0["group"] } == ["1", "2"] && groups.allSatisfy { $0["push_id"] == .null })
            #expect(groups.map { $0["send_date"] } == ["2026-11-22 10:00:00", "2026-11-22 10:10:00"])

            let now = try await client.campaigns(Self.everybody, path: path, Array(fields.prefix(2)))
            let running = try await ask(client, "iphone_push_distribution_status", now)
            let first = running["results"]?["groups"]?.array?.first
            #expect(first?["push_id"]?.string == now[0].occurrence?.description && first?["sent"] == "0")
            let late = try await ask(client, "iphone_push_distribution_modify", now, [("groups", "4")])
            #expect(late.status == "1" && late.message.contains("has begun"))
        }
    }

    @Test("Groups and intervals have limits, and only a broadcast is distributed")
    func distributionLimits() async throws {
        try await CorePushClient.run { client in
            let path = "iphone_push_distribution"
            for (groups, interval, problem) in [
                ("", "60", "groups is required"), ("2", "", "interval is required"),
                ("1", "60", "groups must be 2 through 50"),
                ("51", "60", "groups must be 2 through 50"), ("2", "59", "interval must be 60 through 86400"),
                ("x", "60", "groups must be"),
            ] {
                let fields = [("groups", groups), ("interval", interval)]
                let reply = try await client.push(Self.everybody, path: path, fields)
                #expect(reply.message.hasPrefix(problem), "\(reply.body)")
            }
            let users = try await client.push(
                [["app_user_id": "u-1", "message": "A"]],
                path: path,
                [("groups", "2"), ("interval", "60")]
            )
            #expect(users.message.hasPrefix("request_data[0].app_user_id must be 9999999999"))
            let plain = try await client.campaigns(Self.everybody)
            let status = try await ask(client, "iphone_push_distribution_status", plain)
            #expect(status.message == "feedback_key must be of a distributed delivery.")
        }
    }
}
