package import CarillonContentSets
import CarillonEngine
package import CarillonModel

/// When a source is fetched next.
package struct ContentImportSchedule: Hashable, Sendable {
    /// The pause after a first failure; it doubles with each further one.
    package var firstPause = Duration.seconds(60)
    /// The pause of real-time data, which is of no use later.
    package var firstRealtimePause = Duration.seconds(15)
    /// The longest pause, unless the interval is longer.
    package var longestPause = Duration.seconds(6 * 3_600)
    package var longestRealtimePause = Duration.seconds(900)
    /// Which part of a pause is left to chance, so that nodes and sources do not come at once.
    package var jitter = 0.1

    package init() {}

    /// The next fetch after one.
    ///
    /// - Parameters:
    ///   - request: The source.
    ///   - failures: How many fetches failed one after another; 0 after one that did not.
    ///   - retryAfter: The pause that the server asked for.
    ///   - now: The current time.
    ///   - random: A number from 0 up to 1.
    /// - Returns: A time after `now`.
    package func next(
        _ request: ContentSourceRequest,
        failures: Int,
        retryAfter: Duration?,
        at now: Timestamp,
        random: Double
    ) -> Timestamp {
        let interval = Duration.seconds(request.interval)
        guard failures > 0 else { return now.advanced(by: interval) }
        let isRealtime = request.format.isRealtime
        let first = isRealtime ? firstRealtimePause : firstPause
        let longest = isRealtime ? max(longestRealtimePause, interval) : min(longestPause, max(interval, first))
        let pause = min(first * (1 << min(failures - 1, 20)), longest)
        let spread = pause * (1 + jitter * random)
        return now.advanced(by: max(spread, retryAfter ?? .zero))
    }
}
