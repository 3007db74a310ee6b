package import CarillonEngine
package import CarillonSQL
import CarillonStore

/// An empty database for one test, on the store that the environment chose: SQLite's in memory, or PostgreSQL's, which
/// goes on to the next test when nobody has this value any more.
package final class TestDatabase: Database {
    private let database: any Database
    private let lent: TestPool.Lent?

    package var dialect: Dialect { database.dialect }
    package var writeCount: Int? { database.writeCount }

    /// Makes an empty database, on PostgreSQL one with the schema.
    ///
    /// - Parameter options: For SQLite.
    /// - Throws: ``StoreError``.
    package init(_ options: SQLiteDatabase.Options = .forTests) async throws {
        if TestPlace.isPostgreSQL {
            let lent = try await TestPostgreSQL.pool.take()
            self.lent = lent
            database = LentDatabase(lent.database)
        } else {
            lent = nil
            database = try SQLiteDatabase(inMemory: options)
        }
    }

    // The last reference may go with a read's closure, on the database's own queue: closing there would wait for itself.
    deinit {
        Task.detached { [database, lent] in
            database.close()
            if let lent { await TestPostgreSQL.pool.giveBack(lent) }
        }
    }

    // Nobody may get the database while something of this test still runs there.

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        defer { withExtendedLifetime(self) {} }
        return try await database.read(body)
    }

    package func write<Value: Sendable>(
        priority: WritePriority,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        defer { withExtendedLifetime(self) {} }
        return try await database.write(priority: priority, body)
    }

    package func maintenance<Value: Sendable>(
        patience: LockPatience,
        _ body: @Sendable (any MaintenanceSession) async throws -> Value
    ) async throws(StoreError) -> Value {
        defer { withExtendedLifetime(self) {} }
        return try await database.maintenance(patience: patience, body)
    }

    package func turn(at lock: WriteLock) async -> (any DatabaseTurn)? { await database.turn(at: lock) }

    package func close() { database.close() }
}
