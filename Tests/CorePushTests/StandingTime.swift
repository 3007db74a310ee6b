import Carillon
import CarillonModel
import Foundation

/// A clock that stands still until it is moved; sleepers wake when it has moved far enough.
///
/// Unchecked: `lock` protects everything.
final class StandingTime: TimeSource, @unchecked Sendable {
    private struct Sleeper {
        let id: Int
        let end: Int64
        let shot: OneShot<Void>
    }

    private static let start: Int64 = 1_800_000_000_000

    private let lock = NSLock()
    private var moved: Int64 = 0
    private var sleepers: [Sleeper] = []
    private var waiters: [(milliseconds: Int64, shot: OneShot<Void>)] = []
    private var nextID = 0

    func now() -> Timestamp { Timestamp(rawValue: Self.start + lock.withLock { moved }) }

    func sleep(seconds: TimeInterval) async throws {
        let shot = OneShot<Void>()
        let (id, ready) = lock.withLock { () -> (Int, [OneShot<Void>]) in
            let length = Int64((seconds * 1000).rounded())
            nextID += 1
            sleepers.append(Sleeper(id: nextID, end: moved + length, shot: shot))
            let ready = waiters.filter { $0.milliseconds == length }.map(\.shot)
            waiters.removeAll { $0.milliseconds == length }
            return (nextID, ready)
        }
        for waiter in ready { waiter.complete(()) }
        await withTaskCancellationHandler {
            await shot.wait()
        } onCancel: {
            shot.complete(())
        }
        lock.withLock { sleepers.removeAll { $0.id == id } }
        try Task.checkCancellation()
    }

    /// Moves the clock forward, and wakes whoever slept long enough.
    func advance(_ seconds: TimeInterval) {
        let woken = lock.withLock {
            moved += Int64((seconds * 1000).rounded())
            return sleepers.filter { $0.end <= moved }.map(\.shot)
        }
        for shot in woken { shot.complete(()) }
    }

    /// Whether a task has so long to sleep.
    func isSleeping(for seconds: TimeInterval) -> Bool {
        let length = Int64((seconds * 1000).rounded())
        return lock.withLock { sleepers.contains { $0.end - moved == length } }
    }

    /// Waits until a task sleeps that has so long to sleep.
    func untilSleeping(for seconds: TimeInterval) async {
        let length = Int64((seconds * 1000).rounded())
        let shot = OneShot<Void>()
        let isReached = lock.withLock {
            if sleepers.contains(where: { $0.end - moved == length }) { return true }
            waiters.append((length, shot))
            return false
        }
        if !isReached { await shot.wait() }
    }
}
