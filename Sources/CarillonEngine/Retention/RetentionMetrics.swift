package import CarillonModel
import NIOConcurrencyHelpers

/// Counts of retention since the process began.
package final class RetentionMetrics: Sendable {
    /// The values at one instant.
    package struct Values: Hashable, Sendable {
        /// Failed steps, by the subject that they were to delete or create.
        package var failures: [String: Int] = [:]
        /// Steps that deleted rows, and their duration, by subject.
        package var steps: [RetentionSubject: Int] = [:]
        package var stepTimes: [RetentionSubject: Duration] = [:]
        /// Weeks without a partition, as ``PartitionReport/missing`` names them.
        package var missingPartitions: [String] = []
        /// When a round last deleted everything that was old enough; `nil` before the first.
        package var lastRound: Timestamp?
    }

    private let state = NIOLockedValueBox(Values())

    package init() {}

    /// The current values.
    package var values: Values { state.withLockedValue { $0 } }

    func countFailure(of subject: String) {
        state.withLockedValue { $0.failures[subject, default: 0] += 1 }
    }

    func countStep(of subject: RetentionSubject, took time: Duration) {
        state.withLockedValue { values in
            values.steps[subject, default: 0] += 1
            values.stepTimes[subject, default: .zero] += time
        }
    }

    func setMissingPartitions(_ names: [String]) {
        state.withLockedValue { $0.missingPartitions = names }
    }

    func completeRound(at time: Timestamp) {
        state.withLockedValue { $0.lastRound = time }
    }
}
