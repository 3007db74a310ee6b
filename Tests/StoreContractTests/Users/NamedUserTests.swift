import CarillonEngine
import CarillonModel
import CarillonSQL
import Testing

@testable import CarillonStore

/// Whether an App's Campaigns name a User who is otherwise unknown.
@Suite struct NamedUserTests {
    private static let app = AppID(rawValue: 7)
    /// The number of Campaigns that are searched before the answer is "perhaps".
    private static let bound = 4_000

    @Test(
        "S1-M5 the search for a User's name ends after some reads, or continues later",
        arguments: StoreKind.allCases
    )
    func boundsLooks(_ kind: StoreKind) async throws {
        try await kind.withRecordedDatabase { database, recorder in
            let users = try await Stores(migrating: database, now: Timestamp(rawValue: 1)).users
            let user = try #require(UserID(rawValue: "nobody"))
            func isNamed() async throws -> (answer: Bool, runs: Int) {
                recorder.reset()
                let answer = try await users.isNamed(user, app: Self.app)
                return (answer, recorder.statements.reduce(0) { $0 + $1.runs })
            }
            let empty = try await isNamed()
            #expect(!empty.answer)
            try await ManyRows.addCampaigns(Self.bound - 1, from: 1, to: database)
            #expect(try await !isNamed().answer)

            try await ManyRows.addCampaigns(1, from: Self.bound, to: database)
            let atBound = try await isNamed()
            try await ManyRows.addCampaigns(Self.bound, from: Self.bound + 1, to: database)
            let beyond = try await isNamed()

            #expect(atBound.answer && beyond.answer)
            #expect(beyond.runs == atBound.runs)
            #expect(beyond.runs < 20 * (empty.runs + 1))
        }
    }
}
