import Foundation

/// Many values as one parameter, so that one statement serves any number of them.
///
/// On SQLite numbers and texts are a JSON array, for `json_each($1)`, and ids one concatenation of bytes. On PostgreSQL
/// all are an array's text, for `unnest(CAST(CAST($1 AS TEXT) AS BIGINT[]))`, `… AS TEXT[]` or `… AS BYTEA[]`.
///
/// Compare with such a list by `= ANY(ARRAY(SELECT unnest(…)))`. Without the subquery PostgreSQL plans for the actual
/// values: without statistics it then estimates a list of thousands as more expensive than all Devices of an App, and
/// compares each Device with each value.
package struct SQLList: SQLBindable {
    private enum Content {
        case text(String)
        case bytes([UInt8])
    }

    private let content: Content

    /// A list of numbers.
    package init(_ numbers: some Sequence<Int64>, _ dialect: Dialect) {
        let list = numbers.lazy.map(String.init).joined(separator: ",")
        content = .text(dialect == .sqlite ? "[" + list + "]" : "{" + list + "}")
    }

    /// A list of texts.
    package init(texts: some Sequence<String>, _ dialect: Dialect) {
        let list = texts.lazy.map { Self.quoted($0, dialect) }.joined(separator: ",")
        content = .text(dialect == .sqlite ? "[" + list + "]" : "{" + list + "}")
    }

    /// A list of texts or nulls, on PostgreSQL.
    package init(nullable texts: some Sequence<String?>) {
        let list = texts.map { text in text.map { Self.quoted($0, .postgreSQL) } ?? "NULL" }
        content = .text("{" + list.joined(separator: ",") + "}")
    }

    /// A list of fractions or nulls, on PostgreSQL.
    package init(_ numbers: some Sequence<Double?>) {
        content = .text("{" + numbers.map { $0.map { String($0) } ?? "NULL" }.joined(separator: ",") + "}")
    }

    /// Concatenated bytes, on SQLite.
    package init(bytes: [UInt8]) { content = .bytes(bytes) }

    /// An array's text with its braces, on PostgreSQL, without quoting.
    package init(arrayText: String) { content = .text(arrayText) }

    package func bind(to statement: any SQLStatement, at index: Int) {
        switch content {
        case .text(let text): text.bind(to: statement, at: index)
        case .bytes(let bytes): bytes.bind(to: statement, at: index)
        }
    }

    /// The value for a composed statement.
    package var value: SQLValue {
        switch content {
        case .text(let text): .text(text)
        case .bytes(let bytes): .bytes(bytes)
        }
    }

    /// JSON and an array's text quote in the same way, except for control characters, which an array's text may
    /// contain.
    private static func quoted(_ text: String, _ dialect: Dialect) -> String {
        // Nearly all texts need no escaping.
        guard text.utf8.contains(where: { $0 == 0x22 || $0 == 0x5C || $0 < 0x20 }) else { return "\"\(text)\"" }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where scalar.value < 0x20 && dialect == .sqlite:
                quoted += "\\u00" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
