import CarillonEngine
import CarillonModel
import CarillonStore
import Foundation
import Testing

@Suite struct EventsTests {
    private let occurrence = OccurrenceID(milliseconds: 1_799_999_000_000, sequence: 1)

    @Test func `an event counts once`() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let event = try await event(.received, registry, app)

        let first = try await registry.events.record(app: app, [event, event])
        let second = try await registry.events.record(app: app, [event])

        #expect(first == EventBatchAnswer(counted: 1, repeated: 1, rejected: []))
        #expect(second == EventBatchAnswer(counted: 0, repeated: 1, rejected: []))
        #expect(try await count(registry, app, 1) == 1)
    }

    @Test func `bad events are told apart and the good ones count`() async throws {
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

    @Test func `of one notification sixteen actions are kept`() async throws {
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

    @Test func `a phone's clock cannot move an event out of its time`() async throws {
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

        let times = try await registry.database.read { connection throws(StoreError) in
            try connection.all("SELECT occurred_at FROM events ORDER BY device_number") { row in row.int64(0) }
        }
        #expect(times == [1_799_999_000_000, 1_799_999_500_000, now.rawValue])
    }

    @Test func `more than a batch holds is rejected one by one`() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let event = try await event(.received, registry, app)

        let answer = try await registry.events.record(app: app, Array(repeating: event, count: 502))

        #expect(answer.counted == 1)
        #expect(answer.rejected.map(\.index) == [500, 501])
    }

    @Test func `an unknown App has no events`() async throws {
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
        return Event(kind, occurrence: occurrence, receipt: receipt, at: registry.clock.now())
    }

    private func count(_ registry: Registry, _ app: AppID, _ kind: Int) async throws -> Int? {
        let occurrence = occurrence
        return try await registry.database.read { connection throws(StoreError) in
            try connection.first(
                "SELECT count FROM event_counts WHERE app_id = $1 AND occurrence_id = $2 AND kind = $3",
                app,
                occurrence,
                kind
            ) { row in row.int(0) }
        }
    }
}
