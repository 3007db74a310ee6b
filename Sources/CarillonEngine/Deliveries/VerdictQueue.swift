import Logging
import NIOConcurrencyHelpers

/// Token verdicts on their way to the store.
///
/// They are written after the outcomes that they came with, so that a lock on the devices does not delay outcomes.
/// Failed writes wait, up to a bound; dropped verdicts come again with the next notification to the token.
final class VerdictQueue: Sendable {
    private struct State {
        var waiting: [TokenVerdicts] = []
        var count = 0
        var isClosed = false
    }

    /// The longest delay between two attempts.
    private static let longestDelay = Duration.seconds(5)
    /// Attempts when the process ends.
    private static let lastAttempts = 3

    private let dependencies: Dispatcher.Dependencies
    private let capacity: Int
    private let retryTime: Duration
    private let state = NIOLockedValueBox(State())
    private let changed = AsyncSignal()

    /// Creates a queue for up to `capacity` verdicts.
    init(_ dependencies: Dispatcher.Dependencies, capacity: Int, retryTime: Duration) {
        self.dependencies = dependencies
        self.capacity = capacity
        self.retryTime = retryTime
    }

    /// Writes verdicts; queues them behind others, and when the store fails.
    func write(_ verdicts: TokenVerdicts) async {
        guard !verdicts.isEmpty else { return }
        let isFirst = state.withLockedValue { $0.waiting.isEmpty }
        guard isFirst, await save(verdicts) else { return append(verdicts) }
    }

    /// Writes the queue until ``close()``.
    func run() async {
        var failures = 0
        var nextAttempt = dependencies.timer.now()
        while !Task.isCancelled {
            let count = changed.count
            let (first, isClosed) = state.withLockedValue { ($0.waiting.first, $0.isClosed) }
            if isClosed { return }
            if let first, nextAttempt <= dependencies.timer.now() {
                let isKept = await save(first)
                failures = isKept ? 0 : failures + 1
                removeFirst(again: !isKept)
                let pause = isKept ? .zero : min(retryTime * (1 << min(failures, 10)), Self.longestDelay)
                nextAttempt = dependencies.timer.now() + pause
            } else if first != nil {
                await changed.wait(after: count, until: nextAttempt, by: dependencies.timer)
            } else {
                await changed.wait(after: count)
            }
        }
    }

    /// Makes ``run()`` return.
    func close() {
        state.withLockedValue { $0.isClosed = true }
        changed.signal()
    }

    /// Tries the queue a few times and drops the rest.
    func drain() async {
        var failures = 0
        while failures < Self.lastAttempts, let first = state.withLockedValue({ $0.waiting.first }) {
            if await save(first) { removeFirst(again: false) } else { failures += 1 }
        }
        let dropped = state.withLockedValue { state in
            defer { (state.waiting, state.count) = ([], 0) }
            return state.count
        }
        drop(dropped)
    }

    // MARK: - Private

    /// Writes verdicts.
    ///
    /// - Returns: False when they are to be retried; verdicts that would fail each time are dropped.
    private func save(_ verdicts: TokenVerdicts) async -> Bool {
        do throws(StoreError) {
            _ = try await dependencies.outcomes.save(verdicts)
            dependencies.figures.count(verdicts)
            return true
        } catch {
            dependencies.figures.storeFailed()
            guard case .failed = error else { return false }
            drop(verdicts.verdicts.count)
            return true
        }
    }

    private func append(_ verdicts: TokenVerdicts) {
        let isTaken = state.withLockedValue { state in
            guard state.count + verdicts.verdicts.count <= capacity else { return false }
            state.waiting.append(verdicts)
            state.count += verdicts.verdicts.count
            return true
        }
        if isTaken { report() } else { drop(verdicts.verdicts.count) }
        changed.signal()
    }

    /// Removes the first item, or moves it to the end: one App's verdicts must not block others'.
    private func removeFirst(again: Bool) {
        state.withLockedValue { state in
            let first = state.waiting.removeFirst()
            if again { state.waiting.append(first) } else { state.count -= first.verdicts.count }
        }
        report()
    }

    private func report(dropped: Int = 0) {
        dependencies.figures.verdicts(waiting: state.withLockedValue { $0.count }, dropped: dropped)
    }

    private func drop(_ count: Int) {
        report(dropped: count)
        guard count > 0 else { return }
        dependencies.logger.info(
            "Token verdicts could not be written; the next notification gets the same answer",
            metadata: ["carillon.tokens": "\(count)"]
        )
    }
}
