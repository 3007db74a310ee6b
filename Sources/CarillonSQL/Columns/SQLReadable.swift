package import StoreErrors

/// A value that a column may hold.
package protocol SQLReadable {
    /// Reads a column of the current row.
    ///
    /// - Throws: ``StoreError/failed(_:)`` for a value that is invalid for the type.
    static func read(_ row: any SQLStatement, at column: Int) throws(StoreError) -> Self
}

extension Int64: SQLReadable {
    package static func read(_ row: any SQLStatement, at column: Int) -> Int64 { row.int64(column) }
}

extension Int: SQLReadable {
    package static func read(_ row: any SQLStatement, at column: Int) -> Int { Int(row.int64(column)) }
}

extension Bool: SQLReadable {
    package static func read(_ row: any SQLStatement, at column: Int) -> Bool { row.int64(column) != 0 }
}

extension Double: SQLReadable {
    package static func read(_ row: any SQLStatement, at column: Int) -> Double { row.double(column) }
}

extension String: SQLReadable {
    package static func read(_ row: any SQLStatement, at column: Int) -> String { row.string(column) }
}

extension [UInt8]: SQLReadable {
    package static func read(_ row: any SQLStatement, at column: Int) -> [UInt8] { Array(row.bytes(column)) }
}

/// Null is `nil`.
extension Optional: SQLReadable where Wrapped: SQLReadable {
    package static func read(_ row: any SQLStatement, at column: Int) throws(StoreError) -> Wrapped? {
        row.isNull(column) ? nil : try Wrapped.read(row, at: column)
    }
}

/// Ids, times and enums are stored as their raw values.
extension SQLReadable where Self: RawRepresentable, RawValue: SQLReadable {
    package static func read(_ row: any SQLStatement, at column: Int) throws(StoreError) -> Self {
        guard let value = Self(rawValue: try RawValue.read(row, at: column)) else {
            throw .failed("Column \(column) of a row holds a value that is no \(Self.self).")
        }
        return value
    }
}

/// The first columns of a row, one for each type.
struct SQLTuple<each Column: SQLReadable> {
    static func read(_ row: any SQLStatement) throws -> (repeat each Column) {
        var column = ColumnCounter(row: row)
        return (repeat try column.next((each Column).self))
    }
}

private struct ColumnCounter {
    let row: any SQLStatement
    private var column = -1

    init(row: any SQLStatement) { self.row = row }

    mutating func next<Value: SQLReadable>(_: Value.Type) throws -> Value {
        column += 1
        return try Value.read(row, at: column)
    }
}
