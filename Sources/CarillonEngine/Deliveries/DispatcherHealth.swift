import Synchronization

/// Whether a node's dispatcher can do its work.
package enum DispatcherHealth: Hashable, Sendable {
    case running
    /// It has not begun, or has ended.
    case stopped
    /// No heartbeat of its session was stored for a lease time or longer: other nodes take over its work.
    case withoutHeartbeat
}

extension Dispatcher {
    package var health: DispatcherHealth {
        guard running.isRaised else { return .stopped }
        return heartbeat.isFailing ? .withoutHeartbeat : .running
    }
}

/// Whether a service is running.
final class RunningFlag: Sendable {
    private let flag = Atomic(false)

    func set(_ isRunning: Bool) { flag.store(isRunning, ordering: .releasing) }

    var isRaised: Bool { flag.load(ordering: .acquiring) }
}
