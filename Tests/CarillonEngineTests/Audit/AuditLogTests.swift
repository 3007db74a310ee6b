import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
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

    @Test("S1-m6 Concurrent writers append to one chain")
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

        try await registry.database.write { connection in try connection.execute(script: change) }

        await #expect(throws: AuditFault.self) { _ = try await log.verify() }
    }

    @Test("S1-m6 A rewritten log lacks the noted entry")
    func findsRewriting() async throws {
        let (registry, log, _) = try await world(3)
        let noted = try #require(try await log.verify().latest)
        _ = try await log.verify(noted: (noted.id, noted.hash))

        try await registry.database.write { connection in
            try connection.execute(script: "DELETE FROM audit_log WHERE actor = 'key_2'")
        }
        _ = try await log.verify()
        await log.append(Self.record(9, at: registry.clock.now()))

        await #expect(throws: AuditFault.lacks(noted.id)) {
            _ = try await log.verify(noted: (noted.id, noted.hash))
        }
    }

    @Test("S1-m6 Entries are deleted after a year, and the chain continues from the first one left")
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
            users: registry.engine.users,
            clock: registry.clock,
            logger: CollectedLog().logger
        )

        #expect(await retention.round())

        let entries = try await log.entries(AuditQuery(), limit: 100).items
        #expect(Set(entries.map(\.actor)) == ["retention", "key_100"])
        _ = try await log.verify()
        try await registry.database.write { connection in
            try connection.execute(script: "DELETE FROM audit_log WHERE actor = 'key_100'")
        }
        await #expect(throws: AuditFault.self) { _ = try await log.verify() }
    }

    @Test("S1-m6 An entry that cannot be written goes to the process's log with all its fields")
    func reportsWhatItCannotWrite() async throws {
        let (registry, log, output) = try await world(1)
        try await registry.database.write { connection in
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

    @Test("S1-m6 An entry that the store refuses does not block others")
    func writesTheOthers() async throws {
        let (registry, _, output) = try await world(0)
        let store = SelectiveAudit(base: registry.stores.audit, refusedActor: "key_3")
        let log = AuditLog(store: store, clock: registry.clock, logger: output.logger)

        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask { await log.append(Self.record(number, at: registry.clock.now())) }
            }
        }

        let actors = Set(try await log.entries(AuditQuery(), limit: 100).items.map(\.actor))
        #expect(actors.count == 7 && !actors.contains("key_3"))
        #expect(output.metadata(.error).map { $0["carillon.actor"] } == ["key_3"])
    }

    @Test("S1-m6 Retention during verification is not reported as a fault")
    func verifiesBesideRetention() async throws {
        let (registry, log, _) = try await world(20)
        registry.clock.advance(milliseconds: 1_000)
        await log.append(Self.record(100, at: registry.clock.now()))
        let (stores, now) = (registry.stores, registry.clock.now())
        let store = SelectiveAudit(base: stores.audit) { page in
            guard page == 1 else { return }
            _ = try? await stores.retention.dropAuditEntries(before: now, at: now, limit: 12)
        }

        let chain = try await AuditLog(store: store, clock: registry.clock, logger: CollectedLog().logger)
            .verify(pageSize: 5)

        #expect(chain.count == 9)
        _ = try await log.verify()
    }

    @Test("S1-m6 Entries of a clock that was ahead do not keep later entries beyond their year")
    func dropsAfterClockAhead() async throws {
        let (registry, log, _) = try await world(2)
        let now = registry.clock.now()
        let ahead = try #require(Timestamp("2100-01-01T00:00:00Z"))
        await log.append(Self.record(3, at: now))
        await log.append(Self.record(4, at: ahead))
        await log.append(Self.record(5, at: now))
        let later = now.advanced(by: .seconds(1))

        #expect(try await registry.stores.retention.dropAuditEntries(before: later, at: later, limit: 100) == 3)
        #expect(try await registry.stores.retention.dropAuditEntries(before: later, at: later, limit: 100) == 0)
        let all = try #require(Timestamp("2100-01-01T00:00:01Z"))
        #expect(try await registry.stores.retention.dropAuditEntries(before: all, at: later, limit: 100) == 2)
        _ = try await log.verify()
    }
}

/// A store that refuses one caller's entries, and runs a closure of the test between two pages.
private struct SelectiveAudit: AuditStore {
    let base: any AuditStore
    var refusedActor: String?
    var afterPage: @Sendable (Int) async -> Void = { _ in }
    private let pages = PageCount()

    init(base: any AuditStore, refusedActor: String) {
        self.base = base
        self.refusedActor = refusedActor
    }

    init(base: any AuditStore, afterPage: @escaping @Sendable (Int) async -> Void) {
        self.base = base
        self.afterPage = afterPage
    }

    func append(_ records: [AuditRecord]) async throws(StoreError) {
        if records.contains(where: { $0.actor == refusedActor }) { throw .failed("An index row is too large.") }
        try await base.append(records)
    }

    func entries(_ query: AuditQuery, limit: Int) async throws(StoreError) -> [AuditEntry] {
        let entries = try await base.entries(query, limit: limit)
        await afterPage(await pages.next())
        return entries
    }

    func app(ofObject object: String) async throws(StoreError) -> AppID? { try await base.app(ofObject: object) }

    func pseudonymKey() async throws(StoreError) -> [UInt8]? { try await base.pseudonymKey() }

    func pseudonymKey(orInsert new: [UInt8]) async throws(StoreError) -> [UInt8] {
        try await base.pseudonymKey(orInsert: new)
    }
}

private actor PageCount {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
