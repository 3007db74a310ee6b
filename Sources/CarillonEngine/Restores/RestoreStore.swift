package import CarillonModel
package import CarillonOperatorModel

/// A Campaign that was paused because the store was restored.
package struct HeldCampaign: Hashable, Sendable {
    package var app: AppID
    package var campaign: CampaignID
    package var name: String?
    /// When its next firing was due; `nil` when it was only being sent.
    package var dueAt: Timestamp?

    package init(app: AppID, campaign: CampaignID, name: String?, dueAt: Timestamp?) {
        self.app = app
        self.campaign = campaign
        self.name = name
        self.dueAt = dueAt
    }
}

/// Records whether the store is a restored copy on which no server has started yet.
package protocol RestoreStore: Sendable {
    /// Returns when the backup was made; `nil` when the store is not a copy, or a server has started on it.
    func restoredBackup() async throws(StoreError) -> Timestamp?

    /// Marks the store as a restored copy.
    ///
    /// - Parameter time: When the backup was made.
    /// - Throws: ``StoreError``.
    func markRestored(from time: Timestamp) async throws(StoreError)

    /// Pauses Campaigns whose next firing is due or that have an unfinished Occurrence, in one transaction.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - alarm: Why they are paused.
    ///   - limit: The maximum number of Campaigns.
    /// - Returns: The paused ones; fewer than `limit` when no others are left.
    /// - Throws: ``StoreError``.
    func pauseDue(at now: Timestamp, alarm: FailureReason, limit: Int) async throws(StoreError) -> [HeldCampaign]

    /// Removes the mark, and ends the sessions and links of Operators that were there at the backup.
    func clearRestoreMarks() async throws(StoreError)
}
