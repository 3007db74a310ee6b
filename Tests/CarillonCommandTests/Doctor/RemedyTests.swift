import ApplePush
import ApplePushConnection
import Foundation
import Testing

@testable import CarillonCommand

struct RemedyTests {
    private func fault(_ reason: RejectionReason, status: Int = 400) -> Remedy.Fault {
        Remedy(Rejection(reason, status: status)).fault
    }

    @Test("P-25 every documented reason has a description and advice", arguments: RejectionReason.documented)
    func words(reason: RejectionReason) {
        let found = Remedy(Rejection(reason, status: 400))
        #expect(!found.text.isEmpty && found.advice.hasSuffix("."))
    }

    @Test("P-25 each reason is assigned to the fault that Apple documents")
    func ailments() {
        let groups = Dictionary(grouping: RejectionReason.documented) { fault($0) }
        #expect(
            Set(groups[.credentials] ?? []) == [
                .invalidProviderToken, .expiredProviderToken, .missingProviderToken, .badEnvironmentKeyInToken,
                .unrelatedKeyIDInToken, .forbidden, .badCertificate, .badCertificateEnvironment,
            ]
        )
        #expect(Set(groups[.permission] ?? []) == [.topicDisallowed, .badTopic, .missingTopic])
        #expect(
            Set(groups[.deviceToken] ?? []) == [
                .badDeviceToken, .deviceTokenNotForTopic, .unregistered, .expiredToken,
            ]
        )
        #expect(
            Set(groups[.serviceUnavailable] ?? []) == [
                .tooManyProviderTokenUpdates, .tooManyRequests, .idleTimeout, .internalServerError,
                .serviceUnavailable, .shutdown,
            ]
        )
        #expect(groups[.request]?.count == 11)
    }

    @Test("An undocumented reason is classified by its status, and printed without control characters")
    func unknown() {
        let novel = RejectionReason(rawValue: "New\u{1B}[31mWord")
        #expect(fault(novel, status: 403) == .credentials)
        #expect(fault(novel, status: 410) == .deviceToken)
        #expect(fault(novel, status: 429) == .serviceUnavailable && fault(novel, status: 503) == .serviceUnavailable)
        #expect(fault(novel) == .request)
        #expect(Remedy(Rejection(novel, status: 418)).text == "the server answers 418 New31mWord")
        #expect(Remedy(Rejection(.unstated, status: 418)).text == "the server answers 418 without a reason")
    }

    @Test("A server's date is parsed, and other texts are refused")
    func dates() {
        #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        for bad in ["", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "784111777"] {
            #expect(HTTPDate.seconds(bad) == nil)
        }
    }

    @Test("This computer's clock is compared with the server's date, if present")
    func clock() {
        var doctor = APNsDoctor(endpoint: .sandbox)
        func finding(_ here: Int64, _ date: String?) -> Finding {
            doctor.now = { here }
            return doctor.clock(date)
        }
        let date = "Sat, 21 Mar 2026 12:00:00 GMT"
        let there: Int64 = 1_774_094_400
        #expect(finding(there + 3, date) == .good(.clock, "3 seconds from the server's"))
        #expect(finding(there - 300, date).verdict == .good)
        #expect(finding(there - 301, date).text == "it is 301 seconds behind the server's")
        #expect(finding(there + 7200, date).text == "it is 7200 seconds ahead of the server's")
        #expect(finding(there, nil).verdict == .unknown && finding(there, "soon").verdict == .unknown)
        #expect(finding(0, nil).verdict == .bad && finding(.max, date).verdict == .bad)
    }

    @Test("A server is an address with or without https")
    func servers() {
        #expect(SendTarget.server("https://127.0.0.1:2197/")?.port == 2197)
        #expect(SendTarget.server("localhost:2197")?.host == "localhost")
        #expect(SendTarget.server("https://[::1]:2197")?.host == "::1")
        for bad in ["", "https://", "http://localhost:1", "ftp://x"] {
            #expect(SendTarget.server(bad) == nil, "\(bad)")
        }
    }

    @Test("The report as text and as JSON")
    func report() throws {
        var report = DoctorReport(server: "localhost:1")
        report.add(.good(.keyFile, "a key"))
        report.add(.bad(.ids, "wrong", "Mend."))
        report.skipTheRest()
        #expect(
            report.text.hasPrefix(
                "APNs at localhost:1\n  ✓ key or certificate file: a key\n  ✗ key id and team id: wrong\n      → Mend.\n  – topic:"
            )
        )
        #expect(report.text.hasSuffix("\nSomething is wrong: see the lines marked ✗ or ?."))
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(try report.json.utf8)) as? [String: Any]
        )
        let findings = try #require(json["findings"] as? [[String: Any]])
        #expect(json["healthy"] as? Bool == false && findings.count == Finding.Step.allCases.count)
        #expect(findings[1]["step"] as? String == "ids" && findings[1]["advice"] as? String == "Mend.")
    }
}
