import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The labels of categories in SQL.
struct CategoryRepository: CategoryStore {
    let database: any Database

    func define(_ request: CategoryRequest, app: AppID, at: Timestamp) async throws(StoreError) -> CategoryLabel? {
        try await database.write { connection in
            try connection.lock(.app(app))
            let (name, title) = (request.name, request.title)
            if let number = try connection.categories.knownLabel(name, app: app) {
                let told = try connection.run(
                    "UPDATE category_labels SET is_defined = 1 WHERE app_id = $1 AND number = $2 AND is_defined = 0",
                    app,
                    number
                )
                if told > 0 { try connection.categories.countToldLabels(-1, app: app) }
                try connection.run(
                    "UPDATE category_labels SET title = $1 WHERE app_id = $2 AND number = $3",
                    title,
                    app,
                    number
                )
            } else {
                guard try connection.categories.insertDefinedLabel(name, title: title, app: app, at: at) else {
                    return nil
                }
            }
            return try connection.categories.label(name, app: app)
        }
    }

    func undefine(_ name: CategoryName, app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.lock(.app(app))
            let changed = try connection.run(
                """
                UPDATE category_labels SET is_defined = 0, title = NULL
                WHERE app_id = $1 AND dimension = $2 AND label = $3 AND is_defined = 1
                """,
                app,
                name.dimension,
                name.label
            )
            let dropped = try connection.run(
                """
                DELETE FROM category_labels
                WHERE app_id = $1 AND dimension = $2 AND label = $3 AND is_defined = 0 AND NOT EXISTS (
                    SELECT 1 FROM device_categories c
                    WHERE c.app_id = $1 AND c.label = category_labels.number)
                """,
                app,
                name.dimension,
                name.label
            )
            if changed != dropped { try connection.categories.countToldLabels(changed - dropped, app: app) }
            return changed > 0
        }
    }

    func labels(
        app: AppID,
        isDefined: Bool?,
        after: CategoryName?,
        limit: Int
    ) async throws(StoreError) -> [CategoryLabel] {
        try await database.read { connection in
            let rows = try connection.all(
                """
                SELECT \(LabelColumn.list(through: .createdAt)) FROM category_labels
                WHERE app_id = $1 AND (dimension, label) > ($2, $3)
                    AND is_defined = COALESCE(CAST($4 AS BIGINT), is_defined)
                ORDER BY dimension, label LIMIT $5
                """,
                app,
                after?.dimension ?? "",
                after?.label ?? "",
                isDefined,
                limit,
                read: LabelRow.init(row:)
            )
            return try rows.map { row in try connection.categories.counted(row, app: app) }
        }
    }
}

/// A row of `category_labels`.
private struct LabelRow {
    var number: Int64
    var label: CategoryLabel

    init(row: SQLRow<LabelColumn>) throws {
        number = try row[.number]
        label = CategoryLabel(
            name: CategoryName(dimension: try row[.dimension], label: try row[.label]),
            title: try row[.title],
            isDefined: try row[.isDefined],
            devices: 0,
            createdAt: try row[.createdAt]
        )
    }
}

extension CategoryTable {
    fileprivate func label(_ name: CategoryName, app: AppID) throws -> CategoryLabel? {
        let row = try connection.first(
            """
            SELECT \(LabelColumn.list(through: .createdAt)) FROM category_labels
            WHERE app_id = $1 AND dimension = $2 AND label = $3
            """,
            app,
            name.dimension,
            name.label,
            read: LabelRow.init(row:)
        )
        guard let row else { return nil }
        return try counted(row, app: app)
    }

    /// A label with its Devices counted, as far as a page may take the time for it.
    fileprivate func counted(_ row: LabelRow, app: AppID) throws -> CategoryLabel {
        var label = row.label
        label.devices =
            try connection.first(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM device_categories WHERE app_id = $1 AND label = $2 LIMIT $3) AS found
                """,
                app,
                row.number,
                CategoryLabel.countLimit,
                as: Int.self
            ) ?? 0
        return label
    }
}
