/// What must differ between the two databases.
package struct Dialect: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
        case sqlite
        case postgreSQL
    }

    private let kind: Kind

    package static let sqlite = Dialect(kind: .sqlite)
    package static let postgreSQL = Dialect(kind: .postgreSQL)

    /// The type of a column of texts, for migrations.
    ///
    /// Texts order by their bytes: PostgreSQL would otherwise order them by the words of a language. Integers are `BIGINT`
    /// and fractions `DOUBLE PRECISION` on both.
    package var text: String { kind == .sqlite ? "TEXT" : "TEXT COLLATE \"C\"" }

    /// The type of a column of bytes.
    package var bytes: String { kind == .sqlite ? "BLOB" : "BYTEA" }

    /// The type of a column of small integers, such as codes: PostgreSQL keeps two bytes of them.
    package var small: String { kind == .sqlite ? "BIGINT" : "SMALLINT" }

    /// Ends a `CREATE TABLE` whose rows lie in the order of the primary key, as far as the database can do that.
    package var clustered: String { kind == .sqlite ? "WITHOUT ROWID" : "" }

    /// One text of two, where the common subset does not reach.
    package func pick(sqlite: SQL, postgreSQL: SQL) -> SQL { kind == .sqlite ? sqlite : postgreSQL }
}
