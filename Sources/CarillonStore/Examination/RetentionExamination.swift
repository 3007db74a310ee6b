package import CarillonEngine
package import CarillonModel
package import CarillonSQL

/// Apps of which rows are kept for longer than they ask for.
package struct RetentionExamination: Hashable, Sendable {
    /// An App, and when its earliest delivery was made that is to be dropped.
    package struct OverdueApp: Hashable, Sendable {
        package var app: AppID
        package var oldest: Timestamp
    }

    /// How many Apps are looked at.
    private static let appLimit = 1_000

    package var overdue: [OverdueApp] = []

    /// Looks at the first Apps of a store, each by the key of its deliveries.
    ///
    /// - Parameters:
    ///   - database: The store.
    ///   - now: The wall clock.
    ///   - grace: How much older than asked for rows may be: rounds come once a day.
    /// - Throws: ``StoreError``.
    package init(of database: any Database, at now: Timestamp, grace: Duration) async throws(StoreError) {
        let found = try await database.read { connection in
            try connection.all(
                """
                SELECT a.id, COALESCE(r.deliveries, 90),
                    (SELECT MIN(d.occurrence_id) FROM deliveries d WHERE d.app_id = a.id)
                FROM apps a LEFT JOIN app_retention r ON r.app_id = a.id ORDER BY a.id LIMIT $1
                """,
                Self.appLimit,
                as: (AppID, Int64, OccurrenceID?).self
            )
        }
        for (app, days, oldest) in found {
            guard let oldest else { continue }
            let bound = now.advanced(by: .zero - .seconds(86_400 * days) - grace)
            let time = Timestamp(rawValue: oldest.milliseconds)
            guard time < bound, try await Self.isOver(oldest, of: app, in: database) else { continue }
            overdue.append(OverdueApp(app: app, oldest: time))
        }
    }

    /// Nothing is dropped of an Occurrence that is not over.
    private static func isOver(
        _ occurrence: OccurrenceID,
        of app: AppID,
        in database: any Database
    ) async throws(StoreError) -> Bool {
        try await database.read { connection in
            try connection.first(
                "SELECT 1 FROM occurrences WHERE app_id = $1 AND id = $2 AND finished_at IS NULL",
                app,
                occurrence
            ) { _ in false } ?? true
        }
    }
}
