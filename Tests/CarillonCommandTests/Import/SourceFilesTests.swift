import CarillonImporters
import CarillonModel
import CarillonOperatorModel
import Foundation
import TestSupport
import Testing

@testable import CarillonCommand

/// The files of an import: what is read once, what would be replaced, what is larger than it looks.
struct SourceFilesTests {
    /// 131,072 lines of one letter, in 289 bytes of gzip.
    private static let bomb =
        "H4sIAAAAAAAC/+3CMQ0AAAACoN/Exve2A4OmAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABnYwajrwAA"
        + "BAA="

    @Test("X-57 A compressed file is read by few rows, however small it is") func boundsRows() async throws {
        try await withTemporaryFolder { folder in
            let member = try #require(Data(base64Encoded: Self.bomb))
            let file = folder.appendingPathComponent("bomb.gz")
            // First few rows for many bytes, and then many for few.
            let row = try #require(Data(base64Encoded: "H4sIAAAAAAACA6vgAgAfCOpGAgAAAA=="))
            let members = Array(repeating: row, count: 200) + Array(repeating: member, count: 8)
            try Data(members.joined()).write(to: file)
            var options = SourceOptions()
            (options.environment, options.consent) = (.apns, true)
            let files = [SourceFile(name: "bomb.gz", path: file.path)]
            var rows = SourceRows(files, TokensFormat(options), isSurvey: true)

            var (count, most) = (0, 0)
            while let fates = try rows.next() {
                count += fates.count
                most = max(most, fates.count)
            }

            #expect(count == 200 + 8 * 131_072)
            #expect(most <= 140_000, "Rows are made of at most 256 KiB of text at once.")
        }
    }

    @Test("A pipe is copied, because an import reads twice") func copiesPipes() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("pipe").path
            #expect(mkfifo(path, 0o600) == 0)
            let writer = Task.detached {
                let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                try handle.write(contentsOf: Data("one\ntwo\n".utf8))
                try handle.close()
            }
            let spool = InputSpool(in: folder)

            let files = try SourceFile.all([path], spool: spool)
            try await writer.value

