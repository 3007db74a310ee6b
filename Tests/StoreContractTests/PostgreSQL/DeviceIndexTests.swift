import CarillonEngine
import CarillonModel
import NIOConcurrencyHelpers
import TestStores
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// Indexes of devices that an import dropped.
@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"))
struct DeviceIndexTests {
    private static let now = Timestamp(rawValue: 1_700_000_000_000)

    private func start(_ database: any Database) async throws -> [String] {
        let built = NIOLockedValueBox<[String]>([])
        _ = try await Stores(migrating: database, now: Self.now) { progress in
            if case .building(let index) = progress { built.withLockedValue { $0.append(index) } }
        }
        return built.withLockedValue { $0 }
    }

    @Test("A start builds missing indexes one after another, and continues where the last one ended")
    func resumes() async throws {
        try await withPostgreSQL { url in
            let database = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { database.close() }
            try await database.write { connection in
                try connection.execute(script: DeviceIndexes.drop(.postgreSQL))
                // Instead of a process that ends: the third index fails.
                try connection.execute(
                    script: """
                        CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
                        BEGIN
                            IF EXISTS (SELECT 1 FROM pg_event_trigger_ddl_commands() c
                                WHERE c.object_identity LIKE '%devices_by_user') THEN
                                RAISE EXCEPTION 'refused';
                            END IF;
                        END $$;
                        CREATE EVENT TRIGGER refuse ON ddl_command_end WHEN TAG IN ('CREATE INDEX')
                            EXECUTE FUNCTION refuse()
                        """
                )
            }
            await #expect(throws: StoreError.self) { try await start(database) }
            let missing = try await database.read { connection in
                try DeviceIndexes.missing(connection).map(\.name)
            }
            #expect(missing == ["devices_by_user", "devices_by_token"])
            let examination = try await StoreExamination(of: database, at: Self.now)
            #expect(examination.missingIndexes == missing)

            try await database.write { connection in
                try connection.execute(script: "DROP EVENT TRIGGER refuse; DROP FUNCTION refuse()")
            }
            #expect(try await start(database) == ["devices_by_user", "devices_by_token"])
            #expect(try await start(database) == [])
        }
    }

    @Test("The check reports weeks without a partition, and rows in the default one")
    func examination() async throws {
        try await withPostgreSQL { url in
            let database = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { database.close() }
            var found = try await StoreExamination(of: database, at: Self.now)
            #expect(found.missingSteps == [] && found.unknownSteps == [] && found.missingIndexes == [])
            #expect(found.partitions.map(\.missing.count) == [4, 4])
            #expect(found.partitions.map(\.hasDefaultRows) == [false, false])

            _ = try await RetentionRepository(database: database).makePartitions(
                from: Self.now,
                through: Self.now.advanced(by: .seconds(86_400 * 21)),
                .thorough
            )
            try await database.write { connection in
                try connection.execute(
                    script: """
                        INSERT INTO events (app_id, occurrence_id, device_number, kind, action, occurred_at)
                        VALUES (7, 5, 1, 1, '', 0)
                        """
                )
            }
            found = try await StoreExamination(of: database, at: Self.now)
            #expect(found.partitions.map(\.missing) == [[], []])
            #expect(found.partitions.map(\.hasDefaultRows) == [false, true])
        }
    }
}
