import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import TestStores
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// A call needs as many round trips for a thousand rows as for one.
struct RoundTripTests {
    private static let sizes = [1, 100, 1_000]

    /// Only PostgreSQL: on SQLite a statement is no round trip, and rows are written one by one.
    private static let remote = StoreKind.allCases.filter { $0 == .postgreSQL }

    /// Runs a call with several numbers of rows, each on a separate database, and compares the round trips.
    ///
    /// - Parameters:
    ///   - kind: The database.
    ///   - prepare: Creates the rows, and returns the call.
    /// - Throws: What the calls throw.
    private func compare(
        _ kind: StoreKind,
        _ prepare: (DeliveryFixture, Int) async throws -> () async throws -> Void
    ) async throws {
        var waits: [Int] = []
        for size in Self.sizes {
            try await kind.withRecordedDatabase { database, recorder in
                let fixture = try await DeliveryFixture(database, devices: 1)
                try await fixture.run("DELETE FROM devices")
                try await ManyRows.addDevices(size, to: database)
                try await fixture.run("UPDATE occurrences SET last_device = 100000")
                let call = try await prepare(fixture, size)
                recorder.reset()
                try await call()
                waits.append(recorder.waits)
            }
        }
        #expect(waits.allSatisfy { $0 == waits[0] && $0 > 0 }, "\(waits)")
    }

    private func users(_ size: Int) -> [UserID] { (1...size).compactMap { UserID(rawValue: "u-\($0)") } }

    private func read(_ kind: StoreKind, _ audience: (DeliveryFixture, Int) async throws -> Audience) async throws {
        try await compare(kind) { fixture, size in
            var fixture = fixture
            fixture.facts.audience = try await audience(fixture, size)
            let (facts, wave) = (fixture.facts, try await fixture.wave())
            let store = fixture.store
            return {
                let reading = try await store.read(wave, of: facts, limit: 5_000)
                #expect(reading.recipients.numbers.map(\.rawValue) == Array(1...Int64(size)))
                #expect(reading.isLast)
            }
        }
    }

    @Test("A list of Users is read by a few statements", arguments: StoreKind.allCases)
    func readsUsers(_ kind: StoreKind) async throws {
        try await read(kind) { _, size in .users(users(size)) }
    }

    @Test("A list of Devices is read by a few statements", arguments: StoreKind.allCases)
    func readsDevices(_ kind: StoreKind) async throws {
        try await read(kind) { fixture, _ in .devices(try await ids(fixture)) }
    }

    @Test("A rule that names Users is read by a few statements", arguments: StoreKind.allCases)
    func readsRule(_ kind: StoreKind) async throws {
        try await read(kind) { _, size in .rule(.term(.user(.isAny(users(size))))) }
    }

    @Test("The rest of a lost Chunk of a list is read by a few statements", arguments: StoreKind.allCases)
    func readsRest(_ kind: StoreKind) async throws {
        try await compare(kind) { fixture, size in
            var fixture = fixture
            fixture.facts.audience = .users(users(size))
            let lease = try await fixture.lease(limit: 5_000)
            let (facts, store) = (fixture.facts, fixture.store)
            return {
                let rest = try await store.readRest(of: lease, facts: facts)
                #expect(rest.count == size)
            }
        }
    }

    @Test(
        "A list of 10,000 Users is read by a few statements per chunk, from its position",
        arguments: StoreKind.allCases
    )
    func readsLongList(_ kind: StoreKind) async throws {
        try await kind.withRecordedDatabase { database, recorder in
            var fixture = try await DeliveryFixture(database, devices: 1)
            try await fixture.run("DELETE FROM devices")
            try await ManyRows.addDevices(12_000, user: "'u-' || (n % 10000)", to: database)
            fixture.facts.audience = .users((0..<10_000).compactMap { UserID(rawValue: "u-\($0)") })
            var wave = try await fixture.wave()
            wave.lastDevice = DeviceNumber(rawValue: 12_000)
            var numbers: [Int64] = []
            var isLast = false
            while !isLast {
                recorder.reset()
                let reading = try await fixture.store.read(wave, of: fixture.facts, limit: 5_000)
                #expect(recorder.waits <= 3)
                #expect(recorder.mostRows <= 5_001)
                guard case .devices(_, _, let through) = reading.range, through > wave.cursor else { break }
                numbers += reading.recipients.numbers.map(\.rawValue)
                (wave.cursor, isLast) = (through, reading.isLast)
            }
            #expect(numbers == Array(1...12_000))
        }
    }

