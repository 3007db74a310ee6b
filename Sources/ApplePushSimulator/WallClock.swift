import Foundation
import NIOConcurrencyHelpers

/// The clock for provider tokens and stored notifications.
package protocol WallClock: Sendable {
    var now: SimulatedTime { get }
}

/// The system's clock.
package struct SystemWallClock: WallClock {
    package init() {}

    package var now: SimulatedTime {
        SimulatedTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}

/// Another clock with an offset.
final class MovableWallClock: WallClock {
    private let base: any WallClock
    private let offset = NIOLockedValueBox(Duration.zero)

    init(_ base: any WallClock) {
        self.base = base
    }

    var now: SimulatedTime {
        base.now.advanced(by: offset.withLockedValue { $0 })
    }

    func advance(by duration: Duration) {
        offset.withLockedValue { $0 += duration }
    }
}

/// A clock that is stopped until it is moved, also backwards.
package final class ManualWallClock: WallClock {
    private let time: NIOLockedValueBox<SimulatedTime>

    package init(_ time: SimulatedTime) {
        self.time = NIOLockedValueBox(time)
    }

    package var now: SimulatedTime {
        time.withLockedValue { $0 }
    }

    package func advance(by duration: Duration) {
        time.withLockedValue { $0 = $0.advanced(by: duration) }
    }
}
