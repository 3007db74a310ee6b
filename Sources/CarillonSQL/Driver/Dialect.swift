/// What must differ between the two databases.
package struct Dialect: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
        case sqlite
        case postgreSQL
    }

    private let kind: Kind

    package static let sqlite = Dialect(kind: .sqlite)
    package static let postgreSQL = Dialect(kind: .postgreSQL)

    /// The type of a column of bytes, for migrations.
    ///
    /// Integers are `BIGINT`, texts `TEXT`, fractions `DOUBLE PRECISION`.
    package var bytes: String { kind == .sqlite ? "BLOB" : "BYTEA" }

    /// The type of a column of small integers, such as codes: PostgreSQL keeps two bytes of them.
    package var small: String { kind == .sqlite ? "BIGINT" : "SMALLINT" }

    /// A statement of a migration as the database must have it: PostgreSQL would order texts by the words of a language,
    /// SQLite orders them by their bytes, and so do pages of ours.
    func adapt(_ script: String) -> String {
        guard kind == .postgreSQL else { return script }
        let ordered = "TEXT COLLATE \"C\""
        return script.replacing(" TEXT", with: " " + ordered).replacing(" AS " + ordered, with: " AS TEXT")
    }

    /// Ends a `CREATE TABLE` whose rows lie in the order of the primary key, as far as the database can do that.
    package var clustered: String { kind == .sqlite ? "WITHOUT ROWID" : "" }

    /// One text of two, where the common subset does not reach.
    package func pick(sqlite: SQL, postgreSQL: SQL) -> SQL { kind == .sqlite ? sqlite : postgreSQL }
}
