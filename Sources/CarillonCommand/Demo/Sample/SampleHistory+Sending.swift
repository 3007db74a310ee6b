#if os(Linux)
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Logging
import ServiceLifecycle

extension SampleHistory {
    /// Sends a Campaign, and reports what phones did with it.
    func send(_ past: SampleContent.Past, to app: AppID, _ round: Int) async throws {
        var request = CampaignRequest(audience: .all, message: past.message)
        request.name = past.name
        let campaign = try await engine.campaigns.create(app: app, request)
        try await dispatch(campaign.id)
        let events = events(round)
        clock.advance(by: Self.reporting)
        for start in stride(from: 0, to: events.count, by: EventBatch.maximumCount) {
            let end = min(start + EventBatch.maximumCount, events.count)
            _ = try await engine.events.record(app: app, Array(events[start..<end]))
        }
    }

    /// Delivers what a webhook is to get.
    func notify(_ webhook: WebhookID, _ app: AppID) async throws {
        let before = try await engine.webhooks.attempts(of: webhook, within: app).attempts.count
        let services = ServiceGroup(
            configuration: .init(services: [webhookDispatcher()], logger: engine.context.logger)
        )
        async let running: Void = services.run()
        for _ in 0..<100 {
            let attempts = try await engine.webhooks.attempts(of: webhook, within: app).attempts
            if attempts.count > before { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        await services.triggerGracefulShutdown()
        try await running
    }

    // MARK: - Private

    /// What phones did with the notifications that were accepted.
    private func events(_ round: Int) -> [Event] {
        var events: [Event] = []
        for (number, accepted) in sender.take().enumerated() {
            func add(_ kind: Event.Kind, after seconds: Int) {
                let at = clock.now().advanced(by: .seconds(seconds))
                events.append(Event(kind, occurrence: accepted.occurrence, receipt: accepted.receipt, at: at))
            }
            if number % 9 != 0 { add(.received, after: 1 + number % 40) }
            // Some messages interest more people than others.
            if number % (4 + round % 3) == 1 {
                add(.opened, after: 60 + number * 7)
            } else if number % 7 == 3 {
                add(.dismissed, after: 90 + number)
            }
        }
        return events
    }

    /// Runs a dispatcher until a Campaign is sent.
    private func dispatch(_ campaign: CampaignID) async throws {
        let services = ServiceGroup(configuration: .init(services: [dispatcher()], logger: engine.context.logger))
        async let running: Void = services.run()
        for await _ in try await engine.campaigns.progress(campaign, within: nil, every: .milliseconds(20)) {}
        await services.triggerGracefulShutdown()
        try await running
    }

    private func dispatcher() -> Dispatcher {
        Dispatcher(options: Dispatcher.Options(), Dispatcher.Dependencies(stores, engine, sender))
    }

    private func webhookDispatcher() -> WebhookDispatcher {
        let context = engine.context
        return WebhookDispatcher(
            outbox: stores.webhookOutbox,
            client: webhooks,
            sender: sender,
            vault: context.vault,
            ids: context.ids,
            clock: context.clock,
            logger: context.logger
        )
    }
}
#endif
