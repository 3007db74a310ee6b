import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite("Consent decisions", .timeLimit(.minutes(5)))
struct ConsentRecordsTests {
    private func records(_ registry: Registry) -> ConsentRecords {
        ConsentRecords(store: registry.stores.consents, clock: registry.clock)
    }

    @Test("Decisions are stored with their time, latest first, and unchanged registrations add nothing")
    func storesDecisions() async throws {
        let registry = try await Registry()
        let person = Person(registry: registry, app: try await registry.app().app.id)
        let start = registry.clock.now()
        try await person.register("u", consent: Consent(notifications: true))
        registry.clock.advance(milliseconds: 10)
        try await person.register("u", consent: Consent(notifications: true))
        registry.clock.advance(milliseconds: 10)
        try await person.register("u", consent: Consent(notifications: true, ads: true))
        registry.clock.advance(milliseconds: 10)
        try await person.register("u", consent: Consent(notifications: false, ads: true))

        let history = try await records(registry).history(of: person.device, app: person.app)

        #expect(history.consent == Consent(notifications: false, ads: true))
        #expect(history.since.ads == Timestamp(rawValue: start.rawValue + 20))
        #expect(
            history.changes == [
                ConsentChange(
                    at: Timestamp(rawValue: start.rawValue + 30),
                    source: .app,
                    old: Consent(notifications: true, ads: true),
                    new: Consent(notifications: false, ads: true)
                ),
                ConsentChange(
                    at: Timestamp(rawValue: start.rawValue + 20),
                    source: .app,
                    old: Consent(notifications: true),
                    new: Consent(notifications: true, ads: true)
                ),
                ConsentChange(at: start, source: .registration, old: nil, new: Consent(notifications: true)),
            ]
        )
    }

    @Test("Decisions are not visible to a phone's next User, and are deleted with the Device")
    func hidesDecisionsOfFormerUsers() async throws {
        let registry = try await Registry()
        let person = Person(registry: registry, app: try await registry.app().app.id)
        try await person.register("first", consent: Consent(notifications: true))
        registry.clock.advance(milliseconds: 10)
        try await person.register("first", consent: Consent(notifications: true, ads: true))
        registry.clock.advance(milliseconds: 10)
        try await person.register("second", consent: Consent(notifications: true, ads: true))
        let changes = try await records(registry).history(of: person.device, app: person.app).changes
        #expect(changes.prefix(1).map(\.at) == [registry.clock.now()])
        #expect(changes.count == 2)
        #expect(try await count(registry) == 2)

        try await registry.devices.erase(person.caller, user: true)

        #expect(try await count(registry) == 0)
        await #expect(throws: EngineError.notFound(.device)) {
            try await records(registry).history(of: person.device, app: person.app)
        }
    }

    private func count(_ registry: Registry) async throws -> Int {
        try await registry.database.read { connection in
            try connection.first("SELECT count(*) FROM consent_changes") { $0.int(0) } ?? 0
        }
    }

    @Test(
        "T-64 consent to ads is two full years old by the calendar",
        arguments: [
            ("2026-11-21T08:00:00Z", "2024-11-21T08:00:00.000Z"), ("2026-03-01T00:00:00Z", "2024-03-01T00:00:00.000Z"),
            ("2026-02-28T12:00:00Z", "2024-02-28T12:00:00.000Z"), ("2024-02-29T12:00:00Z", "2022-02-28T12:00:00.000Z"),
        ]
    )
    func dueTime(_ now: String, _ then: String) throws {
        let now = try #require(Timestamp(now))

        #expect(ConsentRecords.dueTime(at: now).description == then)
    }

    @Test("T-64 the list has consents given two years ago or earlier, page by page")
    func list() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let people = (0..<6).map { _ in Person(registry: registry, app: app) }
        for (index, person) in people.enumerated() {
            try await person.register("u\(index)", consent: Consent(notifications: true, ads: index != 1)) {
                $0.language = "ko"
            }
            registry.clock.advance(milliseconds: 1_000)
        }
        let start = Timestamp(rawValue: registry.clock.now().rawValue - 6_000)
        // The fifth person's consent is too recent by a second.
        registry.clock.set(start)
        var due = start
        while ConsentRecords.dueTime(at: due) < Timestamp(rawValue: start.rawValue + 3_000) {
            due = due.advanced(by: .seconds(86_400))
        }
        registry.clock.set(
            Timestamp(
                rawValue: due.rawValue - ConsentRecords.dueTime(at: due).rawValue + start.rawValue + 3_000
            )
        )
        let records = records(registry)
        func page(_ cursor: String?, from: Timestamp? = nil, limit: Int = 2) async throws -> Page<OldConsent> {
            try await records.oldAdConsents(app: app, from: from, until: nil, cursor: cursor, limit: limit)
        }

        let first = try await page(nil)
        #expect(first.items.map(\.device) == [people[0].device, people[2].device])
        #expect(first.items[0].since == start && first.items[0].user?.rawValue == "u0")
        let second = try await page(first.nextCursor)
        #expect(second.items.map(\.device) == [people[3].device])
        #expect(second.nextCursor == nil)
        let later = try await page(nil, from: Timestamp(rawValue: start.rawValue + 1), limit: 100)
        #expect(later.items.map(\.device) == [people[2].device, people[3].device])
        await #expect(throws: EngineError.self) { _ = try await page("-1") }
    }
}
