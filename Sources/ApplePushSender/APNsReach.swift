import ApplePush
import ApplePushConnection
import CarillonModel
import NIOConcurrencyHelpers

/// Since when all requests to APNs are unanswered, in one environment and for all keys.
///
/// A batch with any answer, including a refusal, shows that APNs is reachable. Without requests it counts as reachable.
final class APNsReach: Sendable {
    private let since = NIOLockedValueBox<Timestamp?>(nil)

    /// The time of the first unanswered batch; `nil` when the last batch had an answer.
    var unreachableSince: Timestamp? { since.withLockedValue { $0 } }

    /// Records the outcomes of a batch.
    func record(_ outcomes: [Outcome], at now: Timestamp) {
        guard !outcomes.isEmpty else { return }
        let isAnswered = outcomes.contains { outcome in
            switch outcome {
            case .accepted, .rejected: true
            case .notSent, .unknown: false
            }
        }
        since.withLockedValue { $0 = isAnswered ? nil : $0 ?? now }
    }
}
