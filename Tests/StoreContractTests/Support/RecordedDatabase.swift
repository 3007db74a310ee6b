import CarillonEngine
import CarillonModel
import CarillonSQL
import CarillonStore
import Foundation
import NIOCore
import TestStores
import TestSupport

extension StoreKind {
    /// Runs a test on an empty database that records its statements; PostgreSQL's answers are delayed by a millisecond.
    func withRecordedDatabase<Result>(
        _ body: (any Database, StatementRecorder) async throws -> Result
    ) async throws -> Result {
        let recorder = StatementRecorder()
        switch self {
        case .sqliteInMemory:
            var options = SQLiteDatabase.Options.forTests
            options.recorder = recorder
            let database = try SQLiteDatabase(inMemory: options)
            defer { database.close() }
            return try await body(database, recorder)
        case .sqliteFile:
            return try await withTemporaryFolder { folder in
                var options = SQLiteDatabase.Options.forTests
                options.recorder = recorder
                let path = folder.appending(path: "store.sqlite").path
                let database = try SQLiteDatabase(path: path, options: options)
                defer { database.close() }
                return try await body(database, recorder)
            }
        case .postgreSQL:
            return try await withPostgreSQL { url in
                let address = URLComponents(string: url)
                let relay = try await CuttingRelay(to: address?.port ?? 5432, delay: .milliseconds(1))
                var near = address
                near?.host = "127.0.0.1"
                near?.port = relay.port
                var options = TestPostgreSQL.options
                options.recorder = recorder
                let database = try PostgreSQLDatabase(near?.string ?? url, options: options)
                let result: Swift.Result<Result, any Error>
                do { result = .success(try await body(database, recorder)) } catch { result = .failure(error) }
                database.close()
                try await relay.close()
                return try result.get()
            }
        }
    }
}

extension StatementRecorder {
    /// The recorded statements, without those for transactions and locks.
    var statements: [Record] {
        records.filter { record in
            let beginnings = ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET LOCAL"]
            return !beginnings.contains { record.text.hasPrefix($0) }
                && !record.text.contains("pg_advisory_xact_lock") && !record.text.contains("pg_current_xact_id")
        }
    }

    /// The number of statements whose result was awaited.
    var waits: Int { statements.reduce(0) { $0 + $1.waits } }

    /// The largest number of rows that the driver received in one run.
    var mostRows: Int { statements.map(\.mostRows).max() ?? 0 }
}

/// Thousands of rows, created by one statement.
enum ManyRows {
    /// Devices of App 7 with a device token, numbers from 1 on, and their Users' names.
    ///
    /// - Parameters:
    ///   - count: The number of Devices.
    ///   - user: An SQL expression of `n`.
    ///   - database: The database.
    /// - Throws: ``StoreError``.
    static func addDevices(_ count: Int, user: String = "'u-' || n", to database: any Database) async throws {
        let isSQLite = database.dialect == .sqlite
        let bytes = isSQLite ? "randomblob(16)" : "decode(md5(CAST(n AS text)), 'hex')"
        try await database.write { connection in
            try connection.execute(
                script: """
                    INSERT INTO devices (app_id, number, public_id, consent, push_type, language, token, token_state,
                        created_at, registered_at, user_id)
                    SELECT 7, n, \(bytes), 1, 1, 'en', \(bytes), 1, 0, 0, \(user) FROM \(series(count, isSQLite));
                    UPDATE apps SET next_device_number = \(count + 1) WHERE id = 7;
                    """
            )
        }
    }

    /// Retries of an Occurrence, a millisecond apart.
    static func addRetries(_ count: Int, of occurrence: OccurrenceID, to database: any Database) async throws {
        let isSQLite = database.dialect == .sqlite
        try await database.write { connection in
            try connection.execute(
                script: """
                    INSERT INTO retries (app_id, occurrence_id, device_number, push_type, due_at, attempts)
                    SELECT 7, \(occurrence.rawValue), n, 1, n / 3, 1 FROM \(series(count, isSQLite));
                    """
            )
        }
    }

    /// One more Device of App 7.
    static func addDevice(_ number: Int, user: String, to database: any Database) async throws {
        _ = try await database.write { connection in
            try connection.run(
                """
                INSERT INTO devices (app_id, number, public_id, consent, push_type, token_state, created_at,
                    registered_at, user_id)
                VALUES (7, $1, $2, 1, 1, NULL, 0, 0, $3)
                """,
                number,
                DeviceID(rawValue: UUID()),
                user
            )
        }
    }

    /// Broadcasts of App 7; the Device with number 1 got the first of them.
    static func addBroadcasts(_ count: Int, to database: any Database) async throws {
        let isSQLite = database.dialect == .sqlite
        try await database.write { connection in
            try connection.execute(
                script: """
                    INSERT INTO inbox_broadcasts (app_id, occurrence_id, last_device)
                    SELECT 7, n, 1000 FROM \(series(count, isSQLite));
                    INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at)
                    VALUES (7, 1, 1, 1, 1, 0, 0);
                    """
            )
        }
    }

    /// Complete Campaigns of App 7, each for another User, with ids from `first` on.
    static func addCampaigns(_ count: Int, from first: Int, to database: any Database) async throws {
        let isSQLite = database.dialect == .sqlite
        try await database.write { connection in
            try connection.execute(
                script: """
                    INSERT INTO campaigns (app_id, id, state, audience, message, is_ad, is_test, retry_for, created_at,
                        names_people)
                    SELECT 7, n + \(first - 1), 'sent', '{"users":["u-' || n || '"]}', '{}', 0, 0, 0, 0, 1
                    FROM \(series(count, isSQLite));
                    """
            )
        }
    }

    private static func series(_ count: Int, _ isSQLite: Bool) -> String {
        isSQLite
            ? """
            (WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < \(count)) SELECT n FROM s) AS s
            """
            : "generate_series(1, \(count)) AS n"
    }
}
