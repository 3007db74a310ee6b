import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

@Suite struct EventsTests {
    private let occurrence = OccurrenceID(milliseconds: 1_799_999_000_000, sequence: 1)

    @Test("An event counts once") func countsOnce() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let event = try await event(.received, registry, app)

        let first = try await registry.events.record(app: app, [event, event])
        let second = try await registry.events.record(app: app, [event])

        #expect(first == EventBatchAnswer(counted: 1, repeated: 1, rejected: []))
        #expect(second == EventBatchAnswer(counted: 0, repeated: 1, rejected: []))
        #expect(try await count(registry, app, 1) == 1)
    }

    @Test("An event of an Occurrence that retention has deleted is not stored, since no erasure would find it")
    func ignoresOldOccurrences() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let late = try await event(.opened, registry, app)
        _ = try await registry.database.write { connection in
            try connection.run("DELETE FROM occurrences WHERE app_id = $1", app)
        }

        let answer = try await registry.events.record(app: app, [late])

        #expect(answer == EventBatchAnswer(counted: 0, repeated: 1, rejected: []))
        #expect(try await rows(registry).isEmpty)
    }

    @Test("Bad events are reported separately, and the others count") func separatesBadEvents() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let other = try await registry.app().app.id
        var nameless = try await event(.action, registry, app)
        nameless.action = nil
        var long = try await event(.action, registry, app)
        long.action = "buy"
        long.reply = String(repeating: "x", count: 1_001)
        let foreign = try await event(.opened, registry, other)
        let good = try await event(.opened, registry, app)

        let answer = try await registry.events.record(app: app, [nameless, good, long, foreign])

        #expect(answer.counted == 1)
        #expect(answer.rejected.map(\.index) == [0, 2, 3])
        #expect(
            answer.rejected.map(\.problem) == [
                "action must have 1 through 64 characters", "reply must have 1 through 1000 characters",
                "receipt does not prove this push",
            ]
        )
    }

    @Test("Sixteen actions of one notification are stored") func limitsActions() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        var actions: [Event] = []
        for index in 0..<40 {
            var event = try await event(.action, registry, app)
            event.action = "button-\(index)"
            event.reply = "reply"
            actions.append(event)
        }

        let answer = try await registry.events.record(app: app, actions)

        #expect(answer == EventBatchAnswer(counted: 16, repeated: 24, rejected: []))
        #expect(try await count(registry, app, 4) == 16)
    }

    @Test("A phone's clock cannot move an event outside its time") func clampsTimes() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let now = registry.clock.now()
        let wrong = [Timestamp(rawValue: 0), Timestamp(rawValue: 1_799_999_500_000), Timestamp(rawValue: .max)]

        var events: [Event] = []
        for (index, time) in wrong.enumerated() {
            var event = try await event(.received, registry, app, device: Int64(index + 1))
            event.at = time
            events.append(event)
        }
        _ = try await registry.events.record(app: app, events)

        let times = try await registry.database.read { connection in
            try connection.all("SELECT occurred_at FROM events ORDER BY device_number") { row in row.int64(0) }
        }
        #expect(times == [1_799_999_000_000, 1_799_999_500_000, now.rawValue])
    }

    @Test("Events beyond the batch limit are rejected one by one") func rejectsLargeBatches() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let event = try await event(.received, registry, app)

        let answer = try await registry.events.record(app: app, Array(repeating: event, count: 502))

        #expect(answer.counted == 1)
        #expect(answer.rejected.map(\.index) == [500, 501])
    }

    @Test("T-77 an event counts at the device's time")
    func deviceTime() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        var event = try await event(.opened, registry, app)
        event.at = Timestamp(rawValue: 1_799_999_123_456)

        _ = try await registry.events.record(app: app, [event])

        #expect(try await rows(registry) == ["2  1799999123456"])
    }

    @Test("C-51 C-53 a launch counts separately, once; without a key or with 001")
    func launches() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let plain = try await event(.launched, registry, app)
        var keyed = plain
        keyed.action = "001"
        let opened = try await event(.opened, registry, app)

        let answer = try await registry.events.record(app: app, [plain, keyed, opened])

        #expect(answer == EventBatchAnswer(counted: 2, repeated: 1, rejected: []))
        #expect(try await count(registry, app, 5) == 1)
        #expect(try await count(registry, app, 2) == 1)
    }

    @Test("C-52 a launch at 0, 0 stores no position, any other does")
    func places() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        var events: [Event] = []
        for (index, place) in [(0.0, 0.0), (35.5, 139.25), (0, 139)].enumerated() {
            var event = try await event(.launched, registry, app, device: Int64(index + 1))
            (event.latitude, event.longitude) = place
            events.append(event)
        }
        events.append(try await event(.launched, registry, app, device: 4))

        #expect(try await registry.events.record(app: app, events).counted == 4)

        let places = try await registry.database.read { connection in
            try connection.all("SELECT latitude, longitude FROM events ORDER BY device_number") { row in
                row.isNull(0) && row.isNull(1) ? nil : [row.double(0), row.double(1)]
            }
        }
        #expect(places == [nil, [35.5, 139.25], [0, 139], nil])
    }

    @Test("A position out of range, or half of one, is refused") func refusesInvalidPositions() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let places: [(Double?, Double?)] = [(90.1, 0), (0, -180.5), (1, nil), (nil, 1), (.nan, 1)]
        var events: [Event] = []
        for place in places {
            var event = try await event(.opened, registry, app)
            (event.latitude, event.longitude) = place
            events.append(event)
        }

        let answer = try await registry.events.record(app: app, events)

        #expect(answer.counted == 0)
        #expect(answer.rejected.map(\.index) == [0, 1, 2, 3, 4])
        #expect(answer.rejected.allSatisfy { $0.problem.hasPrefix("latitude and longitude must be") })
    }

    @Test("C-54 I-26 an action's own key is counted separately from launches")
    func launchActions() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        var action = try await event(.launched, registry, app)
        action.action = "101"
        let launch = try await event(.launched, registry, app)
        var long = launch
        long.action = String(repeating: "x", count: 65)

        let answer = try await registry.events.record(app: app, [action, launch, long])

        #expect(answer.counted == 2)
        #expect(answer.rejected.map(\.index) == [2])
        #expect(try await rows(registry).map { $0.split(separator: " ").first } == ["4", "5"])
        #expect(try await count(registry, app, 4) == 1)
        #expect(try await count(registry, app, 5) == 1)
    }

    @Test("Replies are counted as actions and separately") func countsReplies() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        var reply = try await event(.action, registry, app)
        reply.action = "answer"
        reply.reply = "yes"
        var press = try await event(.action, registry, app)
        press.action = "buy"

        let answer = try await registry.events.record(app: app, [reply, press, reply])

        #expect(answer == EventBatchAnswer(counted: 2, repeated: 1, rejected: []))
        var campaign = Campaign(
            id: CampaignID(rawValue: 1),
            app: app,
            request: CampaignRequest(audience: .all, message: DeliveryWorld.message()),
            state: .sent,
            createdAt: registry.clock.now()
        )
        campaign.occurrence = occurrence
        let funnel = try await registry.stores.campaigns.funnel(of: campaign)
        #expect((funnel.actions, funnel.replies, funnel.launched) == (2, 1, 0))
    }

    @Test("An unknown App has no events") func refusesUnknownApps() async throws {
        let registry = try await Registry()

        await #expect(throws: EngineError.notFound(.app)) {
            try await registry.events.record(app: AppID(rawValue: 1), [])
        }
    }

    private func event(
        _ kind: Event.Kind,
        _ registry: Registry,
        _ app: AppID,
        device: Int64 = 7
    ) async throws -> Event {
        let receipt = try await registry.apps.receiptKey(for: app)
            .receipt(occurrence: occurrence, device: DeviceNumber(rawValue: device))
        _ = try await registry.database.write { [occurrence] connection in
            try connection.run(
                """
                INSERT INTO occurrences (app_id, id, campaign_id, last_device, started_at, retry_until, next_chunk)
                VALUES ($1, $2, 1, 0, 0, 0, 0) ON CONFLICT DO NOTHING
                """,
                app,
                occurrence
            )
            // Texts are stored for existing Devices.
            try connection.run(
                """
                INSERT INTO deleted_devices (app_id, number, user_id, public_id, deleted_at)
                VALUES ($1, $2, 'u', $3, 0) ON CONFLICT DO NOTHING
                """,
                app,
                device,
                DeliveryWorld.id(Int(device))
            )
        }
        return Event(kind, occurrence: occurrence, receipt: receipt, at: registry.clock.now())
    }

    /// Kind, action and time of stored events.
    private func rows(_ registry: Registry) async throws -> [String] {
        try await registry.database.read { connection in
            try connection.all("SELECT kind, action, occurred_at FROM events ORDER BY kind") { row in
                "\(row.int64(0)) \(row.string(1)) \(row.int64(2))"
            }
        }
    }

    private func count(_ registry: Registry, _ app: AppID, _ kind: Int) async throws -> Int? {
        let occurrence = occurrence
        return try await registry.database.read { connection in
            try connection.first(
                "SELECT count FROM event_counts WHERE app_id = $1 AND occurrence_id = $2 AND kind = $3",
                app,
                occurrence,
                kind
            ) { row in row.int(0) }
        }
    }
}
