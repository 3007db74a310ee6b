package import CarillonModel
package import CarillonOperatorModel

/// What is counted, beside the reason.
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

/// Which figures are read, and in what spans.
package struct StatisticsReading: Hashable, Sendable {
    /// Whose figures.
    package enum Scope: Hashable, Sendable {
        /// An App's, without test sends; those of some keys when there are any.
        case app([StatisticsID], Campaign.Channel?)
        case campaign(CampaignID)
    }

    package var app: AppID
    package var scope: Scope
    /// In minutes since 1970, half open.
    package var minutes: Range<Int64>
    /// How many minutes a span has.
    package var unit: Int64
    /// How many minutes the clock that spans are counted by is ahead of UTC.
    package var offset: Int64

    package init(app: AppID, scope: Scope, minutes: Range<Int64>, unit: Int64, offset: Int64) {
        self.app = app
        self.scope = scope
        self.minutes = minutes
        self.unit = unit
        self.offset = offset
    }
}

/// How much of something happened in one span.
package struct StatisticsRow: Hashable, Sendable {
    /// Which span: its place in the count of spans since 1970 by the reading's clock.
    package var span: Int64
    package var kind: StatisticsKind
    /// Empty but for what failed and was skipped.
    package var reason: String
    package var count: Int

    package init(span: Int64, kind: StatisticsKind, reason: String, count: Int) {
        self.span = span
        self.kind = kind
        self.reason = reason
        self.count = count
    }
}

/// Keeps figures by time and the keys that they are gathered under.
///
/// Figures are counted where the rows are written that they derive from, in the same transaction: outcomes in
/// ``OutcomeStore/commit(_:)``, events in ``EventStore/record(app:_:)``.
package protocol StatisticsStore: Sendable {
    /// How many minutes a span has at least for figures of an App that are kept long; a Campaign's are kept by minutes.
    static var longSpan: Int64 { get }

    /// Sums figures up by span, kind and reason.
    func figures(_ reading: StatisticsReading) async throws(StoreError) -> [StatisticsRow]

    /// How often each action of a Campaign's was taken, by key; what came after the first hundred keys under the empty
    /// one.
    func actionCounts(of campaign: CampaignID, app: AppID) async throws(StoreError) -> [String: Int]

    /// Keeps a key.
    ///
    /// - Returns: `nil` when there is no such App; false when it has `limit` keys already.
    func insert(
        _ key: StatisticsKey,
        limit: Int,
        for request: IdempotentRequest<Void>?
    ) async throws(StoreError) -> Bool?

    /// A key; `nil` when there is none, or it is another App's.
    func key(_ id: StatisticsID, within app: AppID?) async throws(StoreError) -> StatisticsKey?

    /// Keys of an App, or of all, in the order of their ids.
    func keys(app: AppID?, after id: StatisticsID?, limit: Int) async throws(StoreError) -> [StatisticsKey]

    /// Puts other words and times in the place of a key's; what was gathered stays.
    ///
    /// - Returns: `nil` when there is no such key, or it is another App's.
    func update(
        _ id: StatisticsID,
        within app: AppID?,
        _ request: StatisticsKeyRequest
    ) async throws(StoreError) -> StatisticsKey?

    /// Forgets a key; what was gathered under it stays in the App's figures, and what happens from now on to Campaigns
    /// that name it is gathered under none.
    ///
    /// - Returns: False when there is no such key, or it is another App's.
    func delete(_ id: StatisticsID, within app: AppID?) async throws(StoreError) -> Bool
}
