import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@testable import CarillonConsole

/// The words of states, reasons and other values: a missing one would be shown as the bare word.
struct PageTextsTests {
    /// All words that pages look up by a value.
    private static var words: [(group: String, words: [String])] {
        let consequences = DeliveryReason.Consequence.allCases.map(\.rawValue)
        return [
            ("campaigns.tab", CampaignsQuery.Tab.allCases.map(\.rawValue)),
            ("campaign.state", Campaign.State.allCases.map(\.rawValue) + ["halted"]),
            ("campaign.kind", ["ad", "information", "call"]), ("campaign.night", DelayPolicy.allCases.map(\.rawValue)),
            (
                "campaign.fact",
                [
                    "audience", "kind", "created", "changed", "sendAt", "schedule", "pace", "next", "started",
                    "finished", "duration", "validFor", "night", "transactional", "holdout", "template", "statistics",
                ]
            ),
            ("occurrence.state", Occurrence.State.allCases.map(\.rawValue)),
            ("weekday", Weekday.allCases.map(\.rawValue)),
            ("funnel", FunnelFigures.Step.allCases.map(\.rawValue) + others),
            ("funnel.meaning", FunnelFigures.Step.allCases.map(\.rawValue) + others),
            ("funnel.of", FunnelFigures.Step.allCases.compactMap(\.denominator).map(\.rawValue)),
            ("funnel.source", ["carillon", "apns", "device"]),
            ("reason.meaning", DeliveryReason.allTexts.sorted()), ("reason.advice", DeliveryReason.allTexts.sorted()),
            ("reason.consequence", consequences), ("confirm.heading", ["resume", "cancel"]),
            ("confirm.button", ["resume", "cancel"]),
            ("campaign.done", CampaignActions.Action.allCases.map(\.rawValue)),
            ("chart", (ChartsView.ofCampaign + ChartsView.ofApp).map(\.name) + ["targeted", "skipped", "acted"]),
            ("history", ["create", "change", "send", "pause", "resume", "cancel"]),
            ("overview.task", ["key", "device", "campaign"]), ("consent", ["notifications", "ads", "nightAds"]),
            ("consent.source", ConsentChange.Source.allCases.map(\.rawValue)),
            ("token.state", DeviceRecord.TokenState.allCases.map(\.rawValue)),
            ("permission", NotificationPermission.allCases.map(\.rawValue)),
            ("outcome", Delivery.Outcome.allCases.map(\.rawValue)),
            ("webhook.state", Webhook.State.allCases.map(\.rawValue)),
            ("webhook.messages", WebhookMessage.State.allCases.map(\.rawValue)),
            ("webhook.fact", ["url", "topics", "failures", "lastSuccess", "formerSecret", "created"]),
            (
                "device.fact",
                [
                    "user", "environment", "tenant", "model", "system", "appVersion", "sdkVersion", "language",
                    "country", "zone", "permission", "categories", "created", "registered",
                ]
            ),
        ]
    }

    private static let others = [
        "refused", "failed", "remaining", "deferred", "dismissed", "replies", "launched",
    ]

    @Test("K-87 every value that a page shows as a word has one in each language", arguments: Language.offered)
    func hasWords(_ language: Language) throws {
        let texts = try Look.test(language).texts

        for (group, words) in Self.words {
            for word in words {
                // A text may be the word itself in English alone.
                let text = texts("\(group).\(word)")
                #expect(text.missingKeys.isEmpty, "\(language.rawValue) lacks \(group).\(word)")
            }
        }
    }

    @Test("K-87 no text of another language is the English one, but for names", arguments: Language.offered)
    func translates(_ language: Language) throws {
        guard language != .english else { return }
        let (english, texts) = (try Look.test().texts, try Look.test(language).texts)
        let names: Set = ["funnel.source.carillon", "funnel.source.apns"]
        for (group, words) in Self.words {
            for word in words where !names.contains("\(group).\(word)") {
                #expect(texts("\(group).\(word)") != english("\(group).\(word)"), "\(group).\(word)")
            }
        }
    }

    @Test("K-89 tiles have the short form of the language, tables all digits")
    func numbers() throws {
        var figures = Figures()
        figures.accepted = 1_234_567
        for (language, short) in [
            (Language.english, "1.23M"), (.japanese, "123万"), (.korean, "123만"), (.chinese, "123萬"),
        ] {
            let view = OverviewView(try Self.model(figures), as: .admin, try Look.test(language))

            #expect(view.tiles.first?.tileNumber == short)
            #expect(view.tiles.first?.tileFull == "1,234,567")
        }
    }

    private static func model(_ today: Figures) throws -> Overview.Model {
        let app = App(
            id: AppID(rawValue: 1),
            request: AppRequest(name: "Bus", bundleID: "org.example.bus"),
            createdAt: Timestamp(rawValue: 0)
        )
        return Overview.Model(
            app: app,
            underWay: [],
            scheduled: [],
            latest: [],
            halted: [],
            today: today,
            hasDevices: false,
            readAt: Timestamp(rawValue: 0)
        )
    }
}
