import CarillonModel
import Testing

@testable import CarillonContentSets

/// The rows of a file's records.
struct CollectorTests {
    private func collector(_ change: (inout ContentFile.Limits) -> Void = { _ in }) -> ContentCollector {
        var limits = ContentFile.Limits()
        change(&limits)
        let table = ContentTable("places", key: "id", [ContentField("id", .text)])
        return ContentCollector([table], timeZone: "UTC", limits)
    }

    @Test("A record costs the same however many came before it", .timeLimit(.minutes(1))) func manyRecords() throws {
        var collector = collector()
        for number in 0..<150_000 {
            try collector.add(["id": .string("the place number \(1_000_000 + number)")], at: "line \(number)")
        }
        #expect(collector.finished()["places"]?.count == 150_000)
    }

    @Test("As many rows as there may be are read, and one more is refused") func bound() throws {
        var collector = collector { $0.rowCount = 3 }
        for number in 1...3 { try collector.add(["id": .integer(Int64(number))], at: "") }
        // One of a known key is no row.
        try collector.add(["id": .integer(2)], at: "")
        #expect(collector.finished()["places"]?.count == 3)
        #expect(throws: ContentFileProblem.self) { try collector.add(["id": .integer(4)], at: "") }
    }
}
