import GRDBSQLite
package import StoreErrors

/// A prepared statement of SQLite.
package final class SQLiteStatement: SQLStatement {
    private let pointer: OpaquePointer
    private let connection: OpaquePointer
    /// Whether there may be unread rows.
    private(set) var isReading = false
    let isReadOnly: Bool
    private let recorder: StatementRecorder?
    private let times: StatementTimes?
    /// How long the run has taken, in nanoseconds.
    private var spent: Int64 = 0
    /// The number of rows of the run, for a recorder.
    private var recordedRows: Int?
    /// Whether the connection has to finish it before it is returned.
    var isUsed = false

    package init(
        _ pointer: OpaquePointer,
        connection: OpaquePointer,
        recorder: StatementRecorder? = nil,
        times: StatementTimes? = nil
    ) {
        self.recorder = recorder
        self.times = times
        self.pointer = pointer
        self.connection = connection
        isReadOnly = sqlite3_stmt_readonly(pointer) != 0
    }

    deinit { sqlite3_finalize(pointer) }

    package func bind(_ value: Int64, at index: Int) { sqlite3_bind_int64(pointer, Int32(index), value) }
    package func bind(_ value: Double, at index: Int) { sqlite3_bind_double(pointer, Int32(index), value) }
    package func bindNull(at index: Int) { sqlite3_bind_null(pointer, Int32(index)) }

    package func bind(_ value: String, at index: Int) {
        var value = value
        value.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                // An empty text may have no address, which SQLite would treat as null.
                let address = text.baseAddress
                _ = sqlite3_bind_text(pointer, Int32(index), address, Int32(text.count), Self.transient)
                if address == nil { sqlite3_bind_text(pointer, Int32(index), "", 0, Self.transient) }
            }
        }
    }

    package func bind(_ bytes: UnsafeRawBufferPointer, at index: Int) {
        if bytes.isEmpty {
            sqlite3_bind_zeroblob(pointer, Int32(index), 0)
        } else {
            sqlite3_bind_blob(pointer, Int32(index), bytes.baseAddress, Int32(bytes.count), Self.transient)
        }
    }

    package func next() throws(StoreError) -> Bool {
        if let recorder { record(recorder) }
        let begin = times == nil ? 0 : StatementTimes.now
        let code = sqlite3_step(pointer)
        if times != nil { spent += StatementTimes.now - begin }
        switch code {
        case SQLITE_ROW:
            isReading = true
            if recorder != nil { recordedRows? += 1 }
            return true
        case SQLITE_DONE:
            reset()
            return false
        default:
            let error = StoreError(sqlite: connection)
            reset()
            throw error
        }
    }

    package func reset() {
        if let recorder { endRecord(recorder) }
        if let times { noteTime(times) }
        sqlite3_reset(pointer)
        isReading = false
    }

    /// Discards unread rows, and marks the statement as unused.
    func finish() {
        if isReading { reset() }
        isUsed = false
    }

    /// SQLite's type code of a column in this row, such as `SQLITE_TEXT`.
    package func kind(_ column: Int) -> Int32 { sqlite3_column_type(pointer, Int32(column)) }

    package func isNull(_ column: Int) -> Bool { sqlite3_column_type(pointer, Int32(column)) == SQLITE_NULL }
    package func int64(_ column: Int) -> Int64 { sqlite3_column_int64(pointer, Int32(column)) }
    package func double(_ column: Int) -> Double { sqlite3_column_double(pointer, Int32(column)) }

    package func string(_ column: Int) -> String {
        guard let text = sqlite3_column_text(pointer, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(pointer, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    package func bytes(_ column: Int) -> UnsafeRawBufferPointer {
        let address = sqlite3_column_blob(pointer, Int32(column))
        return UnsafeRawBufferPointer(start: address, count: Int(sqlite3_column_bytes(pointer, Int32(column))))
    }

    private func noteTime(_ times: StatementTimes) {
        let nanoseconds = spent
        spent = 0
        times.note(nanoseconds: nanoseconds) { [pointer] in sqlite3_sql(pointer).map { String(cString: $0) } ?? "" }
    }

    private func record(_ recorder: StatementRecorder) {
        guard recordedRows == nil, let text = sqlite3_sql(pointer) else { return }
        recordedRows = 0
        recorder.record(String(cString: text), waits: true)
    }

    private func endRecord(_ recorder: StatementRecorder) {
        guard let rows = recordedRows, let text = sqlite3_sql(pointer) else { return }
        recordedRows = nil
        recorder.record(String(cString: text), rows: rows)
    }

    /// Makes SQLite copy bound values (`SQLITE_TRANSIENT`, a macro that Swift cannot import).
    private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
