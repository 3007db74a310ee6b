import CarillonContentSets
import CarillonModel
import CarillonSQL

/// What is known of imports, in SQL on one connection.
extension ContentSetTable {
    /// How many imports of a set are kept.
    static let runCount = 50
    /// Among how many those are kept that run, or were cut off: short imports of another table may be many.
    static let runningCount = 200

    /// Saves an import that begins.
    func begin(_ run: ContentImportRun, of set: String, app: AppID) throws {
        try connection.run(
            "INSERT INTO content_runs (app_id, id, set_name, report) VALUES ($1, $2, $3, $4)",
            app,
            run.id.rawValue,
            set,
            try JSONColumn(run)
        )
        try connection.run(
            """
            DELETE FROM content_runs WHERE app_id = $1 AND set_name = $2
                AND (report NOT LIKE '%"state":"running"%' AND id <= (
                    SELECT id FROM content_runs WHERE app_id = $1 AND set_name = $2 ORDER BY id DESC LIMIT 1 OFFSET $3)
                OR id <= (
                    SELECT id FROM content_runs WHERE app_id = $1 AND set_name = $2 ORDER BY id DESC LIMIT 1 OFFSET $4))
            """,
            app,
            set,
            Self.runCount,
            Self.runningCount
        )
    }

    /// - Returns: False when the import is gone.
    func save(_ run: ContentImportRun, app: AppID) throws -> Bool {
        try connection.run(
            "UPDATE content_runs SET report = $1 WHERE app_id = $2 AND id = $3",
            try JSONColumn(run),
            app,
            run.id.rawValue
        ) == 1
    }

    func runs(of set: String, app: AppID, before id: ContentImportID?, limit: Int) throws -> [ContentImportRun] {
        try connection.all(
            """
            SELECT report FROM content_runs WHERE app_id = $1 AND set_name = $2 AND id < $3
            ORDER BY id DESC LIMIT $4
            """,
            app,
            set,
            id?.rawValue ?? .max,
            limit
        ) { row in try JSONColumn<ContentImportRun>.value(row, at: 0) }
    }
}
