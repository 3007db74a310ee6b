import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page of a simulated phone: what it shows, and the notifications that it got.
enum PhonePage {
    /// A notification as the phone got it.
    struct Shown: Hashable, Sendable {
        var message: LoggedMessage
        var campaign: Campaign
        /// The text in the phone's language; `nil` for a silent message.
        var content: LocalizedContent?
        var language: String?
    }

    /// What the page shows.
    struct Model: Sendable {
        var app: App
        var device: DeviceRecord
        /// The latest first.
        var shown: [Shown]
        var now: Timestamp
    }

    /// How many notifications the phone shows.
    static let shownCount = 5

    /// Reads what the page shows.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such simulated phone.
    static func read(_ id: DeviceID, of app: App, _ engine: Engine) async throws -> Model {
        let device = try await engine.devices.device(app: app.id, device: id, secret: nil)
        guard device.model == SimulatedPhones.model else { throw EngineError.notFound(.device) }
        let query = MessageLogQuery(app: app.id, subject: .device(id))
        let log = try await engine.messageLog.page(query, cursor: nil, limit: shownCount)
        var shown: [Shown] = []
        for message in log.items where message.outcome == .accepted {
            let campaign = try await engine.campaigns.campaign(message.campaign, within: app.id)
            shown.append(Shown(message, campaign, language: device.language))
        }
        return Model(app: app, device: device, shown: shown, now: engine.context.clock.now())
    }

    /// Sends a notification to the phone alone, and waits for the answer of the simulated APNs, at most for a time.
    ///
    /// - Returns: The test's Campaign.
    static func sendTest(
        _ content: LocalizedContent,
        to id: DeviceID,
        of app: AppID,
        waitingFor time: Duration,
        _ engine: Engine
    ) async throws -> Campaign {
        let request = TestSendRequest(device: id, message: Message(content: [Message.defaultLanguage: content]))
        let campaign = try await engine.campaigns.test(app: app, request)
        await waitUntilSent(campaign.id, of: app, atMost: time, engine)
        return campaign
    }

    private static func waitUntilSent(_ id: CampaignID, of app: AppID, atMost time: Duration, _ engine: Engine) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard let steps = try? await engine.campaigns.progress(id, within: app) else { return }
                for await _ in steps {}
            }
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }
}

extension PhonePage.Shown {
    init(_ message: LoggedMessage, _ campaign: Campaign, language: String?) {
        let editions = Editions(campaign.message, isAd: false, rules: ContentRules())
        let edition = editions.all[editions.place(for: language)]
        self.init(
            message: message,
            campaign: campaign,
            content: edition.language.flatMap { campaign.message.content[$0] },
            language: edition.language
        )
    }
}
