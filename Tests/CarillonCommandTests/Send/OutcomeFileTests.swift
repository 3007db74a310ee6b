import ApplePushConnection
import Foundation
import Testing

@testable import CarillonCommand

struct OutcomeFileTests {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).csv").path

    private func row(_ line: Int) -> OutcomeRow {
        OutcomeRow(line: line, token: "aa", outcome: .accepted(uniqueID: nil), id: UUID(run: 1, line: line), at: 0)
    }

    @Test("A file is created for its owner only, begins with a header, and is continued")
    func continues() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        for line in 1...3 {
            let file = try OutcomeFile(path: path)
            #expect(try file.resume().finished == line - 1)
            try file.append([row(line)])
            try file.close()
        }
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.map(String.init) == [OutcomeRow.header] + (1...3).map { row($0).text })
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("A line that a crash truncated is removed")
    func tornLine() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try (OutcomeRow.header + "\n" + row(1).text + "\n2,aa,acc").write(
            toFile: path,
            atomically: true,
            encoding: .utf8
        )
        let file = try OutcomeFile(path: path)
        #expect(try file.resume().finished == 1)
        try file.append([row(2)])
        try file.close()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == OutcomeRow.header + "\n" + row(1).text + "\n" + row(2).text + "\n")
    }
}
