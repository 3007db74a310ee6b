package import CarillonModel
package import Foundation

/// When a request that failed may be retried.
package struct Retry: Equatable, Sendable {
    private var backoff: Backoff?
    private var attempts = 0

    package init() {}

    /// When the next attempt may start; `nil`: now.
    package func opening(at now: Timestamp) -> Timestamp? {
        backoff.flatMap { $0.isActive(at: now) ? $0.end : nil }
    }

    /// Ends the backoff, unless the server asked to wait.
    package mutating func retryNow() {
        if backoff?.cause != .askedByServer { backoff = nil }
    }

    /// The request succeeded.
    package mutating func succeed() { self = Retry() }

    /// The request failed, and may succeed later.
    ///
    /// - Parameters:
    ///   - retryAfter: What the server asked for, in seconds.
    ///   - now: The time by the phone's clock.
    ///   - jitter: A random number from 0 up to 1.
    package mutating func fail(retryAfter: TimeInterval?, at now: Timestamp, jitter: Double) {
        attempts += 1
        backoff = .after(attempts: attempts, retryAfter: retryAfter, now: now, jitter: jitter)
    }

    /// The server refused the request, and would again: the next attempt is a day later.
    package mutating func refuse(at now: Timestamp) {
        backoff = Backoff(from: now, seconds: 86_400, cause: .refusal)
    }
}
