package import CarillonModel
package import Foundation

/// Decides how events are uploaded: the size of a batch, when it is retried, and what is dropped.
///
/// What the server accepted is done. A batch that it refuses is split until the event that it refuses is found; that one is
/// dropped, so that no event blocks the following ones for ever.
package struct UploadMachine: Equatable, Sendable {
    /// The server's answer to a batch, or that there was none.
    package indirect enum Answer: Equatable, Sendable {
        case accepted(EventBatchAnswer)
        case refused(Problem)
        case failed(retryAfter: TimeInterval?)
    }

    /// What to do with the batch.
    package enum Decision: Equatable, Sendable {
        /// Mark its events as done.
        case finish
        /// Drop its events.
        case drop
        /// Send a smaller one at once.
        case split
        /// Retry later.
        case wait
    }

    /// The maximum of events in the next batch.
    package private(set) var batchSize = EventBatch.maximumCount
    private var retry = Retry()
    private var refusals = 0

    /// How often in a row the server may refuse the App key or the path before a batch is dropped: a proxy may answer for a
    /// while, and an App key may be restored.
    private static let maximumRefusals = 8

    package init() {}

    /// When the next batch may be sent; `nil`: now.
    package func opening(at now: Timestamp) -> Timestamp? { retry.opening(at: now) }

    /// Ends the backoff, unless the server asked to wait.
    package mutating func retryNow() { retry.retryNow() }

    /// Applies the answer to a batch.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - count: How many events it had.
    ///   - now: The time by the phone's clock.
    ///   - jitter: A random number from 0 up to 1.
    /// - Returns: What to do with the batch.
    package mutating func finish(_ answer: Answer, count: Int, at now: Timestamp, jitter: Double) -> Decision {
        switch answer {
        case .accepted:
            batchSize = min(EventBatch.maximumCount, batchSize * 2)
            return succeed(.finish)
        case .refused(let problem) where Self.isAboutContent(problem.status):
            guard count > 1 else { return succeed(.drop) }
            batchSize = max(1, count / 2)
            return succeed(.split)
        case .refused:
            refusals += 1
            guard refusals < Self.maximumRefusals else { return succeed(.drop) }
            return wait(nil, at: now, jitter: jitter)
        case .failed(let retryAfter):
            return wait(retryAfter, at: now, jitter: jitter)
        }
    }

    private mutating func succeed(_ decision: Decision) -> Decision {
        refusals = 0
        retry.succeed()
        return decision
    }

    private mutating func wait(_ retryAfter: TimeInterval?, at now: Timestamp, jitter: Double) -> Decision {
        retry.fail(retryAfter: retryAfter, at: now, jitter: jitter)
        return .wait
    }

    /// Whether a status is about the content, and not about credentials or path.
    private static func isAboutContent(_ status: Int) -> Bool { [400, 409, 413, 415, 422].contains(status) }
}
