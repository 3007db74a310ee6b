package import CarillonModel
package import CarillonSQL
package import StoreErrors

extension Migration {
    /// All steps, in the order in which they run.
    ///
    /// None is edited once it is here; a change of the schema is a new one at the end.
    package static let all: [Migration] = [
        .baseline, .recipientLists, .deletedApps, .webhookAges, .vendorAPIs, .badges, .removedTokens, .contentSets,
        .accounts, .vendorAppCodes, .tokenEnds, .contentAttachments, .operators, .importedChanges,
        .sendGuards, .testDevices, .operatorSignIns, .pausedApps, .settings, .tagsAndAudiences,
    ]
}

extension Database {
    /// Brings the schema up to date with all steps; see ``migrate(_:now:progress:)``.
    ///
    /// - Parameters:
    ///   - now: The time that new steps are recorded with.
    ///   - progress: Is told before each step, and what it waits for.
    /// - Throws: ``StoreError/failed(_:)``, which says what to do, when the file was moved to PostgreSQL, or when a newer
    ///   version or one before the first release made the schema; nothing is changed then.
    package func migrate(
        now: Timestamp,
        progress: @escaping StoreProgress.Handler = { _ in }
    ) async throws(StoreError) {
        let applied = try await appliedMigrations()
        guard !applied.contains(PostgreSQLMigration.mark) else {
            throw .failed("The file was moved to PostgreSQL. Name that database with --database.")
        }
        guard applied.isEmpty || applied.contains(Migration.baseline.name) else {
            throw .failed(
                "A version before the first release made the database, and its schema cannot be brought up to date. "
                    + "Start with an empty database. To keep the Devices, export them with the version that made the "
                    + "database and import them into the new one."
            )
        }
        try await migrate(Migration.all, now: now.rawValue, progress: progress)
    }
}
