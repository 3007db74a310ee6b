import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Logging
import Testing

@Suite struct AuditLogTests {
    private static func record(_ number: Int, at time: Timestamp) -> AuditRecord {
        AuditRecord(
            actor: "key_\(number)",
            address: "192.0.2.\(number)",
            action: "POST /v1/keys",
            object: "key_\(number)",
            status: 201,
            at: time
        )
    }

    /// A log with some entries.
    private func world(_ count: Int) async throws -> (registry: Registry, log: AuditLog, output: CollectedLog) {
        let (registry, output) = (try await Registry(), CollectedLog())
        let log = AuditLog(store: registry.stores.audit, clock: registry.clock, logger: output.logger)
        for number in 0..<count { await log.append(Self.record(number, at: registry.clock.now())) }
        return (registry, log, output)
    }

    @Test("S1-m6 The audit log is one chain, whoever writes to it at once")
    func isOneChain() async throws {
        let (registry, log, _) = try await world(0)
        let other = AuditLog(store: registry.stores.audit, clock: registry.clock, logger: CollectedLog().logger)

        await withTaskGroup { group in
            for number in 0..<40 {
                let chosen = number.isMultiple(of: 2) ? log : other
                group.addTask { await chosen.append(Self.record(number, at: registry.clock.now())) }
            }
        }

        let chain = try await log.verify(pageSize: 7)
        #expect(chain.count == 40)
        let entries = try await log.entries(AuditQuery(), limit: 1_000).items
        #expect(Set(entries.map(\.actor)).count == 40)
        #expect(entries.map(\.id) == entries.map(\.id).sorted(by: >))
        #expect(entries.last?.previousHash == AuditEntry.origin)
    }

    @Test(
        "S1-m6 A changed, removed or added entry breaks the chain",
        arguments: [
            "UPDATE audit_log SET actor = 'key_x' WHERE actor = 'key_2'",
            "UPDATE audit_log SET app_id = 7 WHERE actor = 'key_2'",
            "UPDATE audit_log SET address = NULL WHERE actor = 'key_2'",
            "DELETE FROM audit_log WHERE actor = 'key_2'",
            "DELETE FROM audit_log WHERE actor = 'key_0'",
        ]
    )
    func findsChanges(_ change: String) async throws {
        let (registry, log, _) = try await world(5)
        _ = try await log.verify()

        try await registry.database.write { connection throws(StoreError) in try connection.execute(script: change) }

        await #expect(throws: AuditFault.self) { _ = try await log.verify() }
    }

    @Test("S1-m6 A log that was written anew lacks the entry that was noted")
    func findsRewriting() async throws {
        let (registry, log, _) = try await world(3)
        let noted = try #require(try await log.verify().latest)
        _ = try await log.verify(noted: (noted.id, noted.hash))

        try await registry.database.write { connection throws(StoreError) in
            try connection.execute(script: "DELETE FROM audit_log WHERE actor = 'key_2'")
        }
        _ = try await log.verify()
        await log.append(Self.record(9, at: registry.clock.now()))

        await #expect(throws: AuditFault.lacks(noted.id)) {
            _ = try await log.verify(noted: (noted.id, noted.hash))
        }
    }

    @Test("S1-m6 Entries are dropped after a year, and the chain goes on from the first that stays")
    func keepsAYear() async throws {
        let (registry, log, _) = try await world(30)
        registry.clock.advance(milliseconds: 86_400_000 * 300)
        await log.append(Self.record(100, at: registry.clock.now()))
        registry.clock.advance(milliseconds: 86_400_000 * 70)
        var options = Retention.Options()
        options.pause = .zero
        options.stepSize = 7
        let retention = Retention(
            options: options,
            store: registry.stores.retention,
            apps: registry.stores.apps,
            users: registry.rooms.users,
            clock: registry.clock,
            logger: CollectedLog().logger
        )

        #expect(await retention.round())

        let entries = try await log.entries(AuditQuery(), limit: 100).items
        #expect(Set(entries.map(\.actor)) == ["retention", "key_100"])
        _ = try await log.verify()
        try await registry.database.write { connection throws(StoreError) in
            try connection.execute(script: "DELETE FROM audit_log WHERE actor = 'key_100'")
        }
        await #expect(throws: AuditFault.self) { _ = try await log.verify() }
    }

    @Test("S1-m6 What cannot be written goes to the process's log with all its fields")
    func reportsWhatItCannotWrite() async throws {
        let (registry, log, output) = try await world(1)
        try await registry.database.write { connection throws(StoreError) in
            try connection.execute(script: "DROP TABLE audit_log")
        }

        await log.append(Self.record(8, at: registry.clock.now()))

        let lines = output.metadata(.error)
        #expect(lines.count == 1)
        #expect(lines.first?["carillon.actor"] == "key_8")
        #expect(lines.first?["carillon.address"] == "192.0.2.8")
        #expect(lines.first?["carillon.action"] == "POST /v1/keys")
        #expect(lines.first?["carillon.object"] == "key_8")
    }

    @Test("S1-m6 Entries are found by App, key and object, and by time")
    func finds() async throws {
        let (registry, log, _) = try await world(3)
        let (one, other) = (AppID(rawValue: 1), AppID(rawValue: 2))
        let begin = registry.clock.now()
        registry.clock.advance(milliseconds: 1_000)
        var record = Self.record(7, at: registry.clock.now())
        record.app = one
        await log.append(record)
        record.app = other
        await log.append(record)

        func found(_ query: AuditQuery) async throws -> [AppID?] {
            try await log.entries(query, limit: 10).items.map(\.app)
        }
        #expect(try await found(AuditQuery(app: one)) == [one])
        #expect(try await found(AuditQuery(subject: .actor("key_7"))) == [other, one])
        #expect(try await found(AuditQuery(app: other, subject: .actor("key_7"))) == [other])
        #expect(try await found(AuditQuery(app: one, subject: .object("key_7"))) == [one])
        #expect(try await found(AuditQuery(app: one, subject: .object("key_1"))) == [])
        let later = AuditEntryID(milliseconds: begin.rawValue + 1, sequence: 0)
        #expect(try await found(AuditQuery(first: later)) == [other, one])
        #expect(try await found(AuditQuery(before: later)).count == 3)
    }
}
