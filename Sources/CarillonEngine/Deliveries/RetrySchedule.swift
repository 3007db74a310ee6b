package import CarillonModel

/// When a notification is retried: after growing delays with jitter, until its time is over.
package struct RetrySchedule: Hashable, Sendable {
    /// The delay after the first attempt; it doubles with each further one.
    package var firstDelay = Duration.seconds(2)
    /// The longest delay.
    package var longestDelay = Duration.seconds(600)
    /// The jitter: 0.25 makes a delay 75 % through 125 %.
    package var spread = 0.25

    package init() {}

    /// Returns when to retry.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts so far, at least 1.
    ///   - now: The time of the last attempt.
    ///   - end: When its time is over.
    ///   - after: The minimum delay that the push service asked for.
    ///   - random: A number from 0 up to 1.
    /// - Returns: The time of the next attempt, at most `end`, so that the last attempt is made then; `nil` when its
    ///   time is over.
    package func next(
        attempts: UInt8,
        now: Timestamp,
        end: Timestamp,
        after: Duration?,
        random: Double
    ) -> Timestamp? {
        guard now < end else { return nil }
        let doublings = min(Int(attempts) - 1, 30)
        let delay = min(firstDelay * (1 << max(0, doublings)), longestDelay)
        let spreadDelay = delay * (1 - spread + 2 * spread * random)
        let next = now.advanced(by: max(spreadDelay, after ?? .zero))
        // The last attempt is made at the end itself; none if the service asks for a longer delay.
        return min(next, end)
    }
}

extension Timestamp {
    /// Returns the instant a duration later, or earlier when negative; rounds up to milliseconds.
    package func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow, abs(product) < Int64.max / 2 else { return Timestamp(rawValue: seconds < 0 ? 0 : .max / 2) }
        return Timestamp(rawValue: rawValue + product + milliseconds)
    }

    /// Returns the duration until another instant.
    package func duration(to other: Timestamp) -> Duration { .milliseconds(other.rawValue - rawValue) }
}
