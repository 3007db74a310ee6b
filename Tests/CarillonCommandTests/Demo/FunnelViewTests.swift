import CarillonModel
import CarillonOperatorModel
import Testing

@testable import CarillonCommand

@Suite struct FunnelViewTests {
    @Test("Each step is shown with its share of targeted Devices") func showsShares() {
        var funnel = Funnel()
        funnel.targeted = 2_000
        funnel.accepted = 1_500
        funnel.opened = 5

        let lines = FunnelView(funnel: funnel).lines

        #expect(lines[0] == "  targeted       2,000  100 %  " + String(repeating: "█", count: 40))
        #expect(lines[1] == "  accepted       1,500   75 %  " + String(repeating: "█", count: 30))
        #expect(lines[3] == "  opened             5    0 %  ▏")
    }

    @Test("Replies and launches are shown when there are any") func showsRepliesAndLaunches() {
        var funnel = Funnel()
        #expect(FunnelView(funnel: funnel).lines.count == 6)
        funnel.targeted = 4
        funnel.replies = 1
        funnel.launched = 2

        let lines = FunnelView(funnel: funnel).lines

        #expect(lines[6].hasPrefix("  replies            1   25 %"))
        #expect(lines[7].hasPrefix("  launched           2   50 %"))
    }

    @Test("Reasons are listed by count, highest first") func sortsReasons() {
        var funnel = Funnel()
        funnel.targeted = 10
        funnel.failed = ["BadTopic": 1, "Unregistered": 7]
        funnel.skipped = ["noConsent": 2]

        let lines = FunnelView(funnel: funnel).lines.dropFirst(6)

        #expect(
            Array(lines) == [
                "  skipped            2  noConsent", "  failed             7  Unregistered",
                "  failed             1  BadTopic",
            ]
        )
    }

    @Test("An empty funnel has empty bars") func emptyFunnel() {
        #expect(FunnelView(funnel: Funnel()).lines[0] == "  targeted           0    0 %  ")
    }
}

@Suite struct BarTests {
    @Test(
        "A bar is filled by its share",
        arguments: [(-1.0, "····"), (0, "····"), (0.5, "██··"), (0.53, "██▏·"), (1, "████"), (7, "████")]
    )
    func fillsItsShare(share: Double, bar: String) {
        #expect(Bar(share: share, width: 4).padded == bar)
    }
}

@Suite struct TextTests {
    @Test(
        "Thousands are grouped with commas",
        arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567")]
    )
    func groupsThousands(number: Int, text: String) {
        #expect(Text.grouped(number) == text)
    }
}
