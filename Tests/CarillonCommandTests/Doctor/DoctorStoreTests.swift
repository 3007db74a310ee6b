import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

@testable import CarillonCommand

struct DoctorStoreTests {
    private static let now = Timestamp(rawValue: 1_700_000_000_000)

    @Test("The doctor examines a store that a server has open")
    func file() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "carillon.sqlite").path
        let database = try SQLiteDatabase(path: path)
        defer { database.close() }
        _ = try await Stores(migrating: database, now: Self.now)

        let good = try await DoctorStoreCommand.parse(["--data", folder.path]).examine(at: Self.now)
        #expect(good.isHealthy)
        #expect(good.findings.map(\.step) == ["schema", "indexes", "erasures", "audit log"])

        try await database.write { connection in
            try connection.execute(script: "DROP INDEX devices_by_public_id")
        }
        let bad = try await DoctorStoreCommand.parse(["--database", path]).examine(at: Self.now)
        #expect(!bad.isHealthy)
        #expect(bad.text.contains("devices_by_public_id"))
        #expect(try bad.json.contains("\"healthy\" : false"))
    }

    @Test(
        "K-84 The doctor finds a changed and a deleted row of the audit log",
        arguments: [
            "UPDATE audit_log SET status = 200 WHERE status = 403",
            "DELETE FROM audit_log WHERE status = 403",
            "UPDATE audit_log SET change = 'nothing' WHERE status = 403",
        ]
    )
    func auditChain(_ tampering: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try SQLiteDatabase(path: folder.appending(path: "carillon.sqlite").path)
        defer { database.close() }
        let stores = try await Stores(migrating: database, now: Self.now)
        for status in [200, 403, 200] {
            try await stores.audit.append([
                AuditRecord(actor: "opr_x", action: "POST /console/x", status: status, at: Self.now, change: "a → b")
            ])
        }
        let good = try await DoctorStoreCommand.parse(["--data", folder.path]).examine(at: Self.now)
        #expect(good.isHealthy && good.text.contains("✓ audit log: 3 entries are as they were written."))

        try await database.write { connection in try connection.execute(script: tampering) }

        let bad = try await DoctorStoreCommand.parse(["--data", folder.path]).examine(at: Self.now)
        #expect(!bad.isHealthy)
        #expect(bad.text.contains("✗ audit log: aud_"))
        #expect(bad.findings.filter { $0.verdict == .bad }.map(\.step) == ["audit log"])
    }

    @Test("Missing partitions and rows in the default one are reported with advice")
    func partitions() {
        var report = StoreReport(store: "postgres://db/carillon", Self.examination(missing: [], hasRows: true))
        #expect(report.isHealthy)
        #expect(report.text.contains("? deliveries default"))
        report = StoreReport(
            store: "postgres://db/carillon",
            Self.examination(missing: ["deliveries_w2911"], hasRows: false)
        )
        #expect(!report.isHealthy)
        #expect(report.text.contains("✗ deliveries ahead: Weeks have no partition: deliveries_w2911."))
    }

    private static func examination(missing: [String], hasRows: Bool) -> StoreExamination {
        var examination = StoreExamination()
        examination.partitions = [
            StoreExamination.Partitions(
                table: "deliveries",
                missing: missing,
                defaultSize: hasRows ? 3 << 20 : 0,
                hasDefaultRows: hasRows,
                hasConstraint: false
            )
        ]
        return examination
    }
}
