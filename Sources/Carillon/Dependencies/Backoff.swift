import CarillonModel
import Foundation

/// The wait before a retry, which ends by itself.
package struct Backoff: Equatable, Sendable {
    /// Why there is a wait.
    enum Cause: Equatable, Sendable {
        /// A request failed; the wait grows with each failure.
        case failure
        /// The server asked for it: nothing shortens it.
        case askedByServer
        /// The server refused the request, and would again unless something changes.
        case refusal
    }

    let from: Timestamp
    let seconds: TimeInterval
    let cause: Cause

    var end: Timestamp { Timestamp(rawValue: from.rawValue + Int64(seconds * 1000)) }

    /// A clock that was set back behind the start ends the wait.
    func isActive(at now: Timestamp) -> Bool { now >= from && now < end }

    /// The wait after a failure: it doubles from two seconds up to an hour, less a random half.
    ///
    /// - Parameters:
    ///   - attempts: How many attempts failed in a row, from 1.
    ///   - retryAfter: What the server asked for, in seconds; at most a day counts.
    ///   - now: When it failed.
    ///   - jitter: A random number from 0 up to 1.
    /// - Returns: A wait that begins now.
    static func after(attempts: Int, retryAfter: TimeInterval?, now: Timestamp, jitter: Double) -> Backoff {
        if let retryAfter {
            return Backoff(from: now, seconds: min(max(retryAfter, 0), 86_400), cause: .askedByServer)
        }
        let full = min(3_600, pow(2, Double(min(max(attempts, 1), 20))))
        return Backoff(from: now, seconds: full * (1 - 0.5 * jitter), cause: .failure)
    }
}
