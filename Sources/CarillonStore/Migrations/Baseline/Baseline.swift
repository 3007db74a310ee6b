import CarillonSQL

extension Migration {
    /// The schema of the first release, which ``Baseline`` has.
    ///
    /// It is frozen, as every migration: `FrozenMigrationTests` has the checksum of its statements. A change of the schema
    /// is a new migration in ``all``.
    static let baseline = Migration(name: "0001 baseline") { Baseline(dialect: $0).statements.joined(separator: "\n") }
}

/// The statements that create the first schema, a file a subject.
///
/// Keys begin with the App, so that its rows lie together and the tables can be spread over servers by App. Times are
/// milliseconds since 1970. Texts that are called JSON are as the API takes them.
struct Baseline {
    let dialect: Dialect

    var statements: [String] {
        apps + access + audit + devices + tokens + tags + categories + users + audiences + campaigns + occurrences
            + work + deliveries + events + inbox + statistics + webhooks + retention + nodes + estimates
    }
}

extension Baseline {
    /// Ends a table whose rows retention drops by weeks: on PostgreSQL it has partitions by ranges of Occurrences, which
    /// order by time.
    var partitioned: String { dialect == .sqlite ? dialect.clustered : "PARTITION BY RANGE (occurrence_id)" }

    /// The partition of rows whose week has none.
    func defaultPartition(of table: String) -> String {
        dialect == .sqlite ? "" : "CREATE TABLE \(table)_rest PARTITION OF \(table) DEFAULT;\n"
    }
}
