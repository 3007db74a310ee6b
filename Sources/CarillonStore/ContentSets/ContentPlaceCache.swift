import CarillonContentSets
import CarillonModel
import NIOConcurrencyHelpers

/// Versions that are often searched near points, in memory, within a bound.
///
/// A version's number leads to it, and the current one's is read with each query: another node may publish at any time.
final class ContentPlaceCache: Sendable {
    struct Key: Hashable, Sendable {
        var app: AppID
        var slot: Int64
    }

    /// What a search near a point does.
    enum Step: Sendable {
        case use(ContentPlaces)
        /// Reads the version into memory: one search does.
        case load
        /// Asks the database.
        case ask
    }

    private struct State {
        var places: [Key: ContentPlaces] = [:]
        /// Searches of versions that are not in memory; -1 for those that do not fit, or are being read.
        var searches: [Key: Int] = [:]
        /// When each version was used last, by a count of uses.
        var lastUse: [Key: Int] = [:]
        var useCount = 0
        var size = 0
        /// The version that is being read: one at a time, since each takes as much memory as several saved ones.
        var loading: Key?
    }

    /// Maximum bytes of all versions.
    static let maximumSize = 128 << 20
    /// Maximum bytes of one version.
    static let maximumVersionSize = maximumSize / 2
    /// A version is read after this many searches.
    static let searchCount = 100
    private static let maximumCount = 1_000

    private let state = NIOLockedValueBox(State())

    func step(_ key: Key) -> Step {
        state.withLockedValue { state in
            if let places = state.places[key] {
                state.useCount += 1
                state.lastUse[key] = state.useCount
                return .use(places)
            }
            if state.searches.count >= Self.maximumCount { state.searches.removeAll() }
            let count = state.searches[key] ?? 0
            guard count >= 0, state.loading != key else { return .ask }
            guard count + 1 >= Self.searchCount, state.loading == nil else {
                state.searches[key] = min(count + 1, Self.searchCount)
                return .ask
            }
            (state.searches[key], state.loading) = (-1, key)
            return .load
        }
    }

    /// Saves what was read of a version in place of those that were used longest ago.
    func save(_ places: ContentPlaces, as key: Key) {
        state.withLockedValue { state in
            if state.loading == key { state.loading = nil }
            guard places.size <= Self.maximumVersionSize, state.places[key] == nil else { return }
            while state.size + places.size > Self.maximumSize,
                let oldest = state.places.keys.min(by: { state.lastUse[$0] ?? 0 < state.lastUse[$1] ?? 0 })
            {
                state.size -= state.places.removeValue(forKey: oldest)?.size ?? 0
                state.lastUse[oldest] = nil
            }
            state.useCount += 1
            (state.places[key], state.lastUse[key], state.searches[key]) = (places, state.useCount, nil)
            state.size += places.size
        }
    }

    /// Lets a later search try again, after a reading that failed.
    func release(_ key: Key) {
        state.withLockedValue { state in
            state.searches[key] = nil
            if state.loading == key { state.loading = nil }
        }
    }

    /// Notes that a version does not fit, and leaves it to the database.
    func giveUp(_ key: Key) { state.withLockedValue { if $0.loading == key { $0.loading = nil } } }
}
