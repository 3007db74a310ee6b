import CarillonModel
package import CarillonOperatorModel
import NIOConcurrencyHelpers

/// What a dispatcher has committed since the process began, for metrics.
///
/// It is counted once a commit, never for a single notification. Figures of a Campaign come from the store instead, which
/// also knows what other processes did.
package final class DispatcherMetrics: Sendable {
    /// The figures at one moment.
    package struct Snapshot: Hashable, Sendable {
        /// Notifications that are over, by what became of them.
        package var outcomes: [Delivery.Outcome: Int] = [:]
        /// Attempts that failed and are made again later.
        package var retries = 0
        /// Tokens that the push service called dead.
        package var deadTokens = 0
        /// Tokens that wait until they are registered again.
        package var quarantinedTokens = 0
        /// Campaigns that were paused with an alarm.
        package var halts = 0
        /// Attempts at work that could not go on and was left alone for a time.
        package var workFailures = 0
        /// Calls of the store that failed and were made again.
        package var storeFailures = 0
        /// Chunks of others that were taken over because they showed no sign of life.
        package var takeovers = 0
        /// Leases that somebody else had when their holder came to commit or to renew: nothing was written.
        package var refusals = 0
        /// Sessions of this dispatcher that other nodes ended, and with them all its leases.
        package var lostSessions = 0
        /// Chunks whose outcomes wait because they cannot be committed.
        package var chunksWaiting = 0
        /// The notifications of those outcomes.
        package var notificationsWaiting = 0
        /// What was said of tokens and waits to be written.
        package var verdictsWaiting = 0
        /// What was said of tokens and given up, because too much of it waited or the process ended.
        package var verdictsDropped = 0
        /// Chunks that are being sent now.
        package var chunksUnderWay = 0
        /// The Devices of those Chunks.
        package var devicesUnderWay = 0

        package init() {}
    }

    private let figures = NIOLockedValueBox(Snapshot())

    package init() {}

    package var snapshot: Snapshot { figures.withLockedValue { $0 } }

    /// A Chunk's sending begins.
    func begin(_ deviceCount: Int) {
        figures.withLockedValue { figures in
            figures.chunksUnderWay += 1
            figures.devicesUnderWay += deviceCount
        }
    }

    /// A Chunk's sending has ended.
    func end(_ deviceCount: Int) {
        figures.withLockedValue { figures in
            figures.chunksUnderWay -= 1
            figures.devicesUnderWay -= deviceCount
        }
    }

    /// A call of the store failed and will be made again.
    func storeFailed() { figures.withLockedValue { $0.storeFailures += 1 } }

    /// Work could not go on.
    func workFailed() { figures.withLockedValue { $0.workFailures += 1 } }

    /// A Campaign was paused because work at it failed again and again.
    func halted() { figures.withLockedValue { $0.halts += 1 } }

    /// A Chunk of somebody else was taken over.
    func tookOver() { figures.withLockedValue { $0.takeovers += 1 } }

    /// A lease was found to have passed on.
    func leaseRefused() { figures.withLockedValue { $0.refusals += 1 } }

    /// The session was ended by another node.
    func lostSession() { figures.withLockedValue { $0.lostSessions += 1 } }

    /// So many Chunks and notifications cannot be committed now.
    func wait(chunks: Int, notifications: Int) {
        figures.withLockedValue { ($0.chunksWaiting, $0.notificationsWaiting) = (chunks, notifications) }
    }

    /// So many verdicts on tokens wait now; some more were given up.
    func verdicts(waiting: Int, dropped: Int = 0) {
        figures.withLockedValue { figures in
            figures.verdictsWaiting = waiting
            figures.verdictsDropped += dropped
        }
    }

    /// Counts what the store has taken of verdicts on tokens.
    func count(_ verdicts: TokenVerdicts) {
        let dead = verdicts.verdicts.count { $0.finding == .dead }
        let quarantined = verdicts.verdicts.count { $0.finding == .quarantined }
        figures.withLockedValue { figures in
            figures.deadTokens += dead
            figures.quarantinedTokens += quarantined
        }
    }

    /// Counts what the store has taken.
    func count(_ commit: ChunkCommit) {
        let outcomes = commit.counts
        figures.withLockedValue { figures in
            for (count, rows) in outcomes { figures.outcomes[count.outcome, default: 0] += rows }
            figures.retries += commit.retries.count
            if case .pauses = commit.ending { figures.halts += 1 }
        }
    }
}
