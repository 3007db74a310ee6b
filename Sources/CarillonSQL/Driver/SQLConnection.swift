package import StoreErrors

/// A connection to a database, inside a transaction, on a thread that may block.
///
/// It is valid inside a closure of ``Database/read(_:)`` or ``Database/write(priority:_:)`` and must not leave it.
package protocol SQLConnection: AnyObject {
    var dialect: Dialect { get }

    /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` changed.
    var changedRowCount: Int { get }

    /// Returns the prepared statement of a text, ready for binding.
    ///
    /// It is cached, so it must not be prepared again while its rows are being read.
    func prepare(_ sql: SQL) throws(StoreError) -> any SQLStatement

    /// Returns the prepared statement of a composed text, as ``prepare(_:)-(SQL)``.
    func prepare(_ sql: ComposedSQL) throws(StoreError) -> any SQLStatement

    /// Waits until no other transaction, here or on another node, holds a lock, and holds it until the commit.
    ///
    /// On PostgreSQL it is sent with the next statement; on SQLite, where one transaction writes at a time, it does
    /// nothing.
    func lock(_ lock: WriteLock) throws(StoreError)

    /// Takes locks of one kind, in order, as ``lock(_:)-(WriteLock)`` takes one.
    func lock(_ locks: Set<WriteLock>) throws(StoreError)

    /// Runs statements of a script, separated by semicolons; for migrations.
    func execute(script: String) throws(StoreError)
}

/// A prepared statement.
///
/// Parameters are numbered from 1, columns from 0.
package protocol SQLStatement: AnyObject {
    func bind(_ value: Int64, at index: Int)
    func bind(_ value: Double, at index: Int)
    func bind(_ value: String, at index: Int)
    /// Binds a copy of bytes.
    func bind(_ bytes: UnsafeRawBufferPointer, at index: Int)
    func bindNull(at index: Int)

    /// Advances to the next row.
    ///
    /// - Returns: False after the last row; the statement may then be bound and run again.
    func next() throws(StoreError) -> Bool

    /// Runs the statement without waiting for the result where that saves a round trip.
    ///
    /// A failure is thrown by the next statement with a result, or by the commit. Its rows and the number of changed
    /// rows are not available.
    func send() throws(StoreError)

    /// Discards unread rows.
    ///
    /// Bound values stay.
    func reset()

    func isNull(_ column: Int) -> Bool
    func int64(_ column: Int) -> Int64
    func double(_ column: Int) -> Double
    func string(_ column: Int) -> String
    /// The column's bytes, valid until the next row; empty for null.
    func bytes(_ column: Int) -> UnsafeRawBufferPointer
}

extension SQLStatement {
    /// Runs the statement to its end and resets it for binding.
    package func run() throws(StoreError) {
        while try next() {}
    }

    package func send() throws(StoreError) { try run() }

    package func int(_ column: Int) -> Int { Int(int64(column)) }
    package func bool(_ column: Int) -> Bool { int64(column) != 0 }
    package func optionalInt64(_ column: Int) -> Int64? { isNull(column) ? nil : int64(column) }
    package func optionalString(_ column: Int) -> String? { isNull(column) ? nil : string(column) }
    package func array(_ column: Int) -> [UInt8] { Array(bytes(column)) }
    package func optionalArray(_ column: Int) -> [UInt8]? { isNull(column) ? nil : array(column) }
}

/// For everything except hot loops: values bound in the order of their parameters.
extension SQLConnection {
    /// Runs a statement without rows.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult
    package func run<each Value: SQLBindable>(_ sql: SQL, _ values: repeat each Value) throws(StoreError) -> Int {
        let statement = try prepare(sql)
        bind(statement, repeat each values)
        try statement.run()
        return changedRowCount
    }

    /// Runs a statement whose number of changed rows is not needed; see ``SQLStatement/send()``.
    package func send<each Value: SQLBindable>(_ sql: SQL, _ values: repeat each Value) throws(StoreError) {
        let statement = try prepare(sql)
        bind(statement, repeat each values)
        try statement.send()
    }

    /// Runs a statement once, whose parameters are the columns of a list.
    @discardableResult
    package func run<Column: SQLColumn>(
        _ sql: SQL,
        bind: (SQLParameters<Column>) throws -> Void
    ) throws(StoreError) -> Int {
        let statement = try prepare(sql)
        try StoreError.wrap { try bind(SQLParameters(statement)) }
        try statement.run()
        return changedRowCount
    }

    /// Reads the first row by column; `nil` when there is none.
    package func first<Result, Column: SQLColumn, each Value: SQLBindable>(
        _ sql: SQL,
        _ values: repeat each Value,
        read: (SQLRow<Column>) throws -> Result
    ) throws(StoreError) -> Result? {
        try first(sql, repeat each values) { (row: any SQLStatement) in try read(SQLRow(row)) }
    }

    /// Reads all rows by column; limit them by a `LIMIT`.
    package func all<Result, Column: SQLColumn, each Value: SQLBindable>(
        _ sql: SQL,
        _ values: repeat each Value,
        read: (SQLRow<Column>) throws -> Result
    ) throws(StoreError) -> [Result] {
        try all(sql, repeat each values) { (row: any SQLStatement) in try read(SQLRow(row)) }
    }

    /// Reads the first row of a statement with few columns as one value or a tuple; `nil` when there is none.
    package func first<each Column: SQLReadable, each Value: SQLBindable>(
        _ sql: SQL,
        _ values: repeat each Value,
        as columns: (repeat each Column).Type
    ) throws(StoreError) -> (repeat each Column)? {
        try first(sql, repeat each values) { (row: any SQLStatement) in try SQLTuple<repeat each Column>.read(row) }
    }

    /// Reads all rows of a statement with few columns, each as one value or a tuple; limit them by a `LIMIT`.
    package func all<each Column: SQLReadable, each Value: SQLBindable>(
        _ sql: SQL,
        _ values: repeat each Value,
        as columns: (repeat each Column).Type
    ) throws(StoreError) -> [(repeat each Column)] {
        try all(sql, repeat each values) { (row: any SQLStatement) in try SQLTuple<repeat each Column>.read(row) }
    }

    /// Reads the first row; `nil` when there is none.
    package func first<Result, each Value: SQLBindable>(
        _ sql: SQL,
        _ values: repeat each Value,
        read: (any SQLStatement) throws -> Result
    ) throws(StoreError) -> Result? {
        let statement = try prepare(sql)
        defer { statement.reset() }
        bind(statement, repeat each values)
        return try statement.next() ? try StoreError.wrap { try read(statement) } : nil
    }

    /// Reads all rows; limit them by a `LIMIT`.
    package func all<Result, each Value: SQLBindable>(
        _ sql: SQL,
        _ values: repeat each Value,
        read: (any SQLStatement) throws -> Result
    ) throws(StoreError) -> [Result] {
        let statement = try prepare(sql)
        defer { statement.reset() }
        bind(statement, repeat each values)
        var results: [Result] = []
        try StoreError.wrap { while try statement.next() { results.append(try read(statement)) } }
        return results
    }

    private func bind<each Value: SQLBindable>(_ statement: any SQLStatement, _ values: repeat each Value) {
        var index = 0
        for value in repeat each values {
            index += 1
            value.bind(to: statement, at: index)
        }
    }
}
