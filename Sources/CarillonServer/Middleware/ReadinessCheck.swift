import CarillonEngine
import NIOConcurrencyHelpers

/// Probes the store, at most once a second.
final class ReadinessCheck: Sendable {
    private typealias Answer = Result<Void, StoreError>

    private struct State {
        var task: Task<Answer, Never>?
        /// When the last probe ended; `nil` while one is running.
        var answeredAt: ContinuousClock.Instant?
    }

    /// How long a result is cached.
    private static let lifetime = Duration.seconds(1)

    private let probe: @Sendable () async throws(StoreError) -> Void
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = NIOLockedValueBox(State())

    /// Creates a check without a cached result.
    ///
    /// - Parameters:
    ///   - probe: Queries the store; throws when it does not answer.
    ///   - now: The monotonic clock.
    init(
        probe: @escaping @Sendable () async throws(StoreError) -> Void,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.probe = probe
        self.now = now
    }

    /// Checks that the store answers; concurrent calls share one probe.
    ///
    /// - Throws: ``StoreError`` when the store did not answer, within the last second.
    func check() async throws(StoreError) {
        let time = now()
        let task = state.withLockedValue { state in
            // A running probe is awaited however long it takes: another one would wait as well.
            if let task = state.task, state.answeredAt.map({ $0.duration(to: time) < Self.lifetime }) ?? true {
                return task
            }
            let task = Task { await runProbe() }
            (state.task, state.answeredAt) = (task, nil)
            return task
        }
        try await task.value.get()
    }

    private func runProbe() async -> Answer {
        let answer: Answer
        do throws(StoreError) {
            try await probe()
            answer = .success(())
        } catch {
            answer = .failure(error)
        }
        state.withLockedValue { $0.answeredAt = now() }
        return answer
    }
}
