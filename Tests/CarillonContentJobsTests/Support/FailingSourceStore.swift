import CarillonContentSets
import CarillonModel
import NIOConcurrencyHelpers
import StoreErrors

/// A store of sources that is full: what came of a fetch is not saved.
struct FailingSourceStore: ContentSourceStore {
    let store: any ContentSourceStore
    /// How often something was to be saved.
    let attempts = NIOLockedValueBox(0)

    func put(
        _ source: ContentSource,
        secret: ContentSecretChange,
        at now: Timestamp
    ) async throws(StoreError) -> Result<ContentSource, ContentSetError> {
        try await store.put(source, secret: secret, at: now)
    }

    func source(_ name: String, of set: String, app: AppID) async throws(StoreError) -> ContentSource? {
        try await store.source(name, of: set, app: app)
    }

    func sources(of set: String, app: AppID) async throws(StoreError) -> [ContentSource] {
        try await store.sources(of: set, app: app)
    }

    func deleteSource(_ name: String, of set: String, app: AppID) async throws(StoreError) -> Bool {
        try await store.deleteSource(name, of: set, app: app)
    }

    func makeDue(
        _ name: String,
        of set: String,
        app: AppID,
        at now: Timestamp
    ) async throws(StoreError) -> ContentSource? {
        try await store.makeDue(name, of: set, app: app, at: now)
    }

    func dueSources(
        at now: Timestamp,
        appLimit: Int,
        limit: Int
    ) async throws(StoreError) -> [WaitingContentSource] {
        try await store.dueSources(at: now, appLimit: appLimit, limit: limit)
    }

    func claim(
        _ due: DueContentSource,
        as claim: Int64,
        at now: Timestamp,
        until end: Timestamp
    ) async throws(StoreError) -> ClaimedContentSource? {
        attempts.withLockedValue { $0 += 1 }
        throw .full
    }

    func renew(_ claimed: ClaimedContentSource, until end: Timestamp) async throws(StoreError) -> Bool { false }

    func complete(
        _ claimed: ClaimedContentSource,
        _ state: ContentSource.State,
        next: Timestamp,
        feed: ContentFeed?
    ) async throws(StoreError) -> Bool { throw .full }

    func latestFeed(of set: String, app: AppID) async throws(StoreError) -> (name: String, fetchedAt: Timestamp)? {
        try await store.latestFeed(of: set, app: app)
    }

    func feed(_ name: String, of set: String, app: AppID) async throws(StoreError) -> ContentFeed? {
        try await store.feed(name, of: set, app: app)
    }

    func failingSourceCount() async throws(StoreError) -> Int { try await store.failingSourceCount() }
}
