import ApplePush
import CarillonEngine
import CarillonModel
import Foundation
import Testing

@testable import CarillonServer

/// docs/reasons.md names what the code can answer, all of it and nothing else.
struct ReasonTableTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The rows of the tables below a heading: the words in the first column, and the other columns.
    private static func rows(below heading: String) throws -> [(words: [String], columns: [String])] {
        let page = try text("docs/reasons.md")
        let begin = try #require(page.range(of: "\n## \(heading)\n"))
        let section = page[begin.upperBound...]
        return section[..<(section.range(of: "\n## ")?.lowerBound ?? section.endIndex)]
            .split(separator: "\n")
            .filter { $0.hasPrefix("| `") }
            .map { line in
                let columns = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                return (columns[0].matches(of: /`([^`]+)`/).map { String($0.output.1) }, Array(columns.dropFirst()))
            }
    }

    private static func words(below heading: String) throws -> [String] {
        try rows(below: heading).flatMap(\.words)
    }

    /// What a pattern captures in the sources below a folder.
    private static func captured(_ pattern: Regex<(Substring, Substring)>, in folder: String) throws -> Set<String> {
        let folder = root.appendingPathComponent(folder)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let source = try String(contentsOf: file, encoding: .utf8)
            found.formUnion(source.matches(of: pattern).map { String($0.output.1) })
        }
        return found
    }

    private func expect(_ words: [String], _ known: Set<String>, _ location: SourceLocation = #_sourceLocation) {
        #expect(Set(words).subtracting(known).isEmpty, "stale", sourceLocation: location)
        #expect(known.subtracting(words).isEmpty, "missing", sourceLocation: location)
        #expect(Set(words).count == words.count, "twice", sourceLocation: location)
    }

    @Test("Every reason of a skipped notification is in the table")
    func skipped() throws {
        expect(try Self.words(below: "Skipped notifications"), Set(SkipReason.allCases.map(\.rawValue)))
    }

    @Test("Every reason of our own for a failed notification is in the table")
    func failed() throws {
        var known: Set<String> = []
        for folder in ["Sources/CarillonEngine", "Sources/ApplePushSender", "Sources/CarillonStore"] {
            known.formUnion(try Self.captured(/FailureReason\(rawValue: "([A-Za-z]+)"\)/, in: folder))
        }
        // Apple's own word, for a token that cannot be renewed yet.
        known.remove("ExpiredProviderToken")
        #expect(known.count >= 8)
        expect(try Self.words(below: "Failed notifications, and those tried again"), known)
    }

    @Test("Every alarm of our own is in the table")
    func alarms() throws {
        let texts = try Self.captured(/FailureReason\(rawValue: "([A-Z][a-z]+)[: ][^"]*resume or cancel/, in: "Sources")
        expect(
            try Self.words(below: "Alarms of a Campaign"),
            texts.union([WorkFailure.word, FailureReason.noPushKey.rawValue, "BadPushKey"])
        )
        #expect(texts == ["Late", "Restored"])
    }

    @Test("Every reason of APNs is in the table, with its consequence")
    func reasons() throws {
        let rows = try Self.rows(below: "Reasons of APNs")
        let known = RejectionReason.documented + RejectionReason.documentedForBroadcasts
        expect(rows.flatMap(\.words), Set(known.map(\.rawValue)))
        for row in rows where RejectionReason.documented.map(\.rawValue).contains(row.words[0]) {
            let status = try #require(Int(row.columns[0]))
            let rejection = Rejection(RejectionReason(rawValue: row.words[0]), status: status)
            #expect(row.columns[1] == consequence(rejection.meaning), "\(row.words)")
        }
    }

    private func consequence(_ meaning: Rejection.Meaning) -> String {
        switch meaning {
        case .invalidToken: "drops the token"
        case .misdirectedToken: "quarantines the token"
        case .badNotification: "fails"
        case .badCredentials: "pauses the Campaign"
        case .temporary: "is tried again"
        }
    }

    @Test("Every failure of the client and every end of a connection is in the table")
    func client() throws {
        let folder = "Sources/ApplePushConnection"
        let failures = try Self.captured(/= Failure\(rawValue: "(\w+)"\)/, in: folder)
        let causes = try Self.captured(/= Cause\(rawValue: "(\w+)"\)/, in: folder)
        #expect(failures.count > 5 && causes.count > 5)
        expect(try Self.words(below: "No answer of APNs"), failures)
        expect(try Self.words(below: "Ends of connections to APNs"), causes)
    }

    @Test("Every code of a problem is in the table, with its status")
    func problems() throws {
        let rows = try Self.rows(below: "Errors of the API")
        let unknown = EngineError.Subject.allCases.map { "unknown-\($0.rawValue)" }
        let codes = try Self.captured(/\bcode: "([a-z-]+)"/, in: "Sources/CarillonServer").union(unknown)
        #expect(codes.count > 40)
        expect(rows.flatMap(\.words), codes)
        for error in EngineError.Subject.allCases.map(EngineError.notFound) + [
            .store(.full), .store(.unavailable("")), .store(.staleMasterKey), .store(.failed("")), .conflict(""),
        ] {
            let problem = Problem(error)
            let row = try #require(rows.first { $0.words == [problem.code] })
            #expect(row.columns[0].hasPrefix("\(problem.status)"), "\(problem.code)")
        }
        let refusals: [EngineError.Refusal] = [
            .wrongDeviceSecret, .userProofRequired, .wrongUserProof, .userProofTooLong, .tooManyDevicesOfUser,
            .userRequired, .unknownTag(try #require(TagID(rawValue: "abcdefgh"))), .userMessagesOff,
            .userMessageRefused, .tooManyNewDevices,
        ]
        for refusal in refusals {
            let problem = Problem(.refused(refusal))
            let row = try #require(rows.first { $0.words == [problem.code] })
            #expect(row.columns[0].contains("\(problem.status)"), "\(problem.code)")
        }
    }

    @Test("Every reason of a node that is not ready is in the tables")
    func readiness() throws {
        var known = try Self.captured(/Reason\(\s*code: "([a-z-]+)"/, in: "Sources/CarillonCommand")
        known.formUnion(try Self.captured(/Reason\(\s*code: "([a-z-]+)"/, in: "Sources/CarillonEngine"))
        #expect(known.count >= 3)
        let other: Set = ["store-unavailable", "master-key-mismatch"]
        expect(try Self.words(below: "Readiness"), known.subtracting(other))
    }
}
