import NIOConcurrencyHelpers

/// Records the statements that a database runs; for tests of what a call costs.
///
/// A database has one by its options. Statements that control transactions and locks are recorded as well.
package final class StatementRecorder: Sendable {
    /// What became of one statement.
    package struct Record: Hashable, Sendable {
        package let text: String
        /// How often it was run.
        package fileprivate(set) var runs = 0
        /// How often its answer was waited for, which is a round trip where the database is another process.
        package fileprivate(set) var waits = 0
        /// How many rows the driver took in all runs, read or not.
        package fileprivate(set) var rows = 0
        /// How many rows the driver took in the run that gave most.
        package fileprivate(set) var mostRows = 0
    }

    private let state = NIOLockedValueBox<[String: Record]>([:])

    package init() {}

    /// All statements that were run since ``reset()``, in the order of their texts.
    package var records: [Record] { state.withLockedValue { $0.values.sorted { $0.text < $1.text } } }

    /// Forgets what was recorded.
    package func reset() { state.withLockedValue { $0.removeAll() } }

    /// Records that a statement begins to run.
    func note(_ text: String, waits: Bool) {
        state.withLockedValue { state in
            state[text, default: Record(text: text)].runs += 1
            if waits { state[text, default: Record(text: text)].waits += 1 }
        }
    }

    /// Records how many rows the driver took in one run.
    func note(_ text: String, rows: Int) {
        guard rows > 0 else { return }
        state.withLockedValue { state in
            state[text, default: Record(text: text)].rows += rows
            let most = state[text]?.mostRows ?? 0
            state[text]?.mostRows = max(most, rows)
        }
    }
}
