import CarillonModel
import Foundation
import TestSupport
import Testing

@testable import CarillonCommand

struct AttributeSpoolTests {
    @Test(
        "X-57 However few bytes are in memory, Users come back in order with the values that came last",
        arguments: [(2_000, 2), (2_000, 3), (2_000, 64), (20_000, 64), (1 << 20, 64)]
    )
    func sortsUsers(_ maximumByteCount: Int, _ width: Int) async throws {
        try await withTemporaryFolder { folder in
            var spool = AttributeSpool(in: folder, maximumByteCount: maximumByteCount, width: width)
            var expected: [UserID: [String: JSONValue]] = [:]
            for number in 0..<500 {
                let user = try #require(UserID(rawValue: ["", "same-prefix-", "é"][number % 3] + "\(number * 7 % 97)"))
                let attributes: [String: JSONValue] = [
                    "n": .integer(Int64(-number)), "t\(number % 5)": .string("ü\(number)"), "b": .bool(number % 2 == 0),
                    "d": .number(Double(number) / 3), "x": .null,
                ]
                try spool.add(attributes, of: user)
                expected[user, default: [:]].merge(attributes) { $1 }
            }

            // Files are merged before there are too many to be open at once.
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.contains("/") }
            #expect(files.count <= max(6, width - 1))

            let batches = TestBox<[[UserID: UserAttributes]]>([])
            try await spool.batches(of: 10) { batches.value.append($0) }

            let found = batches.value.reduce(into: [UserID: [String: JSONValue]]()) { all, batch in
                for (user, attributes) in batch {
                    #expect(all[user] == nil, "Each User comes once.")
                    all[user] = attributes.attributes
                }
            }
            #expect(found == expected)
            let highest = batches.value.map {
                $0.keys.map { Array($0.rawValue.utf8) }.max { $0.lexicographicallyPrecedes($1) } ?? []
            }
            #expect(zip(highest, highest.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
            #expect(batches.value.dropLast().allSatisfy { $0.count == 10 })
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }
}
