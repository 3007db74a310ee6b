package import CarillonModel
import NIOConcurrencyHelpers

/// What retention did and could not do, since the process began.
package final class RetentionMetrics: Sendable {
    /// The figures at one instant.
    package struct Values: Hashable, Sendable {
        /// Steps that failed, by what they were to drop or make.
        package var failures: [String: Int] = [:]
        /// Steps that dropped rows, and how long they took, by what they dropped.
        package var steps: [RetentionSubject: Int] = [:]
        package var stepTimes: [RetentionSubject: Duration] = [:]
        /// Weeks without a partition, as ``PartitionReport/missing`` names them.
        package var missingPartitions: [String] = []
        /// When a round last dropped everything that was old enough; `nil` before the first.
        package var lastRound: Timestamp?
    }

    private let state = NIOLockedValueBox(Values())

    package init() {}

    /// The figures now.
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
