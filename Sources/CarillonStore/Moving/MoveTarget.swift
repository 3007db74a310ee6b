import CarillonEngine

/// The PostgreSQL database that rows move to.
///
/// One thread uses it.
final class MoveTarget {
    /// How many rows are sent before their answers are read.
    private static let batch = 500
    /// How many rows a transaction has.
    private static let transactionRows = 20_000

    private let connection: PostgreSQLConnection
    private let tables: [MoveTable]

    init(_ settings: PostgreSQLSession.Settings, _ tables: [MoveTable]) {
        connection = PostgreSQLConnection(settings)
        self.tables = tables
    }

    /// - Throws: ``StoreError/failed(_:)`` naming a table that has rows.
    func checkThatEmpty() throws(StoreError) {
        for table in tables where try count(table) > 0 {
            throw .failed("The PostgreSQL database has rows in \(table.name) already; it must be a new one.")
        }
    }

    func count(_ table: MoveTable) throws(StoreError) -> Int64 {
        let statement = try statement(table.count)
        defer { connection.finishStatements() }
        return try statement.next() ? statement.int64(0) : 0
    }

    /// Has the planner learn how large the tables are.
    func analyze() throws(StoreError) { try connection.execute(script: "ANALYZE") }

    func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try connection.begin()
            try body()
            connection.finishStatements()
            try connection.commit()
        } catch {
            connection.rollback()
            throw error
        }
    }

    /// Inserts all rows that a statement gives.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``StoreError``.
    func insertAll(_ rows: SQLiteStatement, into table: MoveTable) throws(StoreError) -> Int {
        var count = 0
        var isOver = false
        while !isOver {
            try transaction { () throws(StoreError) in
                let insert = try statement(table.insert)
                for row in 1...Self.transactionRows {
                    guard try rows.next() else {
                        isOver = true
                        break
                    }
                    rows.copy(to: insert, columnCount: table.columns.count)
                    try insert.send()
                    if row.isMultiple(of: Self.batch) { try connection.settle() }
                    count += 1
                }
            }
        }
        return count
    }

    /// Puts rows as they are now in the place of those that were copied.
    ///
    /// - Parameters:
    ///   - keys: Gives the rows' keys; it is run twice.
    ///   - table: Whose rows.
    ///   - row: Gives one row by its key.
    /// - Returns: How many keys there were.
    /// - Throws: ``StoreError``.
    func renew(_ keys: SQLiteStatement, of table: MoveTable, from row: SQLiteStatement) throws(StoreError) -> Int {
        var count = 0
        let delete = try statement(table.delete)
        while try keys.next() {
            for place in table.key.indices { keys.copy(place, to: delete, at: place + 1) }
            try delete.send()
            count += 1
            if count.isMultiple(of: Self.batch) { try connection.settle() }
        }
        guard count > 0 else { return 0 }
        let insert = try statement(table.insert)
        while try keys.next() {
            for place in table.key.indices { keys.copy(place, to: row, at: place + 1) }
            guard try row.next() else { continue }
            row.copy(to: insert, columnCount: table.columns.count)
            row.reset()
            try insert.send()
        }
        try connection.settle()
        return count
    }

    private func statement(_ text: String) throws(StoreError) -> PostgreSQLStatement {
        guard let statement = try connection.prepare(ComposedSQL(ofOurs: text)) as? PostgreSQLStatement else {
            throw .failed("A statement is not PostgreSQL's.")
        }
        return statement
    }
}
