package import CarillonModel
import Foundation

/// The time of day.
///
/// It may jump when the machine's clock is set; durations need a monotonic clock.
package protocol WallClock: Sendable {
    func now() -> Timestamp
}

/// The machine's clock.
package struct SystemWallClock: WallClock {
    package init() {}

    package func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(rawValue: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
