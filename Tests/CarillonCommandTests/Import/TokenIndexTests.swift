import CarillonModel
import Foundation
import TestSupport
import Testing

@testable import CarillonCommand

struct TokenIndexTests {
    /// The rows of an index that do not hold.
    private func losers(_ count: Int, maximumHeld: Int, in folder: URL) throws -> (duplicates: [Int], dead: [Int]) {
        var index = TokenIndex(in: folder, maximumHeld: maximumHeld)
        for row in 0..<count {
            let token = try #require(DeviceToken(bytes: Array(repeating: UInt8(row * 7 % 61), count: 32)))
            try index.add(
                row,
                token,
                row % 5 == 0 ? .inactive : .active,
                seenAt: row % 3 == 0 ? nil : Timestamp(rawValue: Int64(row * 31 % 977) * 1_000),
                isDead: row % 97 == 0
            )
        }
        let losers = try index.finish()
        return (
            (0..<count).filter(losers.duplicates.contains), (0..<count).filter(losers.dead.contains)
        )
    }

    @Test("X-57 However few rows are in memory, the same rows hold", arguments: [1, 7, 100])
    func holdsFewRows(_ maximumHeld: Int) async throws {
        try await withTemporaryFolder { folder in
            let all = try losers(1_000, maximumHeld: .max, in: folder)
            let some = try losers(1_000, maximumHeld: maximumHeld, in: folder)

            #expect(some.duplicates == all.duplicates && some.dead == all.dead)
            #expect(all.duplicates.count + all.dead.count == 1_000 - 61)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty, "Its folder is gone.")
        }
    }

    @Test("An active row holds before a newer inactive one, a dated one before others, the last among equals")
    func ordersRows() throws {
        let token = try #require(DeviceToken(bytes: Array(repeating: 9, count: 32)))
        let old = Timestamp(rawValue: 1_000_000)
        let new = Timestamp(rawValue: 2_000_000)
        let cases: [([(TokenIndex.Standing, Timestamp?)], Int)] = [
            ([(.active, old), (.inactive, new)], 0), ([(.active, old), (.active, nil)], 0),
            ([(.active, old), (.active, new)], 1), ([(.active, old), (.active, old)], 1),
            ([(.inactive, nil), (.inactive, old)], 1),
        ]
        for (rows, winner) in cases {
            var index = TokenIndex()
            for (number, row) in rows.enumerated() { try index.add(number, token, row.0, seenAt: row.1) }
            let losers = try index.finish()
            #expect((0..<rows.count).filter { !losers.duplicates.contains($0) } == [winner])
        }
    }
}
