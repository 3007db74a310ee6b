import CarillonEngine
import NIOConcurrencyHelpers

/// Asks the store for an answer, at most once a second, whoever asks how often.
final class ReadinessCheck: Sendable {
    private typealias Answer = Result<Void, StoreError>

    private struct State {
        var task: Task<Answer, Never>?
        /// When the last question was answered; `nil` while one is under way.
        var answeredAt: ContinuousClock.Instant?
    }

    /// How long an answer is good for.
    private static let lifetime = Duration.seconds(1)

    private let probe: @Sendable () async throws(StoreError) -> Void
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = NIOLockedValueBox(State())

    /// Makes a check that has asked nothing.
    ///
    /// - Parameters:
    ///   - probe: Asks the store; throws when there is no answer.
    ///   - now: The monotonic clock.
    init(
        probe: @escaping @Sendable () async throws(StoreError) -> Void,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.probe = probe
        self.now = now
    }

    /// Checks that the store answers; of those who ask together one asks the store.
    ///
    /// - Throws: ``StoreError`` when the store did not answer, within the last second.
    func check() async throws(StoreError) {
        let time = now()
        let task = state.withLockedValue { state in
            // A question that is under way is waited for, however long it takes: another one would wait as well.
            if let task = state.task, state.answeredAt.map({ $0.duration(to: time) < Self.lifetime }) ?? true {
                return task
            }
            let task = Task { await ask() }
            (state.task, state.answeredAt) = (task, nil)
            return task
        }
        try await task.value.get()
    }

    private func ask() async -> Answer {
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
