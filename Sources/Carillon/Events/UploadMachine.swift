package import CarillonModel
package import Foundation

/// Decides how events go to the server: how many at a time, when again after a failure, and what is given up.
///
/// What the server took, in whatever way, is done. A batch that it will never take is split until the one event is found
/// that it does not like; that one is dropped, so that no event blocks those behind it for ever.
package struct UploadMachine: Equatable, Sendable {
    /// What came of a batch.
    package enum Answer: Equatable, Sendable {
        case taken(EventBatchAnswer)
        case refused(Problem)
        case failed(retryAfter: TimeInterval?)
    }

    /// What to do with the batch.
    package enum Verdict: Equatable, Sendable {
        /// It is done.
        case finish
        /// It is given up.
        case drop
        /// Ask for a smaller one at once.
        case split
        /// Try again later.
        case wait
    }

    /// How many events go in the next batch.
    package private(set) var batchSize = EventBatch.maximumCount
    private var retry = Retry()
    private var refusals = 0

    /// How often in a row the server may say no to the App key, or to the address, before a batch is given up: a proxy
    /// may be in the way for a while, and an App key may come back.
    private static let maximumRefusals = 8

    package init() {}

    /// When the next batch may go; `nil`: now.
    package func opening(at now: Timestamp) -> Timestamp? { retry.opening(at: now) }

    /// Tries again at once what failed, unless the server asked to wait.
    package mutating func retryNow() { retry.retryNow() }

    /// Takes what came of a batch.
    ///
    /// - Parameters:
    ///   - answer: What came of it.
    ///   - count: How many events it had.
    ///   - now: The time by the phone's clock.
    ///   - jitter: A random number from 0 up to 1.
    /// - Returns: What to do with the batch.
    package mutating func finish(_ answer: Answer, count: Int, at now: Timestamp, jitter: Double) -> Verdict {
        switch answer {
        case .taken:
            batchSize = min(EventBatch.maximumCount, batchSize * 2)
            return calm(.finish)
        case .refused(let problem) where Self.isAboutContent(problem.status):
            guard count > 1 else { return calm(.drop) }
            batchSize = max(1, count / 2)
            return calm(.split)
        case .refused:
            refusals += 1
            guard refusals < Self.maximumRefusals else { return calm(.drop) }
            return wait(nil, at: now, jitter: jitter)
        case .failed(let retryAfter):
            return wait(retryAfter, at: now, jitter: jitter)
        }
    }

    private mutating func calm(_ verdict: Verdict) -> Verdict {
        refusals = 0
        retry.succeed()
        return verdict
    }

    private mutating func wait(_ retryAfter: TimeInterval?, at now: Timestamp, jitter: Double) -> Verdict {
        retry.fail(retryAfter: retryAfter, at: now, jitter: jitter)
        return .wait
    }

    /// Whether a status speaks of what was sent, and not of who sent it or where to.
    private static func isAboutContent(_ status: Int) -> Bool { [400, 409, 413, 415, 422].contains(status) }
}
