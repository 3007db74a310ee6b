package import CarillonModel
import Foundation

/// A row of a table: a value or none for each field.
package struct ContentRow: Hashable, Sendable {
    /// Its name in the table: 1 through 200 bytes.
    package var key: String
    /// In the order of the table's fields.
    package var values: [ContentValue?]

    package init(key: String, values: [ContentValue?]) {
        self.key = key
        self.values = values
    }

    /// As answers have it: members with a value only.
    package func json(_ table: ContentTable) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for (field, value) in zip(table.fields, values) {
            if let value { members[field.name] = value.json }
        }
        return .object(members)
    }
}

/// Makes rows of a file's records, as a table defines them.
package struct ContentRowBuilder: Sendable {
    /// Why a record becomes no row.
    package struct Problem: Error, Hashable, Sendable {
        package var text: String
    }

    package let table: ContentTable
    private let zone: TimeZone
    private let keyIndex: Int
    private let paths: [[ColumnPath]]

    package init(_ table: ContentTable, timeZone: String) {
        self.table = table
        zone = TimeZone(identifier: timeZone) ?? .gmt
        keyIndex = table.index(of: table.key) ?? 0
        paths = table.fields.map { $0.columns.map(ColumnPath.init) }
    }

    /// The columns of a file that the table reads: by their names in lower case, as the definition writes them.
    package var columns: [String: String] {
        var names: [String] = []
        for field in table.fields {
            if field.type == .position, field.columns.isEmpty { names += ["latitude", "longitude"] }
            names += field.columns.isEmpty ? [field.name] : field.columns
        }
        return Dictionary(names.map { ($0.lowercased(), $0) }) { first, _ in first }
    }

    /// The members that a record of JSON may have its values in.
    var members: Set<String> {
        Set(columns.values.flatMap { ColumnPath($0).wanted }).union(["geometry"])
    }

    /// Makes a row.
    ///
    /// - Parameter record: The members of a record.
    /// - Returns: The row. A value that does not fit an optional field is left out, and `invalid` names the field.
    /// - Throws: ``Problem`` when there is no key, or a required value is missing or does not fit.
    package func row(_ record: [String: JSONValue]) throws(Problem) -> (row: ContentRow, invalid: [String]) {
        var values: [ContentValue?] = []
        var invalid: [String] = []
        values.reserveCapacity(table.fields.count)
        for (index, field) in table.fields.enumerated() {
            let isNeeded = field.isRequired || index == keyIndex
            do throws(ContentField.Problem) {
                let value = try value(field, paths[index], record)
                if value == nil, isNeeded { throw ContentField.Problem(text: "is missing") }
                values.append(value)
            } catch {
                guard !isNeeded else { throw Problem(text: "\(field.name) \(error.text)") }
                invalid.append(field.name)
                values.append(nil)
            }
        }
        guard let key = values[keyIndex]?.json, let text = key.string ?? key.integer.map({ String($0) }),
            (1...ContentValue.maximumTermSize).contains(text.utf8.count)
        else { throw Problem(text: "\(table.key) has more than \(ContentValue.maximumTermSize) bytes") }
        return (ContentRow(key: text, values: values), invalid)
    }

    private func value(
        _ field: ContentField,
        _ paths: [ColumnPath],
        _ record: [String: JSONValue]
    ) throws(ContentField.Problem) -> ContentValue? {
        if field.type == .position {
            if paths.count == 2 { return try field.position(paths[0].value(in: record), paths[1].value(in: record)) }
            if let whole = record[field.name] ?? record["geometry"] { return try field.parse(whole, in: zone) }
            return try field.position(record["latitude"], record["longitude"])
        }
        let value = paths.first.map { $0.value(in: record) } ?? record[field.name]
        return try field.parse(value, in: zone)
    }
}
