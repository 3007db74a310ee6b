import Carillon
import CarillonModel
import Foundation

/// A clock that stands still until it is moved; sleepers wake when it has moved far enough.
///
/// Unchecked: `lock` protects everything.
final class ManualTime: TimeSource, @unchecked Sendable {
    private struct Sleeper {
        let id: Int
        let end: Int64
        let shot: OneShot<Void>
    }

    private let lock = NSLock()
    private var milliseconds: Int64
    private var moved: Int64 = 0
    private var sleepers: [Sleeper] = []
    private var waiters: [(count: Int, shot: OneShot<Void>)] = []
    private var nextID = 0

    init(_ start: Timestamp = Timestamp("2026-11-21T12:00:00Z")!) { milliseconds = start.rawValue }

    func now() -> Timestamp { lock.withLock { Timestamp(rawValue: milliseconds) } }

    func sleep(seconds: TimeInterval) async throws {
        let shot = OneShot<Void>()
        let (id, ready) = lock.withLock { () -> (Int, [OneShot<Void>]) in
            nextID += 1
            sleepers.append(Sleeper(id: nextID, end: moved + Int64(seconds * 1000), shot: shot))
            let ready = waiters.filter { $0.count <= sleepers.count }.map(\.shot)
            waiters.removeAll { $0.count <= sleepers.count }
            return (nextID, ready)
        }
        for waiter in ready { waiter.give(()) }
        await withTaskCancellationHandler {
            await shot.wait()
        } onCancel: {
            shot.give(())
        }
        lock.withLock { sleepers.removeAll { $0.id == id } }
        try Task.checkCancellation()
    }

    /// Moves both clocks forward, and wakes whoever slept long enough.
    func advance(_ seconds: TimeInterval) {
        let woken = lock.withLock { () -> [OneShot<Void>] in
            milliseconds += Int64(seconds * 1000)
            moved += Int64(seconds * 1000)
            let woken = sleepers.filter { $0.end <= moved }
            sleepers.removeAll { $0.end <= moved }
            return woken.map(\.shot)
        }
        for shot in woken { shot.give(()) }
    }

    /// Sets the phone's clock, as its owner may; sleepers do not notice.
    func set(_ now: Timestamp) { lock.withLock { milliseconds = now.rawValue } }

    /// Waits until so many tasks sleep.
    func untilSleeping(_ count: Int) async {
        let shot = OneShot<Void>()
        let isReached = lock.withLock {
            if sleepers.count >= count { return true }
            waiters.append((count, shot))
            return false
        }
        if !isReached { await shot.wait() }
    }
}
