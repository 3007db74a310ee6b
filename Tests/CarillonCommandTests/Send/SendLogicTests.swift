import ApplePush
import ApplePushConnection
import Foundation
import Testing

@testable import CarillonCommand

struct TokenLineReaderTests {
    private func lines(_ text: String, piece: Int = 1000) -> [TokenLine] {
        var reader = TokenLineReader()
        var bytes = Array(text.utf8)[...]
        var lines: [TokenLine] = []
        while !bytes.isEmpty {
            lines += reader.read(bytes.prefix(piece))
            bytes = bytes.dropFirst(piece)
        }
        return lines + (reader.finish().map { [$0] } ?? [])
    }

    @Test(
        "Lines are numbered from 1, including empty ones and comments, which are skipped",
        arguments: [1, 2, 7, 1000]
    )
    func numbers(piece: Int) {
        let text = "# tokens\n\n 00ff \r\nzz\n\taabb\n\n00FF"
        let expected = [
            TokenLine(number: 3, token: APNsDeviceToken(hex: "00ff")), TokenLine(number: 4, token: nil),
            TokenLine(number: 5, token: APNsDeviceToken(hex: "aabb")),
            TokenLine(number: 7, token: APNsDeviceToken(hex: "00ff")),
        ]
        #expect(lines(text, piece: piece) == expected)
    }

    @Test("A too long line is invalid, and the next one is read again")
    func longLine() {
        let text = String(repeating: "ab", count: 100_000) + "\nabcd\n"
        #expect(
            lines(text) == [
                TokenLine(number: 1, token: nil), TokenLine(number: 2, token: APNsDeviceToken(hex: "abcd")),
            ]
        )
        #expect(lines(String(repeating: "a", count: 100_000)) == [TokenLine(number: 1, token: nil)])
    }

    @Test("Bytes that are not text are an invalid line")
    func binary() {
        var reader = TokenLineReader()
        #expect(reader.read([0xFF, 0x00, 0x0A, 0x61, 0x62, 0x0A]).map(\.token) == [nil, APNsDeviceToken(hex: "ab")])
    }

    @Test("An empty file has no lines")
    func empty() {
        #expect(lines("").isEmpty && lines("\n\n").isEmpty)
    }
}

struct OutcomeRowTests {
    private let id = UUID(run: 0x0123_4567_89AB_CDEF, line: 7)

    @Test("Every outcome can be written and read")
    func roundTrip() {
        let since = Date(timeIntervalSince1970: 1_709_251_200.123)
        let outcomes: [Outcome] = [
            .accepted(uniqueID: "x"), .rejected(Rejection(.unregistered, status: 410, tokenInvalidSince: since)),
            .rejected(Rejection(.unstated, status: 503)), .notSent(.deadlinePassed), .unknown(.connectionLost),
        ]
        for outcome in outcomes {
            let row = OutcomeRow(line: 7, token: "00ff", outcome: outcome, id: id, at: 1_800_000_000)
            #expect(OutcomeRow(text: Substring(row.text)) == row)
        }
        let bad = OutcomeRow(badLine: 9, at: 1)
        #expect(OutcomeRow(text: Substring(bad.text)) == bad)
    }

    @Test("The columns are those of the header")
    func columns() {
        let since = Date(timeIntervalSince1970: 1_709_251_200.123)
        let dead = Outcome.rejected(Rejection(.unregistered, status: 410, tokenInvalidSince: since))
        let row = OutcomeRow(line: 7, token: "00ff", outcome: dead, id: id, at: 1_800_000_000)
        #expect(OutcomeRow.header == "line,token,outcome,status,reason,timestamp,invalid_since,apns_id")
        #expect(
            row.text == "7,00ff,rejected,410,Unregistered,1800000000,1709251200123,01234567-89ab-8def-8000-000000000007"
        )
    }

    @Test("A reason from APNs cannot break the file or a spreadsheet")
    func hostileReason() {
        let evil = Rejection(RejectionReason(rawValue: "=cmd(\"x\")\r\n,1,"), status: 400)
        let row = OutcomeRow(line: 1, token: "aa", outcome: .rejected(evil), id: id, at: 0)
        #expect(row.text.split(separator: ",", omittingEmptySubsequences: false).count == 8)
        #expect(!row.text.contains("\n") && row.text.contains(",cmdx1,"))
    }

    @Test("Outcomes that the next run must repeat are not final")
    func finals() {
        func isFinal(_ outcome: Outcome) -> Bool {
            OutcomeRow(line: 1, token: "aa", outcome: outcome, id: id, at: 0).isFinal
        }
        #expect(isFinal(.accepted(uniqueID: nil)))
        #expect(isFinal(.rejected(Rejection(.badDeviceToken, status: 400))))
        #expect(isFinal(.rejected(Rejection(.unregistered, status: 410))))
        #expect(isFinal(.rejected(Rejection(RejectionReason(rawValue: "Novel"), status: 400))))
        #expect(!isFinal(.rejected(Rejection(.tooManyRequests, status: 429))))
        #expect(!isFinal(.rejected(Rejection(.unstated, status: 503))))
        #expect(!isFinal(.rejected(Rejection(.invalidProviderToken, status: 403))))
        #expect(!isFinal(.rejected(Rejection(.expiredProviderToken, status: 403))))
        #expect(!isFinal(.notSent(.deadlinePassed)) && !isFinal(.unknown(.connectionLost)))
    }

    /// What Apple says not to send again: the request or the token is at fault.
    static let definite: [RejectionReason] = [
        .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .deviceTokenNotForTopic,
        .duplicateHeaders, .invalidPushType, .missingDeviceToken, .payloadEmpty, .badPath, .methodNotAllowed,
        .expiredToken, .unregistered, .payloadTooLarge,
    ]

    @Test("P-38 P-39 every documented reason has its verdict")
    func verdicts() {
        let groups = Dictionary(grouping: RejectionReason.documented) { Verdict(reason: $0, status: 400) }
            .mapValues { Set($0) }
        #expect(groups[.renew] == [.expiredProviderToken])
        #expect(
            groups[.halt] == [
                .badTopic, .missingTopic, .topicDisallowed, .badCertificate, .badCertificateEnvironment, .forbidden,
                .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyInToken,
            ]
        )
        #expect(
            groups[.again] == [
                .tooManyProviderTokenUpdates, .idleTimeout, .internalServerError, .serviceUnavailable, .shutdown,
            ]
        )
        #expect(groups[.againByToken] == [.tooManyRequests])
        #expect(groups[.final] == Set(Self.definite))
        #expect(Verdict(reason: .unstated, status: 403) == .halt)
        #expect(Verdict(reason: .unstated, status: 502) == .again)
    }
}

