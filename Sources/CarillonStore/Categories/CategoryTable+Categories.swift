import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The columns of `category_labels`; queries know the App.
enum LabelColumn: Int, SQLColumn { case number, dimension, label, title, isDefined, createdAt, appID }

/// Statements that hold labels on PostgreSQL, where writers run beside each other.
private enum CategorySQL {
    static let known: SQL = "SELECT number FROM category_labels WHERE app_id = $1 AND dimension = $2 AND label = $3"
    static let knownAndHeld: SQL = """
        SELECT number FROM category_labels WHERE app_id = $1 AND dimension = $2 AND label = $3 FOR KEY SHARE
        """
    static let holdEmptyToldLabels: SQL = """
        SELECT number FROM category_labels WHERE app_id = $1 AND is_defined = 0 AND NOT EXISTS (
            SELECT 1 FROM device_categories c WHERE c.app_id = $1 AND c.label = category_labels.number)
        ORDER BY number LIMIT 10000 FOR UPDATE
        """
}

extension CategoryTable {
    /// The numbers of labels that a Device tells; those that are not there are made.
    ///
    /// - Returns: Without those for which the App has no room: then the Device says that it is in them, and nobody can ask
    ///   for them.
    /// - Throws: ``StoreError``.
    func labelNumbers(_ labels: [CategoryName], app: AppID, at: Timestamp) throws -> [Int64] {
        var numbers: [Int64] = []
        var missing: [CategoryName] = []
        for label in labels {
            if let number = try knownLabel(label, app: app) { numbers.append(number) } else { missing.append(label) }
        }
        guard !missing.isEmpty else { return numbers }
        // Labels are made one after the other; another node may have been first.
        try connection.lock(.app(app))
        for label in missing {
            if let number = try knownLabel(label, app: app) {
                numbers.append(number)
            } else if let number = try insertToldLabel(label, app: app, at: at) {
                numbers.append(number)
            } else {
                break
            }
        }
        return numbers
    }

    /// The number of a label, which stays until the transaction ends; `nil` when there is none.
    func knownLabel(_ label: CategoryName, app: AppID) throws -> Int64? {
        try connection.first(
            connection.dialect.pick(sqlite: CategorySQL.known, postgreSQL: CategorySQL.knownAndHeld),
            app,
            label.dimension,
            label.label,
            as: Int64.self
        )
    }

    /// Makes a label that an operator defines and that is not there.
    ///
    /// - Returns: False when the App has as many as it may, or there is no such App.
    /// - Throws: ``StoreError``.
    func insertDefinedLabel(
        _ label: CategoryName,
        title: String?,
        app: AppID,
        at: Timestamp
    ) throws -> Bool {
        let count = try connection.first(
            "SELECT count(*) FROM category_labels WHERE app_id = $1 AND is_defined = 1",
            app,
            as: Int.self
        )
        guard count ?? 0 < CategoryLabel.maximumCount else { return false }
        let number = try connection.first(
            "UPDATE apps SET next_label_number = next_label_number + 1 WHERE id = $1 RETURNING next_label_number - 1",
            app,
            as: Int64.self
        )
        guard let number else { return false }
        try insert(label, number, title: title, isDefined: true, app: app, at: at)
        return true
    }

    /// Counts labels that Devices told and nobody defined, so that none has to be looked at to know how many there are.
    func countToldLabels(_ change: Int, app: AppID) throws {
        try connection.run("UPDATE apps SET told_label_count = told_label_count + $1 WHERE id = $2", change, app)
    }

    /// Takes away all labels of an App that Devices told, that nobody defined and in which no Device is.
    ///
    /// Who told a label that is left is known nowhere: a Device may have been deleted since, or tell another one. A rule
    /// that names the label picks nobody, as before.
    func dropEmptyToldLabels(app: AppID) throws {
        try connection.lock(.app(app))
        try connection.retention.preferIndexes()
        if connection.dialect == .postgreSQL {
            // Whoever holds one of them is waited for; the next statement sees the Devices that came to it.
            _ = try connection.all(CategorySQL.holdEmptyToldLabels, app, as: Int64.self)
        }
        let count = try connection.run(
            """
            DELETE FROM category_labels WHERE app_id = $1 AND is_defined = 0 AND NOT EXISTS (
                SELECT 1 FROM device_categories c WHERE c.app_id = $1 AND c.label = category_labels.number)
            """,
            app
        )
        if count > 0 { try countToldLabels(-count, app: app) }
    }

    // MARK: - Private

    /// Makes a label that a Device tells and that is not there.
    ///
    /// - Returns: Its number; `nil` when the App has as many as it may.
    /// - Throws: ``StoreError``.
    private func insertToldLabel(_ label: CategoryName, app: AppID, at: Timestamp) throws -> Int64? {
        let number = try connection.first(
            """
            UPDATE apps SET next_label_number = next_label_number + 1, told_label_count = told_label_count + 1
            WHERE id = $1 AND told_label_count < $2 RETURNING next_label_number - 1
            """,
            app,
            CategoryLabel.maximumCount,
            as: Int64.self
        )
        guard let number else { return nil }
        try insert(label, number, title: nil, isDefined: false, app: app, at: at)
        return number
    }

    private func insert(
        _ label: CategoryName,
        _ number: Int64,
        title: String?,
        isDefined: Bool,
        app: AppID,
        at: Timestamp
    ) throws {
        try connection.run("INSERT INTO category_labels (\(LabelColumn.list)) VALUES (\(LabelColumn.parameters))") {
            (row: SQLParameters<LabelColumn>) in
            row.bind(number, to: .number)
            row.bind(label.dimension, to: .dimension)
            row.bind(label.label, to: .label)
            row.bind(title, to: .title)
            row.bind(isDefined, to: .isDefined)
            row.bind(at, to: .createdAt)
            row.bind(app, to: .appID)
        }
    }
}
