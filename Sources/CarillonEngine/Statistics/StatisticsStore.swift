package import CarillonModel
package import CarillonOperatorModel

/// What is counted, besides the reason.
package enum StatisticsKind: Int64, Hashable, Sendable, CaseIterable {
    case accepted = 1
    case failed = 2
    case skipped = 3
    case expired = 4
    case received = 11
    case opened = 12
    case dismissed = 13
    case action = 14
    case launched = 15
    case reply = 20
}

/// A query of counts, with the length of spans.
package struct StatisticsReading: Hashable, Sendable {
    /// The source of the counts.
    package enum Scope: Hashable, Sendable {
        /// An App without test sends; only some keys if there are any.
        case app([StatisticsID], Campaign.Channel?)
        /// A Campaign; only one firing if there is one.
        case campaign(CampaignID, OccurrenceID?)
    }

    package var app: AppID
    package var scope: Scope
    /// In minutes since 1970, half open.
    package var minutes: Range<Int64>
    /// The length of a span in minutes.
    package var unit: Int64
    /// The offset from UTC in minutes of the clock by which spans are counted.
    package var offset: Int64

    package init(app: AppID, scope: Scope, minutes: Range<Int64>, unit: Int64, offset: Int64) {
        self.app = app
        self.scope = scope
        self.minutes = minutes
        self.unit = unit
        self.offset = offset
    }
}

/// One count of one span.
package struct StatisticsRow: Hashable, Sendable {
    /// The number of the span since 1970 by the reading's clock.
    package var span: Int64
    package var kind: StatisticsKind
    /// Empty except for failures and skips.
    package var reason: String
    package var count: Int

    package init(span: Int64, kind: StatisticsKind, reason: String, count: Int) {
        self.span = span
        self.kind = kind
        self.reason = reason
        self.count = count
    }
}

/// Stores counts by time, and the keys under which they are gathered.
///
/// Counts change in the transaction that writes the rows that they count: outcomes in ``OutcomeStore/commit(_:)``,
/// events in ``EventStore/record(app:_:at:)``.
package protocol StatisticsStore: Sendable {
    /// The minimum span in minutes of an App's counts after some time; a Campaign's are stored by minutes.
    static var longSpan: Int64 { get }

    /// Returns sums by span, kind and reason.
    func figures(_ reading: StatisticsReading) async throws(StoreError) -> [StatisticsRow]

    /// Returns how often each action of a Campaign was taken, by key; actions after the first hundred keys are under
    /// the empty key.
    func actionCounts(of campaign: CampaignID, app: AppID) async throws(StoreError) -> [String: Int]

    /// Saves a key.
    ///
    /// - Returns: `nil` when there is no such App; false when it has `limit` keys already.
    func insert(
        _ key: StatisticsKey,
        limit: Int,
        for request: IdempotentRequest<Void>?
    ) async throws(StoreError) -> Bool?

    /// Returns a key; `nil` when there is none, or it is another App's.
    func key(_ id: StatisticsID, within app: AppID?) async throws(StoreError) -> StatisticsKey?

    /// Returns keys of an App, or of all, ordered by id.
    func keys(app: AppID?, after id: StatisticsID?, limit: Int) async throws(StoreError) -> [StatisticsKey]

    /// Changes a key's name and times; existing counts stay.
    ///
    /// - Returns: `nil` when there is no such key, or it is another App's.
    func update(
        _ id: StatisticsID,
        within app: AppID?,
        _ request: StatisticsKeyRequest
    ) async throws(StoreError) -> StatisticsKey?

    /// Deletes a key.
    ///
    /// Its counts stay in the App's totals; later events of Campaigns that name it are gathered under no key.
    ///
    /// - Returns: False when there is no such key, or it is another App's.
    func delete(_ id: StatisticsID, within app: AppID?) async throws(StoreError) -> Bool
}
