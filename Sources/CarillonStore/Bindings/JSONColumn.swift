import CarillonSQL
import Foundation
import StoreErrors

/// A value that is stored as JSON in one column of text.
struct JSONColumn<Value: Codable> {
    let value: Value
    let text: String
}

extension JSONColumn {
    /// - Throws: ``StoreError/failed(_:)`` for a value that JSON cannot hold, as an infinite number.
    init(_ value: Value) throws(StoreError) {
        do {
            self.init(value: value, text: String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
        } catch {
            throw .failed("A \(Value.self) cannot be written as JSON.")
        }
    }
}

extension JSONColumn: Sendable where Value: Sendable {}

extension JSONColumn: SQLBindable {
    func bind(to statement: any SQLStatement, at index: Int) { statement.bind(text, at: index) }
}

extension JSONColumn: SQLReadable {
    static func read(_ row: any SQLStatement, at column: Int) throws(StoreError) -> JSONColumn {
        let text = row.string(column)
        do {
            return JSONColumn(value: try JSONDecoder().decode(Value.self, from: Data(text.utf8)), text: text)
        } catch {
            throw .failed("Column \(column) of a row holds JSON that is no \(Value.self).")
        }
    }
}

extension JSONColumn {
    static func value(_ row: any SQLStatement, at column: Int) throws(StoreError) -> Value {
        try read(row, at: column).value
    }
}

extension SQLRow {
    /// The value of a column of JSON.
    func json<Value: Codable>(_ column: Column) throws(StoreError) -> Value {
        (try self[column] as JSONColumn<Value>).value
    }

    /// The value of a column of JSON; `nil` for null.
    func optionalJSON<Value: Codable>(_ column: Column) throws(StoreError) -> Value? {
        (try self[column] as JSONColumn<Value>?)?.value
    }
}
