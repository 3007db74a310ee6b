import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Testing

@testable import CarillonStore

/// Rows of before are what they would be had they been written since.
@Suite struct PeopleMigrationTests {
    private static let audiences: [(id: Int64, audience: String, message: String, namesPeople: Bool, isMessage: Bool)] =
        [
            (1, #"{"all":true}"#, #"{"data":{}}"#, false, false),
            (2, #"{"users":["a","b"]}"#, #"{"isLiteral":true,"data":{"from":"c"}}"#, true, false),
            (3, #"{"users":["a"]}"#, #"{"isLiteral":true,"data":{"from":"c"}}"#, true, true),
            (4, #"{"users":["a"]}"#, #"{"isLiteral":true,"data":{}}"#, true, false),
            (5, #"{"devices":["a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1"]}"#, #"{"data":{"from":"c"}}"#, true, false),
            (6, #"{"rule":"user = a"}"#, #"{"data":{}}"#, true, false),
        ]

    @Test(
        "S1-M4 messages between Users and Campaigns that name people of before are found",
        arguments: StoreKind.allCases
    )
    func marksRowsOfBefore(_ kind: StoreKind) async throws {
        try await kind.withDatabase(hasSchema: false) { database in
            let before = Array(Migration.all.prefix { $0.name != Migration.people.name })
            try await database.migrate(before, now: 1)
            try await database.write { connection throws(StoreError) in
                try connection.run("INSERT INTO user_message_rules (app_id, rules) VALUES (7, '{}')")
                for row in Self.audiences {
                    try connection.run(
                        """
                        INSERT INTO campaigns (app_id, id, state, audience, message, is_ad, is_test, retry_for, created_at,
                            timing)
                        VALUES (7, $1, 'sent', $2, $3, 0, 0, 0, 0, '{"isTransactional":true}')
                        """,
                        row.id,
                        row.audience,
                        row.message
                    )
                }
            }

            try await database.migrate(now: Timestamp(rawValue: 2))

            let after = try await database.read { connection throws(StoreError) in
                try connection.all("SELECT id, names_people, kind FROM campaigns WHERE app_id = 7 ORDER BY id LIMIT 10")
                {
                    [$0.int64(0), $0.int64(1), $0.int64(2)]
                }
            }
            #expect(after == Self.audiences.map { [$0.id, $0.namesPeople ? 1 : 0, $0.isMessage ? 1 : 0] })
        }
    }
}
