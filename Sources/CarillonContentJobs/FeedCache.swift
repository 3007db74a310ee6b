import CarillonContentSets
import CarillonEngine
import CarillonModel
import Foundation
import NIOConcurrencyHelpers
import StoreErrors

/// Feeds that were read, the latest ones of few sets: reading one takes longer than answering from it.
///
/// Whoever asks for a feed that is being read waits for that reading.
final class FeedCache: Sendable {
    struct Key: Hashable, Sendable {
        var app: AppID
        var set: String
        var name: String
        var fetchedAt: Timestamp
    }

    /// Real-time data, in one of two forms.
    struct Feed: Sendable {
        /// When it was made.
        var at: Timestamp
        var realtime: TransitRealtime?
        /// Rows of TDX by route.
        private var rows: [String: [JSONValue]] = [:]

        init(_ feed: ContentFeed) {
            at = feed.fetchedAt
            if feed.format == .gtfsRealtime {
                var realtime = TransitRealtime()
                // It was read before it was stored.
                try? realtime.update(feed.body)
                self.realtime = realtime
                // A clock that is ahead would keep an old feed fresh.
                if let made = realtime.timestamp { at = min(made, at) }
            } else if let value = try? JSONDecoder().decode([JSONValue].self, from: Data(feed.body)) {
                rows = Dictionary(grouping: value) { $0["RouteUID"]?.string ?? "" }
            }
        }

        func isFresh(at now: Timestamp, within age: Duration) -> Bool { at.duration(to: now) <= age }

        func estimates(of route: String, at now: Timestamp) -> TDXArrivals? {
            rows[route].map { TDXArrivals($0, route: route, at: now) }
        }
    }

    fileprivate struct State {
        var feeds: [Key: Feed] = [:]
        /// When each feed was used last, by a count of uses.
        var lastUse: [Key: Int] = [:]
        var useCount = 0
        var readings: [Key: Task<Result<Feed?, StoreError>, Never>] = [:]
    }

    private static let limit = 16

    private let state = NIOLockedValueBox(State())

    /// A feed, which is read unless it is known.
    ///
    /// - Parameters:
    ///   - key: The feed.
    ///   - load: Reads it from the store; `nil` when it is gone.
    /// - Returns: The feed; `nil` when it is gone.
    func feed(
        _ key: Key,
        _ load: @escaping @Sendable () async -> Result<ContentFeed?, StoreError>
    ) async -> Result<Feed?, StoreError> {
        enum Step {
            case use(Feed)
            case wait(Task<Result<Feed?, StoreError>, Never>)
        }
        let step = state.withLockedValue { state -> Step in
            if let known = state.feeds[key] {
                state.use(key)
                return .use(known)
            }
            if let reading = state.readings[key] { return .wait(reading) }
            let reading = Task { () async -> Result<Feed?, StoreError> in
                let read = await load().map { $0.map(Feed.init) }
                self.finish(key, try? read.get())
                return read
            }
            state.readings[key] = reading
            return .wait(reading)
        }
        switch step {
        case .use(let feed): return .success(feed)
        case .wait(let reading): return await reading.value
        }
    }

    private func finish(_ key: Key, _ feed: Feed?) {
        state.withLockedValue { state in
            state.readings[key] = nil
            if let feed { state.save(feed, as: key, limit: Self.limit) }
        }
    }
}

extension FeedCache.State {
    fileprivate mutating func use(_ key: FeedCache.Key) {
        useCount += 1
        lastUse[key] = useCount
    }

    /// Saves a feed in place of the former one of its source, or else of the one that was used longest ago.
    fileprivate mutating func save(_ feed: FeedCache.Feed, as key: FeedCache.Key, limit: Int) {
        for former in feeds.keys where (former.app, former.set, former.name) == (key.app, key.set, key.name) {
            remove(former)
        }
        if feeds.count >= limit, let oldest = feeds.keys.min(by: { lastUse[$0] ?? 0 < lastUse[$1] ?? 0 }) {
            remove(oldest)
        }
        feeds[key] = feed
        use(key)
    }

    private mutating func remove(_ key: FeedCache.Key) { (feeds[key], lastUse[key]) = (nil, nil) }
}
