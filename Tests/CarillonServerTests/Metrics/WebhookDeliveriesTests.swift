import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonServer
import CarillonStore
import Testing

struct WebhookDeliveriesTests {
    @Test("The page has the age of what waits for webhooks, of a late event from its report on")
    func showsTheBacklog() async throws {
        let clock = MovableClock()
        let (engine, stores) = try await TestServer.makeServices(clock: clock)
        let figures = WebhookDeliveries(engine.webhooks)
        func text() -> String {
            var page = MetricsPage()
            figures.write(to: &page)
            return page.text
        }
        #expect(text() == "")
        await figures.update()
        #expect(text().contains("carillon_webhook_backlog_age_seconds 0\n"))
        let app = try await engine.apps.create(AppRequest(name: "x", bundleID: "a.b")).app.id
        let request = WebhookRequest(url: "https://a.example", topics: [.eventOpened])
        _ = try await engine.webhooks.create(app: app, request)
        _ = try await stores.database.write { connection in
            try connection.run(
                """
                INSERT INTO occurrences (app_id, id, campaign_id, last_device, started_at, retry_until, next_chunk)
                VALUES ($1, 1, 1, 1, 0, 0, 1)
                """,
                app
            )
        }
        let yesterday = clock.now().advanced(by: .seconds(-86_400))
        let event = EventRow(
            occurrence: OccurrenceID(rawValue: 1),
            device: DeviceNumber(rawValue: 1),
            kind: .opened,
            action: "",
            reply: nil,
            at: yesterday
        )
        #expect(try await stores.events.record(app: app, [event], at: clock.now()) == 1)
        clock.advance(byMilliseconds: 1_234_000)

        await figures.update()

        let page = text()
        #expect(page.contains("carillon_webhook_backlog_age_seconds 1234\n"), "\(page)")
        #expect(page.contains("carillon_webhook_messages_dead 0\n") && page.contains("carillon_webhooks_disabled 0\n"))
    }
}
