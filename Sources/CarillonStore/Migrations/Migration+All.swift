package import CarillonModel
package import CarillonSQL
package import StoreErrors

extension Migration {
    /// All steps, in the order in which they run.
    package static let all: [Migration] = [
        .registry, .deliveries, .labels, .inbox, .adRule, .labelling, .audiences, .schedule, .content, .statistics,
        .webhooks, .retention, .userMessages, .imports, .facets, .dispatcherSessions, .workFailures, .commitMarks,
        .erasures, .appKeys, .webhookRotation, .restores, .estimates, .providerTokens,
        .tokenConfirmation, .masterKeyCheck, .keyUse, .labelCounts, .auditLog, .campaignFigures, .people,
        .formerAppSecrets, .personalMessages, .auditKeys, .campaignRecipients,
    ]
}

extension Database {
    /// Brings the schema up to date with all steps; see ``migrate(_:now:progress:)``.
    package func migrate(
        now: Timestamp,
        progress: @escaping StoreProgress.Handler = { _ in }
    ) async throws(StoreError) {
        try await migrate(Migration.all, now: now.rawValue, progress: progress)
    }
}
