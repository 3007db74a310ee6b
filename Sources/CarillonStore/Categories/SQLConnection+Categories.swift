import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension SQLConnection {
    /// The number of a label, which is made when there is none.
    ///
    /// - Returns: `nil` when the App has as many labels as it may: then the Device says that it is in it, and nobody
    ///   can ask for it.
    /// - Throws: ``StoreError``.
    func labelNumber(_ label: CategoryName, app: AppID, at: Timestamp) throws(StoreError) -> Int64? {
        if let number = try knownLabel(label, app: app) { return number }
        // Labels are made one after the other; another node may have been first.
        try lock(.app(app))
        if dialect == .postgreSQL, let number = try knownLabel(label, app: app) { return number }
        return try insertLabel(label, title: nil, isDefined: false, app: app, at: at)
    }

    /// The number of a label; `nil` when there is none.
    func knownLabel(_ label: CategoryName, app: AppID) throws(StoreError) -> Int64? {
        try first(
            "SELECT number FROM category_labels WHERE app_id = $1 AND dimension = $2 AND label = $3",
            app,
            label.dimension,
            label.label
        ) { row throws(StoreError) in row.int64(0) }
    }

    /// Makes a label that is not there.
    ///
    /// - Returns: Its number; `nil` when the App has as many as it may, or there is no such App.
    /// - Throws: ``StoreError``.
    func insertLabel(
        _ label: CategoryName,
        title: String?,
        isDefined: Bool,
        app: AppID,
        at: Timestamp
    ) throws(StoreError) -> Int64? {
        try lock(.app(app))
        // Another node may have made it meanwhile.
        if let number = try knownLabel(label, app: app) { return number }
        let count = try first("SELECT count(*) FROM category_labels WHERE app_id = $1", app) {
            row throws(StoreError) in row.int(0)
        }
        guard count ?? 0 < CategoryLabel.maximumCount else { return nil }
        let number = try first(
            """
            UPDATE apps SET next_label_number = next_label_number + 1 WHERE id = $1 RETURNING next_label_number - 1
            """,
            app
        ) { row throws(StoreError) in row.int64(0) }
        guard let number else { return nil }
        try run(
            """
            INSERT INTO category_labels (app_id, number, is_defined, created_at, dimension, label, title)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            app,
            number,
            isDefined,
            at,
            label.dimension,
            label.label,
            title
        )
        return number
    }
}
