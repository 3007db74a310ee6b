import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

/// What the audit log has of Operators.
struct OperatorAuditTests {
    private func world() async throws -> (registry: Registry, log: AuditLog) {
        let registry = try await Registry()
        let log = AuditLog(store: registry.stores.audit, clock: registry.clock, logger: CollectedLog().logger)
        // As a version that knew neither session nor change wrote it.
        await log.append(AuditRecord(actor: "key_1", action: "POST /v1/keys", status: 201, at: registry.clock.now()))
        await log.append(
            AuditRecord(
                actor: "opr_000000000001",
                address: "192.0.2.1",
                action: "POST /console/operators",
                object: "opr_000000000002",
                status: 303,
                at: registry.clock.now(),
                session: OperatorSessionID(rawValue: 7),
                change: "role: viewer → admin"
            )
        )
        return (registry, log)
    }

    @Test("K-83 An entry has session and change, and entries without them keep their hashes")
    func hasChange() async throws {
        let (_, log) = try await world()
        let entries = try await log.entries(AuditQuery(), limit: 10).items
        #expect(entries.first?.session == OperatorSessionID(rawValue: 7))
        #expect(entries.first?.change == "role: viewer → admin")
        #expect(entries.last?.session == nil && entries.last?.change == nil)
        #expect(try await log.verify().count == 2)
    }

    @Test("The hash of an entry without session and change is that of earlier versions")
    func keepsHash() {
        let time = Timestamp(rawValue: 1_800_000_000_000)
        let entry = AuditEntry(
            AuditRecord(actor: "key_1", action: "POST /v1/keys", object: "key_2", status: 201, at: time),
            after: nil
        )
        // Computed by another program over the documented form.
        #expect(entry.hash == "ebfe811a2d32ec640294a2562ca4ae4214093fe7db2a3768c5c231037c9ff876")
    }

    @Test(
        "K-84 Changing or removing session or change in the store breaks the chain",
        arguments: [
            "UPDATE audit_log SET session_id = 8 WHERE session_id = 7",
            "UPDATE audit_log SET session_id = NULL WHERE session_id = 7",
            "UPDATE audit_log SET change = 'role: viewer → editor' WHERE session_id = 7",
            "UPDATE audit_log SET change = NULL WHERE session_id = 7",
            "UPDATE audit_log SET session_id = NULL, change = NULL WHERE session_id = 7",
            "UPDATE audit_log SET change = 'x' WHERE session_id IS NULL",
        ]
    )
    func findsChanges(_ statement: String) async throws {
        let (registry, log) = try await world()
        _ = try await log.verify()
        try await registry.database.write { connection in try connection.execute(script: statement) }
        await #expect(throws: AuditFault.self) { try await log.verify() }
    }

    @Test("K-18 The token of a form is derived from the session's value, and is none of another's")
    func csrfTokens() {
        let (value, other) = (SessionValue.make(), SessionValue.make())
        let token = SessionValue.csrfToken(of: value)
        #expect(value.count == 43 && token.count == 43 && token != value)
        #expect(SessionValue.isCSRFToken(token, of: value))
        #expect(!SessionValue.isCSRFToken(token, of: other))
        #expect(!SessionValue.isCSRFToken("", of: value) && !SessionValue.isCSRFToken(value, of: value))
    }
}
