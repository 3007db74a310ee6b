import CarillonSQL

/// A table that is moved: its name and columns as SQLite has them, which PostgreSQL has by the same names.
///
/// Names come from our own schema and are checked to be plain words, since they are pasted into statements.
struct TransferTable: Hashable, Sendable {
    var name: String
    var columns: [String]
    /// The columns of the primary key, in its order.
    var key: [String]

    /// - Throws: Nothing; `nil` for a table without a key, or with names that are no plain words.
    init?(name: String, columns: [String], key: [String]) {
        let isPlain = ([name] + columns).allSatisfy { word in
            !word.isEmpty
                && word.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
        }
        guard isPlain, !key.isEmpty, key.count <= Self.mostKeys else { return nil }
        self.name = name
        self.columns = columns
        self.key = key
    }

    /// How many columns the longest key has.
    static let mostKeys = 12

    var select: String { "SELECT \(columns.joined(separator: ", ")) FROM \(name)" }

    /// All rows, in the order of the key.
    var selectAll: String { select + " ORDER BY " + key.joined(separator: ", ") }

    /// One row, by its key.
    var selectOne: String { select + " WHERE " + condition }

    var insert: String {
        let values = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        return "INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(values))"
    }

    /// How many rows ``delete`` deletes at once.
    static let deletedAtOnce = 50

    /// Some rows, by their keys, one after another.
    var delete: String {
        let rows = (0..<Self.deletedAtOnce).map { row in
            let columns = key.enumerated().map { "\($0.element) = $\(row * key.count + $0.offset + 1)" }
            return "(" + columns.joined(separator: " AND ") + ")"
        }
        return "DELETE FROM \(name) WHERE " + rows.joined(separator: " OR ")
    }

    var count: String { "SELECT count(*) FROM \(name)" }

    private var condition: String {
        key.enumerated().map { "\($0.element) = $\($0.offset + 1)" }.joined(separator: " AND ")
    }

    // MARK: - Noting changes

    static let log = "move_changes"

    /// The table that notes which rows changed; `added` is how many rows more there are since.
    static let makeLog = """
        CREATE TABLE \(log) (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            tbl TEXT NOT NULL,
            added INTEGER NOT NULL,
            \((0..<mostKeys).map { "k\($0)" }.joined(separator: ", "))
        );
        CREATE INDEX \(log)_by_table ON \(log) (tbl, seq);
        """

    /// Triggers that note the key of every row that is inserted, changed or deleted.
    var triggers: String {
        func note(_ row: String, added: Int) -> String {
            let places = key.indices.map { "k\($0)" }.joined(separator: ", ")
            let values = key.map { "\(row).\($0)" }.joined(separator: ", ")
            return "INSERT INTO \(Self.log) (tbl, added, \(places)) VALUES ('\(name)', \(added), \(values));"
        }
        return """
            CREATE TRIGGER \(trigger("insert")) AFTER INSERT ON \(name) BEGIN \(note("NEW", added: 1)) END;
            CREATE TRIGGER \(trigger("delete")) AFTER DELETE ON \(name) BEGIN \(note("OLD", added: -1)) END;
            CREATE TRIGGER \(trigger("update")) AFTER UPDATE ON \(name)
            BEGIN \(note("OLD", added: 0)) \(note("NEW", added: 0)) END;

            """
    }

    var dropTriggers: String {
        ["insert", "delete", "update"].map { "DROP TRIGGER IF EXISTS \(trigger($0));" }.joined(separator: "\n") + "\n"
    }

    /// The keys of rows that changed, after one note, through another.
    var changedKeys: String {
        let places = key.indices.map { "k\($0)" }.joined(separator: ", ")
        return "SELECT DISTINCT \(places) FROM \(Self.log) WHERE tbl = '\(name)' AND seq > $1 AND seq <= $2"
    }

    /// How many rows more the table has, after one note, through another.
    var addedRows: String {
        "SELECT COALESCE(SUM(added), 0) FROM \(Self.log) WHERE tbl = '\(name)' AND seq > $1 AND seq <= $2"
    }

    private func trigger(_ event: String) -> String { "move_\(name)_\(event)" }
}
