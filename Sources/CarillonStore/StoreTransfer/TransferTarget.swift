import CarillonEngine
import CarillonSQL

/// The PostgreSQL database that rows move to.
///
/// One thread uses it.
final class TransferTarget {
    /// How many rows are sent before their answers are read.
    private static let batch = 500
    /// How many rows a transaction has.
    private static let transactionRows = 20_000

    /// How many changed rows are brought up to date in a transaction.
    private static let portion = 5_000

    private let connection: PostgreSQLConnection
    private let tables: [TransferTable]
    /// How many rows each table has by what was written: PostgreSQL said so of every one.
    private(set) var counts: [TransferTable: Int64] = [:]

    init(_ settings: PostgreSQLSession.Settings, _ tables: [TransferTable]) {
        connection = PostgreSQLConnection(settings)
        self.tables = tables
    }

    /// - Throws: ``StoreError/failed(_:)`` naming a table that has rows.
    func checkThatEmpty() throws(StoreError) {
        for table in tables where try first("SELECT 1 FROM \(table.name) LIMIT 1") != nil {
            throw .failed("The PostgreSQL database has rows in \(table.name) already; it must be a new one.")
        }
    }

    /// Counts the rows of a table, however long it takes.
    func count(_ table: TransferTable) throws(StoreError) -> Int64 { try first(table.count) ?? 0 }

    /// Has the planner learn how large a table is.
    func analyze(_ table: TransferTable) throws(StoreError) { try connection.execute(script: "ANALYZE \(table.name)") }

    private func first(_ text: String) throws(StoreError) -> Int64? {
        let statement = try statement(text)
        defer { connection.finishStatements() }
        return try statement.next() ? Int64.read(statement, at: 0) : nil
    }

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
    func insertAll(_ rows: SQLiteStatement, into table: TransferTable) throws(StoreError) -> Int {
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
                    if row.isMultiple(of: Self.batch) { try connection.flush() }
                    count += 1
                }
            }
        }
        counts[table, default: 0] += Int64(count)
        return count
    }

    /// Deletes rows by their keys.
    ///
    /// Keys are read before each transaction begins, so that none waits for the file.
    ///
    /// - Parameters:
    ///   - table: Whose rows.
    ///   - keys: Gives the next keys, as many as it is told; none at the end.
    /// - Throws: ``StoreError``.
    func delete(
        from table: TransferTable,
        _ keys: (Int) throws(StoreError) -> [[SQLValue]]
    ) throws(StoreError) {
        while true {
            let portion = try keys(Self.portion)
            guard !portion.isEmpty else { return }
            try transaction { () throws(StoreError) in
                let delete = try statement(table.delete)
                for start in stride(from: 0, to: portion.count, by: TransferTable.deletedAtOnce) {
                    for place in 0..<TransferTable.deletedAtOnce {
                        // Places that are left name the last row again.
                        let key = portion[min(start + place, portion.count - 1)]
                        for (column, value) in key.enumerated() {
                            value.bind(to: delete, at: place * key.count + column + 1)
                        }
                    }
                    try delete.run()
                    counts[table, default: 0] -= Int64(connection.changedRowCount)
                }
            }
        }
    }

    /// Inserts rows as they are now, where they still are.
    ///
    /// - Parameters:
    ///   - table: Whose rows.
    ///   - row: Gives one row by its key.
    ///   - keys: As in ``delete(from:_:)``.
    /// - Returns: How many keys there were.
    /// - Throws: ``StoreError``.
    func insert(
        into table: TransferTable,
        _ row: SQLiteStatement,
        _ keys: (Int) throws(StoreError) -> [[SQLValue]]
    ) throws(StoreError) -> Int {
        var count = 0
        while true {
            let portion = try keys(Self.portion)
            guard !portion.isEmpty else { return count }
            count += portion.count
            var inserted = 0
            try transaction { () throws(StoreError) in
                let insert = try statement(table.insert)
                for (place, key) in portion.enumerated() {
                    for (column, value) in key.enumerated() { value.bind(to: row, at: column + 1) }
                    defer { row.reset() }
                    guard try row.next() else { continue }
                    row.copy(to: insert, columnCount: table.columns.count)
                    try insert.send()
                    inserted += 1
                    if place.isMultiple(of: Self.batch) { try connection.flush() }
                }
            }
            counts[table, default: 0] += Int64(inserted)
        }
    }

    private func statement(_ text: String) throws(StoreError) -> PostgreSQLStatement {
        guard let statement = try connection.prepare(ComposedSQL(ofOurs: text)) as? PostgreSQLStatement else {
            throw .failed("A statement is not PostgreSQL's.")
        }
        return statement
    }
}
