import Synchronization

/// Whether a node's dispatcher can do its work.
package enum DispatcherHealth: Hashable, Sendable {
    case running
    /// It has not begun, or has ended.
    case stopped
    /// No heartbeat of its session has come through for a lease or longer: others take its work over.
    case withoutHeartbeat
}

extension Dispatcher {
    package var health: DispatcherHealth {
        guard running.isRaised else { return .stopped }
        return heartbeat.isFailing ? .withoutHeartbeat : .running
    }
}

/// Whether something runs.
final class RunningFlag: Sendable {
    private let flag = Atomic(false)

    func set(_ isRunning: Bool) { flag.store(isRunning, ordering: .releasing) }

    var isRaised: Bool { flag.load(ordering: .acquiring) }
}
