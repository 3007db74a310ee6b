import Foundation

/// Many values as one parameter, so that one statement serves any number of them.
///
/// On SQLite numbers and texts are a JSON array, for `json_each($1)`, and ids one run of bytes. On PostgreSQL all are an
/// array's text, for `unnest(CAST(CAST($1 AS TEXT) AS BIGINT[]))`, `… AS TEXT[]` or `… AS BYTEA[]`.
///
/// A condition on such a list is `= ANY(ARRAY(SELECT unnest(…)))`. Without the subquery PostgreSQL knows the values when
/// it makes the plan: where it has no statistics it then takes a list of thousands for more work than all Devices of an
/// App, and compares each Device with each value.
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

    /// A run of bytes, on SQLite.
    package init(bytes: [UInt8]) { content = .bytes(bytes) }

    /// An array's text with its braces, on PostgreSQL; nothing is quoted.
    package init(arrayText: String) { content = .text(arrayText) }

    package func bind(to statement: any SQLStatement, at index: Int) {
        switch content {
        case .text(let text): text.bind(to: statement, at: index)
        case .bytes(let bytes): bytes.bind(to: statement, at: index)
        }
    }

    /// The value as a composed statement keeps it.
    package var value: SQLValue {
        switch content {
        case .text(let text): .text(text)
        case .bytes(let bytes): .bytes(bytes)
        }
    }

    /// JSON and an array's text quote the same way, but for control characters, which an array's text may have.
    private static func quoted(_ text: String, _ dialect: Dialect) -> String {
        // Nearly always there is nothing to do.
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
