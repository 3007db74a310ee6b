import CarillonContentSets
import CarillonModel
import NIOConcurrencyHelpers

/// How many rows queries near points have that were asked for by pages lately, within a bound.
///
/// A version never changes, so neither does a total of it; without it each page would count the rows again.
final class NearTotals: Sendable {
    struct Key: Hashable, Sendable {
        private let app: AppID
        private let slot: Int64
        private let query: ContentQuery

        /// - Returns: `nil` unless a page is asked for by its number.
        init?(_ query: ContentQuery, app: AppID, slot: Int64) {
            guard case .page = query.part else { return nil }
            var query = query
            (query.part, query.limit) = (.page(1), 1)
            (self.app, self.slot, self.query) = (app, slot, query)
        }
    }

    private static let maximumCount = 1_000

    private let totals = NIOLockedValueBox<[Key: Int]>([:])

    func total(_ key: Key) -> Int? { totals.withLockedValue { $0[key] } }

    func save(_ total: Int, of key: Key) {
        totals.withLockedValue { totals in
            if totals.count >= Self.maximumCount { totals.removeAll() }
            totals[key] = total
        }
    }
}
