import ApplePush
import ApplePushConnection
import CarillonModel
import NIOConcurrencyHelpers

/// Since when nothing that is sent gets an answer of APNs, in one environment and whatever the key.
///
/// A batch with an answer, a refusal too, shows that APNs can be reached. Where nothing is sent nothing is known, and
/// that counts as reached.
final class APNsReach: Sendable {
    private let since = NIOLockedValueBox<Timestamp?>(nil)

    /// When the first of the batches was sent that got no answer; `nil` when the last one got some.
    var unreachableSince: Timestamp? { since.withLockedValue { $0 } }

    /// Notes what became of a batch.
    func note(_ outcomes: [Outcome], at now: Timestamp) {
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