struct ResumePointTests {
    private func row(_ line: Int, _ token: String, _ outcome: Outcome) -> Substring {
        Substring(OutcomeRow(line: line, token: token, outcome: outcome, id: UUID(run: 5, line: line), at: 0).text)
    }

    @Test("Final lines are skipped, others repeated, and the last outcome of a line counts")
    func resume() throws {
        var point = ResumePoint()
        point.read(Substring(OutcomeRow.header))
        point.read(row(1, "aa", .accepted(uniqueID: nil)))
        point.read(row(2, "bb", .unknown(.connectionLost)))
        point.read(row(3, "cc", .notSent(.deadlinePassed)))
        point.read(row(3, "cc", .rejected(Rejection(.badDeviceToken, status: 400))))
        point.read(Substring(OutcomeRow(badLine: 4, at: 0).text))
        point.read("5,dd,acc")

        #expect(try point.isDone(line: 1, token: "aa"))
        #expect(try !point.isDone(line: 2, token: "bb"))
        #expect(try point.isDone(line: 3, token: "cc"))
        #expect(try point.isDone(line: 4, token: ""))
        #expect(try !point.isDone(line: 5, token: "dd") && !point.isDone(line: 99, token: "ee"))
        #expect(point.finished == 3)
    }

    @Test("P-16 a notification that is sent again keeps its apns-id")
    func sameID() throws {
        var point = ResumePoint()
        let run: UInt64 = 0xFEDC_BA98_7654_3210
        let first = UUID(run: run, line: 1_000_000)
        point.read(Substring(OutcomeRow(line: 1, token: "aa", outcome: .unknown(.reset), id: first, at: 0).text))
        let again = try #require(point.run)
        #expect(UUID(run: again, line: 1_000_000) == first)
        #expect(Set((1...1000).map { UUID(run: run, line: $0) }).count == 1000)
    }

    @Test("An outcome file of other tokens is detected")
    func otherTokens() {
        var point = ResumePoint()
        point.read(row(1, "aa", .accepted(uniqueID: nil)))
        #expect(throws: ResumePoint.OtherTokens(line: 1)) { try point.isDone(line: 1, token: "ab") }
    }
}

struct SendCountsTests {
    @Test("The progress line omits zero counts")
    func line() {
        var tally = SendCounts()
        #expect(tally.line(perSecond: nil) == "0 sent, 0 accepted")
        tally.accepted = 1200
        tally.rejected = 3
        tally.badLines = 1
        tally.skipped = 5
        #expect(
            tally.line(perSecond: 400) == "1,203 sent, 1,200 accepted, 3 rejected, 1 bad line, 5 done before, 400/s"
        )
    }
}

struct SendTargetTests {
    @Test("A host has a port, 443 by default")
    func endpoints() {
        #expect(SendTarget.endpoint("localhost:2197") == Endpoint(host: "localhost", port: 2197))
        #expect(SendTarget.endpoint("api.push.apple.com") == .production)
        #expect(SendTarget.endpoint("[::1]:2197") == Endpoint(host: "::1", port: 2197))
        #expect(SendTarget.endpoint("[::1]") == Endpoint(host: "::1", port: 443))
        for bad in ["", ":1", "a:0", "a:65536", "a:b", "::1", "[::1", "[::1]x", "[]:1"] {
            #expect(SendTarget.endpoint(bad) == nil, "\(bad)")
        }
    }
}