            #expect(files.map(\.name) == ["pipe"])
            let copy = try #require(files.first).path
            #expect(try String(contentsOfFile: copy, encoding: .utf8) == "one\ntwo\n")
            withExtendedLifetime(spool) {}
        }
    }

    @Test("The file of refused rows never replaces a file of the import, by whatever path") func keepsInputs()
        async throws
    {
        try await withTemporaryFolder { folder in
            let input = folder.appendingPathComponent("in.csv").path
            let link = folder.appendingPathComponent("link.csv").path
            try Data("x\n".utf8).write(to: URL(fileURLWithPath: input))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: input)
            let files = [SourceFile(name: "in.csv", path: input)]
            func problem(_ paths: SourceSideFiles.Paths) -> String? {
                do {
                    _ = try SourceSideFiles(paths, inputs: files)
                    return nil
                } catch {
                    return "\(error)"
                }
            }

            for path in [input, link, folder.path + "/./in.csv"] {
                for paths in [
                    SourceSideFiles.Paths(rejects: path), SourceSideFiles.Paths(others: path),
                    SourceSideFiles.Paths(unread: path),
                ] { #expect(problem(paths)?.contains("names a file of the import") == true) }
            }
            let other = folder.appendingPathComponent("out").path
            #expect(problem(SourceSideFiles.Paths(rejects: other, others: other))?.contains("the same file") == true)
            #expect(problem(SourceSideFiles.Paths(rejects: "/nowhere/x"))?.contains("Cannot write /nowhere/x") == true)
            #expect(problem(SourceSideFiles.Paths(rejects: other)) == nil)
            #expect(!FileManager.default.fileExists(atPath: other), "It is made when the import has read its files.")
        }
    }

    @Test("X-58 Halves are joined in any order, however few bytes are in memory", arguments: [1, 1_000, 1 << 20])
    func joinsHalves(_ maximumHeld: Int) async throws {
        try await withTemporaryFolder { folder in
            let join = SourceJoin(in: folder, maximumHeld: maximumHeld)
            func half(_ line: Int, _ key: String, isPerson: Bool, _ value: Int) -> SourceHalf {
                SourceHalf(line: line, key: key, isPerson: isPerson, members: ["v": .integer(Int64(value))])
            }
            for number in 0..<300 {
                let isPerson = number % 2 == 0
                try join.add(half(number, "k\(number / 2)", isPerson: isPerson, number), file: isPerson ? 0 : 1)
            }
            try join.add(half(1_000, "k0", isPerson: true, 9), file: 0)
            try join.add(half(1_001, "alone", isPerson: true, 9), file: 0)
            try join.add(half(1_002, "nobody", isPerson: false, 9), file: 1)
            try join.refuse(SourceLine(file: 1, line: 1_003), "is wrong")

            for _ in 0..<2 {
                let items = try (0..<SourceJoin.bucketCount).flatMap { try join.items($0) }
                var pairs: [String: Int] = [:]
                var lone: [String] = []
                for item in items {
                    switch item {
                    case .row(1, let row):
                        let own = row.members["v"]?.plainText ?? ""
                        pairs[row.person?["v"]?.plainText ?? "none \(own)", default: 0] += Int(own) ?? 0
                    case .row: lone.append("a row of the wrong file")
                    case .person(let line, let isMatched): if !isMatched { lone.append("person \(line.line)") }
                    case .refused(let line, let problem): lone.append("\(line.file):\(line.line) \(problem)")
                    }
                }
                #expect(items.count == 304)
                #expect(pairs.count == 151 && pairs["none 9"] == 9)
                #expect((0..<150).allSatisfy { pairs["\($0 * 2)"] == $0 * 2 + 1 })
                #expect(lone.sorted() == ["1:1003 is wrong", "person 1001"])
            }
        }
    }

    @Test("X-23 What a server refuses beyond its list is counted") func countsUnlisted() async throws {
        let sent = TestBox<[Data]>([])
        let listed = TestBox<[Int]>([])
        let target = ServerTarget(isDryRun: false) { data in
            sent.value.append(data)
            let problem = ImportReport.LineProblem(line: 2, problem: "x")
            return ImportReport(added: 1, replaced: 0, registered: 0, rejected: 3, problems: [problem])
        } reject: { line, _ in
            listed.value.append(line.line)
        }
        for line in 5..<9 {
            var record = ImportRecord(line: line)
            record.registration.token = DeviceToken(bytes: Array(repeating: UInt8(line), count: 32))
            try await target.append(record, at: SourceLine(file: 0, line: line))
        }

        let report = try await target.finish()

        #expect(sent.value.count == 1 && report.added == 1)
        #expect(listed.value == [6] && target.unlistedRefusalCount == 2)
    }

    @Test("X-23 X-47 What a target refuses besides is in the report") func reportsRefusals() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("a.txt")
            let tokens = (1...5).map { String(repeating: "0\($0)", count: 32) + "\n" }.joined()
            try Data((tokens + "x\n").utf8).write(to: file)
            var options = SourceOptions()
            (options.environment, options.consent) = (.apns, true)
            var run = SourceImport<TokensFormat>(
                files: [SourceFile(name: "a.txt", path: file.path)],
                options: options,
                isDryRun: false,
                side: try SourceSideFiles(.init(rejects: folder.appendingPathComponent("bad").path))
            )
            try run.survey()

            let report = try await run.write(to: RefusingTarget())

            #expect(report.refused.count == 3 && report.added == 3 && report.sum == report.rows)
            #expect(report.notes.map { "\($0.name) \($0.count)" } == ["attributeExcess 4"])
        }
    }

    @Test("X-47 Users whose attributes a server refuses are counted") func countsRefusedUsers() async throws {
        let sent = TestBox(0)
        let target = ServerTarget(isDryRun: false) { _ in
            sent.value += 1
            return ImportReport(added: 0, replaced: 0, registered: 0, rejected: sent.value - 1, problems: [])
        } reject: { _, _ in
        }
        var record = ImportRecord(line: 2)
        record.registration.token = DeviceToken(bytes: Array(repeating: 1, count: 32))
        record.registration.user = UserID(rawValue: "u")
        record.attributes = ["a": .integer(1)]
        try await target.append(record, at: SourceLine(file: 0, line: 2))

        _ = try await target.finish()

        #expect(sent.value == 2 && target.refusedUserCount == 1)
    }
}

/// A target that refuses two of five rows without a list, and the attributes of four Users.
private final class RefusingTarget: SourceTarget {
    let refusedUserCount = 4
    let unlistedRefusalCount = 2

    func append(_ record: ImportRecord, at line: SourceLine) async throws {}

    func finish() async throws -> ImportReport {
        ImportReport(added: 3, replaced: 0, registered: 0, rejected: 2, problems: [])
    }

    func abandon() async throws {}
}
