package import CarillonModel

/// When a notification is tried again: after growing delays, spread at random, until its time is over.
package struct RetrySchedule: Hashable, Sendable {
    /// The delay after the first attempt; it doubles with each further one.
    package var firstDelay = Duration.seconds(2)
    /// The longest delay.
    package var longestDelay = Duration.seconds(600)
    /// How far a delay is spread: 0.25 makes it 75 % through 125 %.
    package var spread = 0.25

    package init() {}

    /// When to try again.
    ///
    /// - Parameters:
    ///   - attempts: How many attempts there were, 1 or more.
    ///   - now: The time of the last one.
    ///   - end: When its time is over.
    ///   - after: What the push service asked to wait at least.
    ///   - random: A number from 0 up to 1.
    /// - Returns: The time of the next attempt, at the latest `end`, so that there is a last one then; `nil` when its
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
        // At the end itself there is a last attempt; a service that asks for more time than there is gets none.
        return min(next, end)
    }
}

extension Timestamp {
    /// The instant some time later or, when negative, earlier; milliseconds are rounded up.
    package func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow, abs(product) < Int64.max / 2 else { return Timestamp(rawValue: seconds < 0 ? 0 : .max / 2) }
        return Timestamp(rawValue: rawValue + product + milliseconds)
    }

    /// How long it is from here until another instant.
    package func duration(to other: Timestamp) -> Duration { .milliseconds(other.rawValue - rawValue) }
}
