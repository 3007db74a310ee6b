import CarillonEngine
import CarillonModel
import CarillonSQL
import Testing

@testable import CarillonStore

struct RemovedTokenTests {
    @Test("Notes of removed tokens are of one App, and are dropped by age", arguments: StoreKind.allCases)
    func dropsNotes(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            let (app, other) = (AppID(rawValue: 1), AppID(rawValue: 2))
            let tokens = try (1...5).map { TenantToken(token: try Self.token($0)) }
            try await database.write { connection in
                for (index, token) in tokens.enumerated() {
                    try connection.removedTokens.note(token, app: app, at: Timestamp(rawValue: Int64(index)))
                }
                // Removed once more, later.
                try connection.removedTokens.note(tokens[0], app: app, at: Timestamp(rawValue: 9))
            }
            #expect(try await stores.retention.dropRemovedTokens(before: Timestamp(rawValue: 4), limit: 2))
            #expect(try await !stores.retention.dropRemovedTokens(before: Timestamp(rawValue: 4), limit: 2))
            let left = try await database.read { connection in
                (
                    try connection.removedTokens.removed(tokens, app: app),
                    try connection.removedTokens.removed(tokens, app: other)
                )
            }
            #expect(left.0 == [tokens[0], tokens[4]] && left.1.isEmpty)
        }
    }

    @Test("A note is of one tenant, and says when the token was removed", arguments: StoreKind.allCases)
    func separatesTenants(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            let app = AppID(rawValue: 1)
            let token = try Self.token(1)
            let all = [nil, "a", "b"].map { TenantToken(token: token, tenant: $0) }
            try await database.write { connection in
                try connection.removedTokens.note(all[1], app: app, at: Timestamp(rawValue: 7))
            }
            let found = try await database.read { connection in
                (
                    try connection.removedTokens.removed(all, app: app),
                    try all.map { try connection.removedTokens.removal(of: $0, app: app) }
                )
            }
            #expect(found.0 == [all[1]])
            #expect(found.1 == [nil, Timestamp(rawValue: 7), nil])
        }
    }

    private static func token(_ byte: UInt8) throws -> DeviceToken {
        try #require(DeviceToken(bytes: [UInt8](repeating: byte, count: 32)))
    }
}
