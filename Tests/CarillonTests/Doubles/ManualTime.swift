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

    /// What is waited for; it gets how much longer each sleeper sleeps, in milliseconds.
    private typealias Condition = @Sendable ([Int64]) -> Bool

    private let lock = NSLock()
    private var milliseconds: Int64
    private var moved: Int64 = 0
    private var sleepers: [Sleeper] = []
    private var waiters: [(condition: Condition, shot: OneShot<Void>)] = []
    private var nextID = 0

    init(_ start: Timestamp = Timestamp("2026-11-21T12:00:00Z")!) { milliseconds = start.rawValue }

    func now() -> Timestamp { lock.withLock { Timestamp(rawValue: milliseconds) } }

    func sleep(seconds: TimeInterval) async throws {
        let shot = OneShot<Void>()
        let id = change { time in
            time.nextID += 1
            time.sleepers.append(Sleeper(id: time.nextID, end: time.moved + Int64(seconds * 1000), shot: shot))
            return time.nextID
        }
        await withTaskCancellationHandler {
            await shot.wait()
        } onCancel: {
            shot.complete(())
        }
        change { $0.sleepers.removeAll { $0.id == id } }
        try Task.checkCancellation()
    }

    /// Changes who sleeps, and tells those who wait for that.
    private func change<Result>(_ body: (ManualTime) -> Result) -> Result {
        let (result, ready) = lock.withLock { () -> (Result, [OneShot<Void>]) in
            let result = body(self)
            let left = sleepers.map { $0.end - moved }
            let ready = waiters.filter { $0.condition(left) }.map(\.shot)
            waiters.removeAll { $0.condition(left) }
            return (result, ready)
        }
        for waiter in ready { waiter.complete(()) }
        return result
    }

    /// Moves both clocks forward, and wakes whoever slept long enough.
    func advance(_ seconds: TimeInterval) {
        let woken = change { time in
            time.milliseconds += Int64(seconds * 1000)
            time.moved += Int64(seconds * 1000)
            let woken = time.sleepers.filter { $0.end <= time.moved }
            time.sleepers.removeAll { $0.end <= time.moved }
            return woken.map(\.shot)
        }
        for shot in woken { shot.complete(()) }
    }

    /// Sets the phone's clock, as its owner may; sleepers do not notice.
    func set(_ now: Timestamp) { lock.withLock { milliseconds = now.rawValue } }

    /// Waits until so many tasks sleep.
    func untilSleeping(_ count: Int) async { await until { $0.count >= count } }

    /// Waits until a task sleeps that has so long to sleep.
    func untilSleeping(for seconds: TimeInterval) async { await until { $0.contains(Int64(seconds * 1000)) } }

    /// Waits until nobody sleeps: the deadlines of calls that are over are called off a moment later.
    func untilNobodySleeps() async { await until { $0.isEmpty } }

    private func until(_ condition: @escaping Condition) async {
        let shot = OneShot<Void>()
        let isReached = lock.withLock {
            if condition(sleepers.map { $0.end - moved }) { return true }
            waiters.append((condition, shot))
            return false
        }
        if !isReached { await shot.wait() }
    }
}
