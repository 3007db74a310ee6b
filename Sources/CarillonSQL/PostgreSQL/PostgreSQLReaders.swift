import Dispatch
import Foundation
import NIOConcurrencyHelpers
import StoreErrors

/// A few threads, each with a connection, that run reads in order.
final class PostgreSQLReaders: Sendable {
    struct Job: Sendable {
        let run: @Sendable (PostgreSQLConnection) -> Void
        let fail: @Sendable (StoreError) -> Void
    }

    private struct State {
        var queue: WriteQueue<Job>
        var waiting = 0
        var isStopped = false
    }

    private let state: NIOLockedValueBox<State>
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let count: Int

    init(_ settings: PostgreSQLSession.Settings, count: Int, capacity: Int) {
        self.count = count
        state = NIOLockedValueBox(State(queue: WriteQueue(capacity: capacity)))
        for _ in 0..<count {
            let thread = Thread { [self] in
                let connection = PostgreSQLConnection(settings)
                while let job = next() { job.run(connection) }
                connection.drop()
                ended.signal()
            }
            thread.name = "pg.reader"
            thread.start()
        }
    }

    /// Queues a read.
    ///
    /// - Returns: Why it was refused, if it was.
    func submit(_ job: Job) -> StoreError? {
        let (refusal, mustWake) = state.withLockedValue { state -> (StoreError?, Bool) in
            guard !state.isStopped else { return (.unavailable("The database is closed."), false) }
            guard state.queue.append(job, priority: .serving) else {
                return (.unavailable("Too many reads wait already."), false)
            }
            guard state.waiting > 0 else { return (nil, false) }
            state.waiting -= 1
            return (nil, true)
        }
        if mustWake { wake.signal() }
        return refusal
    }

    /// Refuses new reads, runs the waiting ones, and ends the threads.
    func stop() {
        let waiting = state.withLockedValue { state in
            defer {
                state.isStopped = true
                state.waiting = 0
            }
            return state.waiting
        }
        for _ in 0..<waiting { wake.signal() }
        for _ in 0..<count { ended.wait() }
    }

    /// The next read; `nil` when there will be none any more.
    private func next() -> Job? {
        while true {
            let (job, isStopped) = state.withLockedValue { state -> (Job?, Bool) in
                if let job = state.queue.next(hasTime: true, isFirst: true) { return (job, false) }
                if !state.isStopped { state.waiting += 1 }
                return (nil, state.isStopped)
            }
            if let job { return job }
            if isStopped { return nil }
            wake.wait()
        }
    }
}
