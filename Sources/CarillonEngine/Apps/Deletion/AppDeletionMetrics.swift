import NIOConcurrencyHelpers

/// What is left of deleted Apps, as this node saw it last, and what it removed since the process began.
package final class AppDeletionMetrics: Sendable {
    /// The values at one instant.
    package struct Values: Hashable, Sendable {
        /// Deleted Apps that have rows left.
        package var unfinished = 0
        /// Rows that were removed.
        package var rows = 0
        /// Steps that failed and are repeated.
        package var failures = 0
    }

    private let state = NIOLockedValueBox(Values())

    package init() {}

    /// The current values.
    package var values: Values { state.withLockedValue { $0 } }

    func setUnfinished(_ count: Int) { state.withLockedValue { $0.unfinished = count } }

    func count(rows: Int) { state.withLockedValue { $0.rows += rows } }

    func countFailure() { state.withLockedValue { $0.failures += 1 } }
}
