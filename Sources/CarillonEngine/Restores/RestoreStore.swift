package import CarillonModel
package import CarillonOperatorModel

/// A Campaign that was paused because the store was restored.
package struct HeldCampaign: Hashable, Sendable {
    package var app: AppID
    package var campaign: CampaignID
    package var name: String?
    /// When its next firing was due; `nil` when it was only under way.
    package var dueAt: Timestamp?

    package init(app: AppID, campaign: CampaignID, name: String?, dueAt: Timestamp?) {
        self.app = app
        self.campaign = campaign
        self.name = name
        self.dueAt = dueAt
    }
}

/// Knows whether the store is a copy that nobody has started on yet.
package protocol RestoreStore: Sendable {
    /// When the copy was made; `nil` when the store is none, or a server has started on it.
    func restoredBackup() async throws(StoreError) -> Timestamp?

    /// Marks the store as a copy.
    ///
    /// - Parameter time: When the copy was made.
    /// - Throws: ``StoreError``.
    func markRestored(from time: Timestamp) async throws(StoreError)

    /// Pauses Campaigns whose next firing is due or that have an Occurrence under way, in one transaction.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - alarm: Why they are paused.
    ///   - limit: How many at most.
    /// - Returns: Those that were paused; fewer than `limit` when no others are left.
    /// - Throws: ``StoreError``.
    func pauseDue(at now: Timestamp, alarm: FailureReason, limit: Int) async throws(StoreError) -> [HeldCampaign]

    /// Takes the mark away.
    func clearRestoreMarks() async throws(StoreError)
}
