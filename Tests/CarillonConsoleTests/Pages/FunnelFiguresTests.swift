import ApplePush
import CarillonEngine
import CarillonOperatorModel
import Testing

@testable import CarillonConsole

/// The counts of a Campaign's page, and the reasons.
struct FunnelFiguresTests {
    @Test("K-61 targeted is skipped, attempted and remaining; attempted is accepted, refused and failed")
    func addsUp() {
        var funnel = Funnel()
        funnel.targeted = 100
        funnel.skipped = ["NoConsent": 10, "Holdout": 5]
        funnel.accepted = 60
        funnel.failed = ["Unregistered": 7, "BadDeviceToken": 3, "Expired": 4, "NoAnswer": 1, "Brand New": 2]
        funnel.retrying = 8
        let figures = FunnelFigures(funnel)

        #expect(figures.targeted == figures.skipped + figures.attempted + figures.remaining)
        #expect(figures.attempted == figures.accepted + figures.refused + figures.failed)
        // A word that Carillon does not have is Apple's.
        #expect(figures.refused == 12)
        #expect(figures.failed == 5)
        #expect(FunnelFigures.Step.allCases.map { figures.number(of: $0) } == [100, 15, 77, 60, 0, 0, 0])
    }

    @Test("K-68 every reason of Apple's has texts, and the consequence that the client of APNs draws from it")
    func knowsAppleReasons() {
        for reason in RejectionReason.documented {
            let known = DeliveryReason.failure(reason.rawValue)
            let rejection = Rejection(reason, status: 400)

            #expect(known.texts != nil, "\(reason.rawValue)")
            switch rejection.meaning {
            case .invalidToken: #expect(known.consequence == .droppedToken, "\(reason.rawValue)")
            case .misdirectedToken: #expect(known.consequence == .quarantinedToken, "\(reason.rawValue)")
            case .badNotification: #expect(known.consequence == .failed, "\(reason.rawValue)")
            case .badCredentials: #expect(known.consequence == .pausedCampaign, "\(reason.rawValue)")
            case .temporary: #expect(known.consequence == .retried, "\(reason.rawValue)")
            }
        }
    }

    @Test("K-68 a reason that this version does not know has no texts and is shown verbatim")
    func unknownReasons() {
        let known = DeliveryReason.failure("TooSunny")

        #expect(known == DeliveryReason(word: "TooSunny", texts: nil, consequence: .unknown, isAnswer: true))
        #expect(DeliveryReason.skip("TooSunny").texts == nil)
        #expect(DeliveryReason.word(ofAlarm: "Late: due at 2026-11-26T10:00:00Z; resume or cancel") == "Late")
    }

    @Test("K-71 every reason for which a rule skips a Device has texts", arguments: SkipReason.allCases)
    func knowsSkips(_ reason: SkipReason) {
        #expect(DeliveryReason.skip(reason.rawValue).texts == reason.rawValue)
    }
}
