package import CarillonModel
package import StoreErrors

/// A follow that was found under a key.
package struct FollowCandidate: Hashable, Sendable {
    package var id: Int64
    package var userHash: Int64
    package var follow: ContentFollow

    package init(id: Int64, userHash: Int64, follow: ContentFollow) {
        self.id = id
        self.userHash = userHash
        self.follow = follow
    }
}

/// A row that a User is notified of later, with others.
package struct BundledRow: Hashable, Sendable {
    package var user: UserID
    package var row: String
    package var dueAt: Timestamp

    package init(user: UserID, row: String, dueAt: Timestamp) {
        self.user = user
        self.row = row
        self.dueAt = dueAt
    }
}

/// Bundles of a table that go out at one time.
package struct DueBundles: Hashable, Sendable {
    package var app: AppID
    package var set: String
    package var table: String
    package var dueAt: Timestamp

    package init(app: AppID, set: String, table: String, dueAt: Timestamp) {
        self.app = app
        self.set = set
        self.table = table
        self.dueAt = dueAt
    }
}

/// Stores who follows what, and which alerts are still to be sent.
package protocol ContentFollowStore: Sendable {
    /// Saves an alert of a table that the set has.
    ///
    /// - Returns: The stored alert; ``ContentSetError/notFound`` without the set.
    func putAlert(
        _ alert: ContentAlert,
        at now: Timestamp
    ) async throws(StoreError) -> Result<ContentAlert, ContentSetError>

    func alert(_ table: String, of set: String, app: AppID) async throws(StoreError) -> ContentAlert?

    func deleteAlert(_ table: String, of set: String, app: AppID) async throws(StoreError) -> Bool

    /// Changes what came of an alert, as it is stored now: several nodes note it. An alert that is gone stays gone.
    func updateState(
        of alert: ContentAlert,
        _ change: @escaping @Sendable (inout ContentAlert.State) -> Void
    ) async throws(StoreError)

    /// Saves a follow under its keys, in place of one of the same name.
    ///
    /// - Returns: The stored follow; ``ContentSetError/notFound`` without the set, ``ContentSetError/tooMany(_:limit:)``.
    func putFollow(
        _ follow: ContentFollow,
        id: Int64,
        keys: Set<String>
    ) async throws(StoreError) -> Result<ContentFollow, ContentSetError>

    func follow(_ name: String, of set: String, app: AppID) async throws(StoreError) -> ContentFollow?

    /// Follows of a set in order of their names, of one User or of all.
    func follows(
        of set: String,
        app: AppID,
        user: UserID?,
        after name: String?,
        limit: Int
    ) async throws(StoreError) -> [ContentFollow]

    func deleteFollow(_ name: String, of set: String, app: AppID) async throws(StoreError) -> Bool

    /// Claims the run that nobody serves and that was served longest ago.
    func claimRun(as claim: Int64, at now: Timestamp, until end: Timestamp) async throws(StoreError) -> ContentAlertRun?

    /// The next new row after a number, with the table as it was imported.
    func newRow(
        of run: ContentAlertRun,
        after number: Int64
    ) async throws(StoreError) -> (number: Int64, document: String, table: ContentTable)?

    /// Those of some keys under which anybody follows the table.
    func followedKeys(_ keys: Set<String>, of run: ContentAlertRun) async throws(StoreError) -> [String]

    /// Follows under a key in order of their Users' hashes and their ids, after a place.
    func candidates(
        under key: String,
        of run: ContentAlertRun,
        after place: (userHash: Int64, follow: Int64),
        limit: Int
    ) async throws(StoreError) -> [FollowCandidate]

    /// Saves a position and rows that go into bundles, without a Campaign.
    ///
    /// - Returns: False when another node has the run.
    func advance(
        _ run: ContentAlertRun,
        to position: ContentAlertRun.Position,
        bundling rows: [BundledRow]
    ) async throws(StoreError) -> Bool

    /// Gives a run back, or ends it when all alerts are sent.
    func release(_ run: ContentAlertRun, isOver: Bool, at now: Timestamp) async throws(StoreError)

    /// Bundles of all Apps that are due.
    func dueBundles(at now: Timestamp, limit: Int) async throws(StoreError) -> [DueBundles]

    /// The next rows of bundles in order of Users; the last User may have more.
    func bundledRows(of bundles: DueBundles, limit: Int) async throws(StoreError) -> [BundledRow]

    /// Removes rows of bundles of which there is no Campaign, up to one in order of Users and rows.
    func dropBundles(of bundles: DueBundles, through last: BundledRow) async throws(StoreError)
}
