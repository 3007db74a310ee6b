package import CarillonModel
import NIOConcurrencyHelpers

/// How many streams of progress are open, in all and for each App.
package final class ProgressStreams: Sendable {
    /// An open stream's place, which is free again when nobody holds it: also when the answer never reached its body.
    package final class Place: Sendable {
        private let streams: ProgressStreams
        private let app: AppID

        fileprivate init(_ streams: ProgressStreams, _ app: AppID) {
            self.streams = streams
            self.app = app
        }

        deinit { streams.close(app) }
    }

    private let limit: Int
    private let metrics: ServerMetrics
    private let open = NIOLockedValueBox<[AppID: Int]>([:])

    /// Makes a counter.
    ///
    /// - Parameters:
    ///   - limit: How many may be open, 0 or more; of each App a quarter of them, and one at least.
    ///   - metrics: Shows how many are.
    package init(limit: Int, metrics: ServerMetrics) {
        self.limit = limit
        self.metrics = metrics
    }

    /// Takes a place for a stream.
    ///
    /// - Parameter app: Whose Campaign it shows.
    /// - Returns: `nil` when as many are open as may be.
    package func place(for app: AppID) -> Place? {
        let isFree = open.withLockedValue { open in
            guard open.values.reduce(0, +) < limit, open[app, default: 0] < max(1, limit / 4) else { return false }
            open[app, default: 0] += 1
            return true
        }
        guard isFree else { return nil }
        metrics.openStream()
        return Place(self, app)
    }

    private func close(_ app: AppID) {
        open.withLockedValue { open in
            let count = open[app, default: 0] - 1
            open[app] = count > 0 ? count : nil
        }
        metrics.closeStream()
    }
}
