import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import TestStores
import Testing

@testable import CarillonServer

/// Sends through CORE PUSH's API that become several Campaigns.
struct CorePushDraftTests {
    private static let items: JSONValue = .array(
        (0..<3).map { number in
            ["app_user_id": .string("u-\(number)"), "message": "A", "badge": .integer(Int64(number))]
        }
    )

    private func campaigns(_ client: CorePushClient) async throws -> [Campaign] {
        try await client.server.engine.campaigns.list(app: client.app, after: nil, limit: 99).items
    }

    @Test(
        "C-35 when one of several Campaigns cannot be stored, none is sent",
        .enabled(if: !TestPlace.isPostgreSQL, "the fault is a trigger of SQLite's")
    )
    func failsToCreate() async throws {
        try await CorePushClient.run { client in
            _ = try await client.server.stores.database.write { connection in
                try connection.run(
                    """
                    CREATE TRIGGER stop BEFORE INSERT ON campaigns WHEN (SELECT COUNT(*) FROM campaigns) >= 2
                    BEGIN SELECT RAISE(ABORT, 'full'); END
                    """
                )
            }
            let reply = try await client.push(Self.items)
            #expect(reply.status == "1" && !reply.message.contains("feedback_key"), "\(reply.body)")
            #expect(try await campaigns(client).isEmpty)
        }
    }

    @Test(
        "C-35 when one of several Campaigns cannot be sent, those before it are cancelled, and the answer has their key",
        .enabled(if: !TestPlace.isPostgreSQL, "the fault is a trigger of SQLite's")
    )
    func failsToSend() async throws {
        try await CorePushClient.run { client in
            _ = try await client.server.stores.database.write { connection in
                try connection.run(
                    """
                    CREATE TRIGGER stop BEFORE INSERT ON occurrences WHEN (SELECT COUNT(*) FROM occurrences) >= 2
                    BEGIN SELECT RAISE(ABORT, 'full'); END
                    """
                )
            }
            let reply = try await client.push(Self.items)
            #expect(reply.status == "1" && reply.message.contains("2 of 3 messages had begun, and are cancelled"))
            let text = reply.message.split(separator: " ").last.map { String($0.dropLast()) } ?? ""
            let key = try #require(CorePushKey(text), "\(reply.body)")
            let left = try await campaigns(client)
            #expect(left.map(\.id) == [key.last, key.first])
            #expect(left.allSatisfy { [.cancelled, .cancelling].contains($0.state) })
        }
    }

    @Test("S1-m1 a call with several messages takes a place of the expensive requests")
    func takesPlace() async throws {
        try await CorePushClient.run { configuration, _ in
            configuration.requestLimits?.costly = 0
        } _: { client in
            let reply = try await client.push(Self.items)
            #expect(reply.status == "1" && reply.message.contains("dry runs"), "\(reply.body)")
            #expect(try await client.push([["app_user_id": "u-1", "message": "A"]]).status == "0")
        }
    }
}
