import Foundation
import NIOConcurrencyHelpers

/// Tells the time by which provider tokens age and stored notifications expire.
package protocol WallClock: Sendable {
    var now: SimulatedTime { get }
}

/// The clock of this computer.
package struct SystemWallClock: WallClock {
    package init() {}

    package var now: SimulatedTime {
        SimulatedTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}

/// Another clock, put forward or back by those who try what time does.
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

/// A clock that stands still until it is moved, backwards too.
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
