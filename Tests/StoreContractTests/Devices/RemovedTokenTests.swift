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
            let tokens = try (1...5).map { try #require(DeviceToken(bytes: [UInt8](repeating: $0, count: 32))) }
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
}
