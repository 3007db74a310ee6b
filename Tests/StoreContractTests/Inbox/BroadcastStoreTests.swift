import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// What was sent to everybody, and to whom a push was sent, without a Device secret.
@Suite struct BroadcastStoreTests {
    @Test(
        "C-25 Broadcasts to every Device are listed, newest first; those to rules and lists are not",
        arguments: StoreKind.allCases
    )
    func lists(_ kind: StoreKind) async throws {
        try await kind.withInboxes { fixture in
            try await fixture.register(1)
            let first = try await fixture.send(at: 1)
            try await fixture.send(to: .rule(.term(.pushType(.isEqual(.apns)))), at: 2)
            try await fixture.send(to: .devices([InboxFixture.device(1)]), at: 3)
            try await fixture.send(at: 4, isTest: true)
            let last = try await fixture.send(at: 5)
            func broadcasts(since minute: Int, limit: Int = 10) async throws -> [OccurrenceID] {
                let since = OccurrenceID(milliseconds: fixture.time(minute).rawValue, sequence: 0)
                return try await fixture.stores.inboxes.broadcasts(app: fixture.app, since: since, limit: limit)
            }

            #expect(try await broadcasts(since: 0) == [last, first])
            #expect(try await broadcasts(since: 2) == [last])
            #expect(try await broadcasts(since: 0, limit: 2) == [last])
            let other = AppID(rawValue: 8)
            let since = OccurrenceID(rawValue: 0)
            #expect(try await fixture.stores.inboxes.broadcasts(app: other, since: since, limit: 10).isEmpty)
        }
    }

    @Test(
        "The receiver of a push is the Device without a secret whose token it was accepted for",
        arguments: StoreKind.allCases
    )
    func receivers(_ kind: StoreKind) async throws {
        try await kind.withInboxes { fixture in
            try await fixture.register(1)
            let token = try #require(DeviceToken(bytes: [UInt8](repeating: 2, count: 32)))
            var registration = Registration(consent: Consent(notifications: true))
            registration.token = token
            let change = DeviceChange(
                app: fixture.app,
                device: InboxFixture.device(2),
                secretHash: nil,
                content: .registration(registration),
                claim: .granted,
                at: fixture.start
            )
            _ = try await fixture.stores.devices.apply(change)
            let number = try await fixture.number(2)
            let accepted = try await fixture.send(at: 1)
            let failed = try await fixture.send(at: 2, outcome: { $0 == number ? .failed : .accepted })
            func receiver(_ occurrence: OccurrenceID, _ byte: UInt8) async throws -> DeviceNumber? {
                let token = try #require(DeviceToken(bytes: [UInt8](repeating: byte, count: 32)))
                return try await fixture.stores.events.receiver(of: occurrence, token: token, app: fixture.app)
            }

            #expect(try await receiver(accepted, 2) == number)
            #expect(try await receiver(failed, 2) == nil)
            #expect(try await receiver(accepted, 1) == nil)
            #expect(try await receiver(accepted, 3) == nil)
            #expect(try await receiver(OccurrenceID(rawValue: 1), 2) == nil)
        }
    }
}
