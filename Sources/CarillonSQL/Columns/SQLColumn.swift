/// The columns of a statement, declared once: for its text, for binding and for reading.
///
/// The cases are the columns in order; a column's index is the case's raw value, known at compile time.
///
///     enum TagColumn: Int, SQLColumn { case id, name, createdAt }
///
///     try connection.all("SELECT \(TagColumn.list) FROM tags WHERE app_id = $1", app) { (row: SQLRow<TagColumn>) in
///         Tag(id: try row[.id], name: try row[.name], createdAt: try row[.createdAt])
///     }
package protocol SQLColumn: CaseIterable, RawRepresentable, Sendable where RawValue == Int, AllCases == [Self] {
    /// The column in SQL, or an expression instead; by default ``name``.
    var sql: String { get }
}

extension SQLColumn {
    /// The case's name in snake case: `registeredAt` is `registered_at`, `appID` is `app_id`.
    package var name: String {
        var name = ""
        var previous: Character?
        for character in "\(self)" {
            if character.isUppercase, previous?.isUppercase == false { name += "_" }
            name += character.lowercased()
            previous = character
        }
        return name
    }

    package var sql: String { name }

    /// All columns, for `SELECT` and `INSERT`: `a, b, c`.
    package static var list: SQLFragment { list(allCases) }

    /// The columns up to one, including it.
    package static func list(through last: Self) -> SQLFragment { list(allCases.prefix(last.rawValue + 1)) }

    /// All columns of a table with an alias: `d.a, d.b, d.c`; expressions stay unchanged.
    package static func list(of alias: StaticString) -> SQLFragment {
        SQLFragment(allCases, .columns(alias: UnsafeRawPointer(alias.utf8Start))) {
            allCases.map { $0.sql == $0.name ? "\(alias).\($0.name)" : $0.sql }.joined(separator: ", ")
        }
    }

    /// A parameter for each column: `$1, $2, $3`.
    package static var parameters: SQLFragment {
        SQLFragment(allCases, .parameters) { allCases.map { "$\($0.rawValue + 1)" }.joined(separator: ", ") }
    }

    /// The columns up to one, including it, each with its parameter, for `UPDATE`: `a = $1, b = $2`.
    package static func assignments(through last: Self) -> SQLFragment {
        let columns = allCases.prefix(last.rawValue + 1)
        return SQLFragment(columns, .assignments) {
            columns.map { "\($0.sql) = $\($0.rawValue + 1)" }.joined(separator: ", ")
        }
    }

    private static func list(_ columns: some Collection<Self> & Sendable) -> SQLFragment {
        SQLFragment(columns, .columns(alias: nil)) { columns.map(\.sql).joined(separator: ", ") }
    }
}