    @Test("A User with more Devices than one lookup covers is read window by window", arguments: StoreKind.allCases)
    func scansForSharedUser(_ kind: StoreKind) async throws {
        try await kind.withRecordedDatabase { database, recorder in
            var fixture = try await DeliveryFixture(database, devices: 1)
            try await fixture.run("DELETE FROM devices")
            let user = "CASE WHEN n % 10 = 0 THEN 'else' ELSE 'guest' END"
            try await ManyRows.addDevices(60_000, user: user, to: database)
            fixture.facts.audience = .users([UserID(rawValue: "guest"), UserID(rawValue: "nobody")].compactMap(\.self))
            var wave = try await fixture.wave()
            wave.lastDevice = DeviceNumber(rawValue: 60_000)
            recorder.reset()
            var (count, isLast) = (0, false)
            while !isLast {
                let reading = try await fixture.store.read(wave, of: fixture.facts, limit: 5_000)
                guard case .devices(_, _, let through) = reading.range, through > wave.cursor else { break }
                count += reading.recipients.count
                (wave.cursor, isLast) = (through, reading.isLast)
            }
            #expect(count == 54_000)
            #expect(recorder.mostRows <= 5_001)
        }
    }

    @Test("Caps are read by a few statements", arguments: StoreKind.allCases)
    func asksCaps(_ kind: StoreKind) async throws {
        try await compare(kind) { fixture, size in
            // Two Devices per User, so that the Users' other Devices are read.
            try await fixture.run("UPDATE devices SET user_id = 'u-' || (number / 2)")
            if size == 1 { try await ManyRows.addDevice(2, user: "u-0", to: fixture.database) }
            var facts = fixture.facts
            facts.rules.app.frequencyCaps = [FrequencyCap(limit: 2, period: 3_600, per: .user)]
            facts.rules.app.duplicateGuard = 10
            let (asked, store, now) = (facts, fixture.store, fixture.now)
            let recipients = try await fixture.read(try await fixture.wave(), limit: 5_000).recipients
            return { _ = try await store.recentSends(to: recipients, of: asked, at: now) }
        }
    }

    @Test("A commit records sends by two statements", arguments: remote)
    func remembers(_ kind: StoreKind) async throws {
        try await compare(kind) { fixture, size in
            var commit = fixture.commit(try await fixture.lease(limit: 5_000), accepted: 1...Int64(size))
            commit.memory = ChunkCommit.Memory(isAd: false, isCapped: true, keptSince: fixture.now)
            commit.sends = commit.rows.map { row in
                ChunkCommit.Send(device: row.device, pushType: .apns, message: -row.device.rawValue)
            }
            let (store, done) = (fixture.store, commit)
            return { _ = try await store.commit(done) }
        }
    }

    @Test("Events are written in a few statements", arguments: remote)
    func recordsEvents(_ kind: StoreKind) async throws {
        try await compare(kind) { fixture, size in
            let events = (1...size).flatMap { [event($0, .opened), event($0, .action)] }
            let stores = try await Stores(migrating: fixture.database, now: fixture.now)
            let app = fixture.app
            _ = try await fixture.database.write { connection in
                for occurrence in Set(events.map(\.occurrence)) {
                    try connection.run(
                        """
                        INSERT INTO occurrences (app_id, id, campaign_id, last_device, started_at, retry_until,
                            next_chunk, slot) VALUES ($1, $2, 1, 0, 0, 0, 0, $2) ON CONFLICT DO NOTHING
                        """,
                        app,
                        occurrence
                    )
                }
            }
            return {
                let new = try await stores.events.record(app: app, events, at: Timestamp(rawValue: 1_700_000_000_000))
                #expect(new == 2 * size)
            }
        }
    }

    @Test("An inbox reads broadcasts by a few statements", arguments: StoreKind.allCases)
    func listsInbox(_ kind: StoreKind) async throws {
        for size in Self.sizes {
            try await kind.withRecordedDatabase { database, recorder in
                let fixture = try await InboxFixture(database)
                let number = try await fixture.register(1, user: "u")
                try await fixture.register(2, user: "u")
                try await ManyRows.addBroadcasts(size, to: database)
                let first = OccurrenceID(rawValue: 0)
                recorder.reset()

                let listing = try await fixture.listing(1, since: first, limit: 100)

                #expect(recorder.waits <= 9)
                #expect(recorder.mostRows <= 600)
                // Only the oldest reached this Device.
                #expect(listing.entries.map(\.occurrence) == [OccurrenceID(rawValue: 1)])
                #expect(listing.entries.map(\.device) == [number])
            }
        }
    }

    /// An event with texts that have to be quoted.
    private func event(_ number: Int, _ kind: Event.Kind) -> EventRow {
        EventRow(
            occurrence: OccurrenceID(rawValue: Int64(9 + number % 50)),
            device: DeviceNumber(rawValue: Int64(number)),
            kind: kind,
            action: kind == .action ? "\"a\" \\ {\(number % 7)}, NULL" : "",
            reply: number % 2 == 0 ? "so\n\"it\" is" : nil,
            at: Timestamp(rawValue: 1_700_000_000_000),
            place: EventPlace(latitude: 35.5, longitude: -0.25)
        )
    }

    private func ids(_ fixture: DeliveryFixture) async throws -> [DeviceID] {
        let ids = try await fixture.database.read { connection in
            try connection.all("SELECT public_id FROM devices WHERE app_id = 7 LIMIT 20000") {
                DeviceID(bytes: $0.bytes(0))
            }
        }
        return ids.compactMap(\.self)
    }
}
