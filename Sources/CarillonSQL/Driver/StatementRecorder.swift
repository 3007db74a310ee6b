import NIOConcurrencyHelpers

/// Records the statements that a database runs; for tests of a call's cost.
///
/// Pass one in a database's options. It also records statements for transactions and locks.
package final class StatementRecorder: Sendable {
    /// The record of one statement.
    package struct Record: Hashable, Sendable {
        package let text: String
        /// The number of runs.
        package fileprivate(set) var runs = 0
        /// How often a caller waited for its result, which is a round trip where the database is another process.
        package fileprivate(set) var waits = 0
        /// The number of rows that the driver received in all runs, read or not.
        package fileprivate(set) var rows = 0
        /// The largest number of rows in one run.
        package fileprivate(set) var mostRows = 0
    }

    private let state = NIOLockedValueBox<[String: Record]>([:])

    package init() {}

    /// All statements that were run since ``reset()``, ordered by text.
    package var records: [Record] { state.withLockedValue { $0.values.sorted { $0.text < $1.text } } }

    /// Deletes all records.
    package func reset() { state.withLockedValue { $0.removeAll() } }

    /// Records that a statement begins to run.
    func record(_ text: String, waits: Bool) {
        state.withLockedValue { state in
            state[text, default: Record(text: text)].runs += 1
            if waits { state[text, default: Record(text: text)].waits += 1 }
        }
    }

    /// Records the number of rows that the driver received in one run.
    func record(_ text: String, rows: Int) {
        guard rows > 0 else { return }
        state.withLockedValue { state in
            state[text, default: Record(text: text)].rows += rows
            let most = state[text]?.mostRows ?? 0
            state[text]?.mostRows = max(most, rows)
        }
    }
}
