import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Testing

@testable import CarillonStore

/// Caps that count all Devices of a User together.
struct UserCapTests {
    private static let week = 7 * 86_400

    private func facts(_ fixture: DeliveryFixture) -> OccurrenceFacts {
        var facts = fixture.facts
        facts.rules.app.frequencyCaps = [FrequencyCap(limit: 2, period: Self.week, per: .user)]
        return facts
    }

    /// Devices of one User, some of which recently got other Campaigns.
    private func addDevices(_ devices: Int, sends: ClosedRange<Int>, to fixture: DeliveryFixture) async throws {
        try await fixture.run("DELETE FROM devices")
        try await ManyRows.addDevices(devices, user: "'guest'", to: fixture.database)
        try await fixture.run("UPDATE occurrences SET last_device = 100000")
        try await fixture.database.write { connection in
            for number in sends {
                try connection.send(
                    """
                    INSERT INTO recent_sends (app_id, device_number, occurrence_id, push_type, at, is_ad, is_capped,
                        message)
                    VALUES (7, $1, $2, 1, $3, 0, 1, 0)
                    """,
                    number,
                    100 + number,
                    fixture.now
                )
            }
        }
    }

    @Test(
        "A User's cap counts 256 Devices together, and further ones separately",
        arguments: StoreKind.allCases,
        [(2, true), (256, true), (257, false), (5_000, false)]
    )
    func counts(_ kind: StoreKind, _ example: (devices: Int, isCapped: Bool)) async throws {
        try await kind.withRecordedDatabase { database, recorder in
            let fixture = try await DeliveryFixture(database, devices: 1)
            try await addDevices(example.devices, sends: 1...2, to: fixture)
            let recipients = try await fixture.read(try await fixture.wave(), limit: 5_000).recipients
            recorder.reset()

            let memory = try await fixture.store.recentSends(to: recipients, of: facts(fixture), at: fixture.now)

            #expect(recipients.count == example.devices)
            #expect(memory.capped.count == (example.isCapped ? example.devices : 0))
            #expect(recorder.waits <= 4)
            #expect(recorder.mostRows <= 5_000)
        }
    }

    /// Comparing a list with each Device of the App would take longer than a read may.
    @Test("Caps are found without statistics, however many other Devices an App has", arguments: StoreKind.allCases)
    func countsAmongMany(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let fixture = try await DeliveryFixture(database, devices: 1)
            try await addDevices(30_000, sends: 1...2, to: fixture)
            let recipients = try await fixture.read(try await fixture.wave(), limit: 5_000).recipients

            let memory = try await fixture.store.recentSends(to: recipients, of: facts(fixture), at: fixture.now)

            #expect(recipients.count == 5_000)
            #expect(memory.capped.isEmpty)
        }
    }

    @Test("A Device that reached the cap itself is capped, however many its User has", arguments: StoreKind.allCases)
    func countsOwn(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let fixture = try await DeliveryFixture(database, devices: 1)
            try await addDevices(300, sends: 1...1, to: fixture)
            try await fixture.run(
                """
                INSERT INTO recent_sends (app_id, device_number, occurrence_id, push_type, at, is_ad, is_capped, message)
                VALUES (7, 1, 999, 1, 1700000000000, 0, 1, 0)
                """
            )
            let recipients = try await fixture.read(try await fixture.wave(), limit: 5_000).recipients

            let memory = try await fixture.store.recentSends(to: recipients, of: facts(fixture), at: fixture.now)

            #expect(memory.capped == [DeviceNumber(rawValue: 1)])
        }
    }

    @Test("Each statement covers Users with a limited number of Devices")
    func makesParts() throws {
        var parts = UserParts()
        let users = try (0..<1_000).map { try #require(UserID(rawValue: "u-\($0)")) }
        parts.add(users.map { ($0, 256) })
        let others = try (0..<10).map { try #require(UserID(rawValue: "v-\($0)")) }
        parts.add(others.enumerated().map { ($1, $0 % 2 == 0 ? 1 : 257) })

        #expect(parts.parts.allSatisfy { $0.count * 256 <= UserParts.deviceLimit })
        #expect(parts.parts.flatMap(\.self) == users)
    }
}
