package import CarillonModel
package import StoreErrors

/// What happens to a source's stored secret.
package enum ContentSecretChange: Hashable, Sendable {
    /// Only for the same client and addresses: see ``ContentSourceRequest/sendsSecret(as:)``.
    case keep
    case set([UInt8])
    case remove
}

/// A source that is due.
package struct DueContentSource: Hashable, Sendable {
    package var app: AppID
    package var set: String
    package var name: String

    package init(app: AppID, set: String, name: String) {
        self.app = app
        self.set = set
        self.name = name
    }
}

/// A source that is due, with what its place among the fetches depends on.
package struct WaitingContentSource: Hashable, Sendable {
    package var source: DueContentSource
    package var isRealtime: Bool
    /// Whether the last fetch failed.
    package var isFailing: Bool

    package init(_ source: DueContentSource, isRealtime: Bool, isFailing: Bool) {
        self.source = source
        self.isRealtime = isRealtime
        self.isFailing = isFailing
    }
}

/// A source that a node fetches.
package struct ClaimedContentSource: Hashable, Sendable {
    package var source: ContentSource
    package var sealedSecret: [UInt8]?
    /// The node's claim; another node that claims it later has another one.
    package var claim: Int64

    package init(source: ContentSource, sealedSecret: [UInt8]?, claim: Int64) {
        self.source = source
        self.sealedSecret = sealedSecret
        self.claim = claim
    }

    package var due: DueContentSource { DueContentSource(app: source.app, set: source.set, name: source.name) }
}

/// The last real-time data, as a source sent it.
package struct ContentFeed: Hashable, Sendable {
    package var format: ContentSourceFormat
    package var fetchedAt: Timestamp
    package var body: [UInt8]

    /// Maximum bytes.
    package static let maximumSize = 16 << 20
    /// Data that is older is not shown.
    package static let maximumAge = Duration.seconds(300)

    package init(format: ContentSourceFormat, fetchedAt: Timestamp, body: [UInt8]) {
        self.format = format
        self.fetchedAt = fetchedAt
        self.body = body
    }
}

/// Stores sources of content sets.
package protocol ContentSourceStore: Sendable {
    /// Saves a source, which is due at once if it is active; what came of a former address or format is forgotten.
    ///
    /// - Returns: The stored source; ``ContentSetError/notFound`` without the set, ``ContentSetError/invalid(_:)`` when a
    ///   secret would be kept that is for other addresses, ``ContentSetError/tooMany(_:limit:)``.
    func put(
        _ source: ContentSource,
        secret: ContentSecretChange,
        at now: Timestamp
    ) async throws(StoreError) -> Result<ContentSource, ContentSetError>

    /// - Returns: `nil` when the set has no source of the name.
    func source(_ name: String, of set: String, app: AppID) async throws(StoreError) -> ContentSource?

    /// The sources of a set in order of their names.
    func sources(of set: String, app: AppID) async throws(StoreError) -> [ContentSource]

    /// - Returns: False when there is none.
    func deleteSource(_ name: String, of set: String, app: AppID) async throws(StoreError) -> Bool

    /// Makes an active source due now.
    ///
    /// - Returns: The source; `nil` when there is none.
    func makeDue(
        _ name: String,
        of set: String,
        app: AppID,
        at now: Timestamp
    ) async throws(StoreError)
        -> ContentSource?

    /// Sources of all Apps that are due and that no node has, the longest due first.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - appLimit: The maximum number of an App, each of those with real-time data, those of files, and of both those that
    ///     fail and those that do not: an App with many leaves the others in sight.
    ///   - limit: The maximum number.
    /// - Returns: The sources.
    /// - Throws: ``StoreError``.
    func dueSources(
        at now: Timestamp,
        appLimit: Int,
        limit: Int
    ) async throws(StoreError) -> [WaitingContentSource]

    /// Claims a source for one node.
    ///
    /// - Parameters:
    ///   - due: The source.
    ///   - claim: A number that is used once.
    ///   - now: The time.
    ///   - end: When the claim ends unless it is renewed.
    /// - Returns: `nil` when it is no longer due, or another node has it.
    /// - Throws: ``StoreError``.
    func claim(
        _ due: DueContentSource,
        as claim: Int64,
        at now: Timestamp,
        until end: Timestamp
    ) async throws(StoreError) -> ClaimedContentSource?

    /// - Returns: False when another node has the source, or it is gone.
    func renew(_ claimed: ClaimedContentSource, until end: Timestamp) async throws(StoreError) -> Bool

    /// Saves what came of a fetch and gives the claim back.
    ///
    /// - Parameters:
    ///   - claimed: The source as it was claimed.
    ///   - state: What came of it.
    ///   - next: When it is fetched next.
    ///   - feed: Real-time data; `nil` leaves the last.
    /// - Returns: False when another node has it: then nothing is saved.
    /// - Throws: ``StoreError``.
    func complete(
        _ claimed: ClaimedContentSource,
        _ state: ContentSource.State,
        next: Timestamp,
        feed: ContentFeed?
    ) async throws(StoreError) -> Bool

    /// The latest real-time data of a set's sources.
    func latestFeed(of set: String, app: AppID) async throws(StoreError) -> (name: String, fetchedAt: Timestamp)?

    /// The last real-time data of a source.
    func feed(_ name: String, of set: String, app: AppID) async throws(StoreError) -> ContentFeed?

    /// How many sources of all Apps fail, at most 1,001.
    func failingSourceCount() async throws(StoreError) -> Int
}
