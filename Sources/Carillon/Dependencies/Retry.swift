package import CarillonModel
package import Foundation

/// When something that failed may be tried again.
package struct Retry: Equatable, Sendable {
    private var hold: Hold?
    private var attempts = 0

    package init() {}

    /// When the next attempt may be made; `nil`: now.
    package func opening(at now: Timestamp) -> Timestamp? {
        hold.flatMap { $0.isOn(at: now) ? $0.end : nil }
    }

    /// Tries again at once, unless the server asked to wait.
    package mutating func retryNow() {
        if hold?.cause != .askedByServer { hold = nil }
    }

    /// It worked.
    package mutating func succeed() { self = Retry() }

    /// It failed, but may work later.
    ///
    /// - Parameters:
    ///   - retryAfter: What the server asked for, in seconds.
    ///   - now: The time by the phone's clock.
    ///   - jitter: A random number from 0 up to 1.
    package mutating func fail(retryAfter: TimeInterval?, at now: Timestamp, jitter: Double) {
        attempts += 1
        hold = .after(attempts: attempts, retryAfter: retryAfter, now: now, jitter: jitter)
    }

    /// The server said no, and would again: a day has to pass.
    package mutating func refuse(at now: Timestamp) {
        hold = Hold(from: now, seconds: 86_400, cause: .refusal)
    }
}
