/// The differences between the two databases.
package struct Dialect: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
        case sqlite
        case postgreSQL
    }

    private let kind: Kind

    package static let sqlite = Dialect(kind: .sqlite)
    package static let postgreSQL = Dialect(kind: .postgreSQL)

    /// The type of a text column, for migrations.
    ///
    /// Texts are ordered by bytes, because PostgreSQL's default order depends on a language. Integers are `BIGINT` and
    /// fractions `DOUBLE PRECISION` on both.
    package var text: String { kind == .sqlite ? "TEXT" : "TEXT COLLATE \"C\"" }

    /// The type of a column of bytes, for migrations.
    package var bytes: String { kind == .sqlite ? "BLOB" : "BYTEA" }

    /// The type of a column of small integers, such as codes, which PostgreSQL stores in two bytes.
    package var small: String { kind == .sqlite ? "BIGINT" : "SMALLINT" }

    /// Ends a `CREATE TABLE` whose rows are stored in primary key order, where the database supports that.
    package var clustered: String { kind == .sqlite ? "WITHOUT ROWID" : "" }

    /// Selects one of two texts, where a common one is impossible.
    package func pick(sqlite: SQL, postgreSQL: SQL) -> SQL { kind == .sqlite ? sqlite : postgreSQL }
}
