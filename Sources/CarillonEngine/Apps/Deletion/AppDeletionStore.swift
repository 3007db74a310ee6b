package import CarillonModel
package import CarillonOperatorModel

/// An App that was deleted and whose rows are being removed, or were not long ago.
package struct AppDeletion: Hashable, Sendable {
    package var app: AppID
    package var deletedAt: Timestamp
    /// When no row was left; `nil` while there are some.
    package var finishedAt: Timestamp?

    package init(app: AppID, deletedAt: Timestamp, finishedAt: Timestamp?) {
        self.app = app
        self.deletedAt = deletedAt
        self.finishedAt = finishedAt
    }
}

/// Where a step of removing an App's rows ended.
package struct AppRowsPosition: Hashable, Sendable {
    /// A column of a row's key.
    package enum Value: Hashable, Sendable {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
    }

    /// The place of the table in the order of removal.
    package var table: Int
    /// The key of the last removed row, without the App; empty before the first.
    package var key: [Value]

    package init(table: Int, key: [Value] = []) {
        self.table = table
        self.key = key
    }

    package static let start = AppRowsPosition(table: 0)
}

/// Deletes Apps: one short transaction that makes the App unknown, and many that remove its rows.
package protocol AppDeletionStore: Sendable {
    /// Deletes an App with its keys and secrets; its other rows stay, and nothing of them is found, leased or told.
    ///
    /// - Returns: Campaigns of which something may be under way, at most 1,000; `nil` when there is no such App.
    func delete(_ app: AppID, at now: Timestamp) async throws(StoreError) -> [CampaignID]?

    /// Whether an App was deleted at any time.
    func isDeleted(_ app: AppID) async throws(StoreError) -> Bool

    /// Returns deletions in order: those that are not finished, and those that were finished after a time.
    func deletions(finishedAfter time: Timestamp, limit: Int) async throws(StoreError) -> [AppDeletion]

    /// Removes some rows of a deleted App, in a transaction of a few milliseconds.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - position: Where the last step ended.
    ///   - onlyWork: Whether only what dispatchers work by and secrets are removed.
    /// - Returns: The number of removed rows, and where to continue; `nil` at the end.
    /// - Throws: ``StoreError``.
    func removeSome(
        of app: AppID,
        after position: AppRowsPosition,
        onlyWork: Bool
    ) async throws(StoreError) -> (count: Int, next: AppRowsPosition?)

    /// Whether any row of an App is left.
    func hasRows(of app: AppID) async throws(StoreError) -> Bool

    /// Records that no row of a deleted App is left.
    func finish(_ app: AppID, at now: Timestamp) async throws(StoreError)
}
