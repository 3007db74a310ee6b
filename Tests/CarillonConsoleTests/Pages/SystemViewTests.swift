import CarillonEngine
import CarillonModel
import Testing

@testable import CarillonConsole

/// The page of the server.
struct SystemViewTests {
    private func view(_ report: NodeReport, _ language: Language = .english) throws -> SystemView {
        var backlog = WebhookBacklog()
        (backlog.dead, backlog.disabled) = (3, WebhookBacklog.maximumCount)
        let model = SystemPage.Model(
            report: report,
            haltedCount: 0,
            halted: [],
            backlog: backlog,
            oldestWait: .seconds(252),
            readAt: Timestamp(rawValue: 0)
        )
        return SystemView(model, try Look.test(language))
    }

    @Test("A fault has a sentence in each language; a failure makes the node unready, another fault degrades it")
    func faults() throws {
        let codes = [
            "dispatcher-stopped", "dispatcher-without-heartbeat", "master-key-mismatch", "store-unavailable",
            "apns-unreachable",
        ]
        for language in Language.offered {
            for code in codes {
                var report = NodeReport()
                report.faults = [NodeReport.Fault(code: code, detail: "Why.", isFailure: code != "apns-unreachable")]
                let view = try view(report, language)

                #expect(view.faults[0].faultWords != code, "\(language.rawValue) \(code)")
                #expect(view.faults[0].faultDetail == "Why.")
                #expect(view.statePill.colour == (code == "apns-unreachable" ? "warn" : "bad"))
            }
        }
        #expect(try view(NodeReport()).statePill.colour == "good")
    }

    @Test("A count that stops at a limit says that there may be more")
    func limits() throws {
        let facts = try view(NodeReport()).facts

        #expect(facts.contains { $0.words == "1,000+" })
        #expect(facts.contains { $0.words == "3" })
        #expect(facts.contains { $0.words == "4 min 12 s" })
    }
}
