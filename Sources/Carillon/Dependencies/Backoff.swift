import CarillonModel
import Foundation

/// How long to wait before trying again: doubling from two seconds up to an hour, less a random half.
enum Backoff {
    static let base: TimeInterval = 2
    static let longest: TimeInterval = 3_600

    /// - Parameters:
    ///   - attempts: How often it failed in a row, from 1.
    ///   - jitter: A random number from 0 up to 1.
    /// - Returns: Seconds, 1 through 3,600.
    static func delay(after attempts: Int, jitter: Double) -> TimeInterval {
        let full = min(longest, base * pow(2, Double(min(max(attempts, 1), 20) - 1)))
        return full * (1 - 0.5 * jitter)
    }
}

/// A pause that ends by itself.
package struct Hold: Equatable, Sendable {
    /// Why there is a pause.
    enum Cause: Equatable, Sendable {
        /// Something failed; the pause grows with each failure.
        case failure
        /// The server asked for it: nothing shortens it.
        case askedByServer
        /// The server said no, and would again unless something changes.
        case refusal
    }

    let from: Timestamp
    let seconds: TimeInterval
    let cause: Cause

    var end: Timestamp { Timestamp(rawValue: from.rawValue + Int64(seconds * 1000)) }

    /// Whether it still lasts.
    ///
    /// A clock that was set back behind its start ends it.
    func isOn(at now: Timestamp) -> Bool { now >= from && now < end }

    /// A pause after a failure.
    ///
    /// - Parameters:
    ///   - attempts: How often it failed in a row, from 1.
    ///   - retryAfter: What the server asked for, in seconds; at most a day is obeyed.
    ///   - now: When it failed.
    ///   - jitter: A random number from 0 up to 1.
    /// - Returns: A pause that begins now.
    static func after(attempts: Int, retryAfter: TimeInterval?, now: Timestamp, jitter: Double) -> Hold {
        let asked = retryAfter.map { min(max($0, 0), 86_400) }
        return Hold(
            from: now,
            seconds: asked ?? Backoff.delay(after: attempts, jitter: jitter),
            cause: asked == nil ? .failure : .askedByServer
        )
    }
}
