import CarillonModel
package import CarillonOperatorModel
import NIOConcurrencyHelpers

/// Counts of a dispatcher's commits since the process began, for metrics.
///
/// They change once a commit, never for a single notification. Counts of a Campaign come from the store, which also has
/// those of other processes.
package final class DispatcherMetrics: Sendable {
    /// The values at one moment.
    package struct Snapshot: Hashable, Sendable {
        /// Completed notifications by outcome.
        package var outcomes: [Delivery.Outcome: Int] = [:]
        /// Failed attempts that are retried later.
        package var retries = 0
        /// Tokens that the push service refused as invalid.
        package var deadTokens = 0
        /// Tokens that are not used until they are registered again.
        package var quarantinedTokens = 0
        /// Campaigns that were paused with an alarm.
        package var halts = 0
        /// Attempts at work that failed and was delayed.
        package var workFailures = 0
        /// Calls of the store that failed and were repeated.
        package var storeFailures = 0
        /// Chunks that were taken over because their holders sent no heartbeat.
        package var takeovers = 0
        /// Leases that another session had when the holder came to commit or to renew: nothing was written.
        package var refusals = 0
        /// Sessions of this dispatcher that other nodes ended, with all their leases.
        package var lostSessions = 0
        /// Chunks whose outcomes wait because they cannot be committed.
        package var chunksWaiting = 0
        /// The notifications of those outcomes.
        package var notificationsWaiting = 0
        /// Token verdicts that wait to be written.
        package var verdictsWaiting = 0
        /// Token verdicts that were dropped, because too many waited or the process ended.
        package var verdictsDropped = 0
        /// Chunks that are being sent.
        package var chunksUnderWay = 0
        /// The Devices of those Chunks.
        package var devicesUnderWay = 0

        package init() {}
    }

    private let figures = NIOLockedValueBox(Snapshot())

    package init() {}

    package var snapshot: Snapshot { figures.withLockedValue { $0 } }

    /// Records that sending a Chunk begins.
    func begin(_ deviceCount: Int) {
        figures.withLockedValue { figures in
            figures.chunksUnderWay += 1
            figures.devicesUnderWay += deviceCount
        }
    }

    /// Records that sending a Chunk ended.
    func end(_ deviceCount: Int) {
        figures.withLockedValue { figures in
            figures.chunksUnderWay -= 1
            figures.devicesUnderWay -= deviceCount
        }
    }

    /// Records that a call of the store failed and will be repeated.
    func storeFailed() { figures.withLockedValue { $0.storeFailures += 1 } }

    /// Records that work failed.
    func workFailed() { figures.withLockedValue { $0.workFailures += 1 } }

    /// Records that an alarm paused a Campaign after repeated failures.
    func halted() { figures.withLockedValue { $0.halts += 1 } }

    /// Records that a Chunk of another session was taken over.
    func tookOver() { figures.withLockedValue { $0.takeovers += 1 } }

    /// Records that another session had the lease.
    func leaseRefused() { figures.withLockedValue { $0.refusals += 1 } }

    /// Records that another node ended the session.
    func lostSession() { figures.withLockedValue { $0.lostSessions += 1 } }

    /// Sets how many Chunks and notifications wait to be committed.
    func wait(chunks: Int, notifications: Int) {
        figures.withLockedValue { ($0.chunksWaiting, $0.notificationsWaiting) = (chunks, notifications) }
    }

    /// Sets how many token verdicts wait, and adds those that were dropped.
    func verdicts(waiting: Int, dropped: Int = 0) {
        figures.withLockedValue { figures in
            figures.verdictsWaiting = waiting
            figures.verdictsDropped += dropped
        }
    }

    /// Counts token verdicts that were saved.
    func count(_ verdicts: TokenVerdicts) {
        let dead = verdicts.verdicts.count { $0.finding == .dead }
        let quarantined = verdicts.verdicts.count { $0.finding == .quarantined }
        figures.withLockedValue { figures in
            figures.deadTokens += dead
            figures.quarantinedTokens += quarantined
        }
    }

    /// Counts a commit that was saved.
    func count(_ commit: ChunkCommit) {
        let outcomes = commit.counts
        figures.withLockedValue { figures in
            for (count, rows) in outcomes { figures.outcomes[count.outcome, default: 0] += rows }
            figures.retries += commit.retries.count
            if case .pauses = commit.ending { figures.halts += 1 }
        }
    }
}
