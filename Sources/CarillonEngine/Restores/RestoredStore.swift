package import CarillonModel
package import Logging

/// Prepares a store that was restored from a backup: Campaigns that were due since the backup do not begin by
/// themselves, since they may have been sent already.
package struct RestoredStore: Sendable {
    /// The number of Campaigns that one transaction pauses.
    private static let step = 100
    /// Maximum number of Campaigns in the log.
    private static let namedLimit = 1_000

    private let store: any RestoreStore
    private let clock: any WallClock
    private let logger: Logger

    package init(store: any RestoreStore, clock: any WallClock, logger: Logger) {
        self.store = store
        self.clock = clock
        self.logger = logger
    }

    /// Returns the alarm of a Campaign that is paused after a restore.
    ///
    /// - Parameter time: When the backup was made.
    /// - Returns: The alarm.
    package static func alarm(backupAt time: Timestamp) -> FailureReason {
        FailureReason(rawValue: "Restored from a backup of \(time.wholeSeconds); resume or cancel")
    }

    /// Pauses Campaigns that were due since the backup, if the store is a copy on which no server has started.
    ///
    /// If interrupted, it is repeated at the next start: the mark is removed last.
    ///
    /// - Returns: The number of paused Campaigns; `nil` when the store is not a copy.
    /// - Throws: ``StoreError``; the server must not start then.
    @discardableResult
    package func pauseWhatWasDue() async throws(StoreError) -> Int? {
        guard let backupAt = try await store.restoredBackup() else { return nil }
        let alarm = Self.alarm(backupAt: backupAt)
        var count = 0
        while true {
            let held = try await store.pauseDue(at: clock.now(), alarm: alarm, limit: Self.step)
            for campaign in held.prefix(max(0, Self.namedLimit - count)) { log(campaign) }
            count += held.count
            if held.count < Self.step { break }
        }
        try await store.clearRestoreMarks()
        logger.warning(
            "The store was restored from a backup; campaigns that were due since are paused",
            metadata: ["carillon.backupAt": "\(backupAt)", "carillon.paused": "\(count)"]
        )
        return count
    }

    private func log(_ held: HeldCampaign) {
        logger.warning(
            "A campaign is paused after the restore; resume or cancel it",
            metadata: [
                "carillon.app": "\(held.app)", "carillon.campaign": "\(held.campaign)",
                "carillon.dueAt": "\(held.dueAt?.description ?? "under way")",
            ]
        )
    }
}

extension Timestamp {
    /// RFC 3339 text in UTC without a fraction.
    var wholeSeconds: String { description.prefix(19) + "Z" }
}
