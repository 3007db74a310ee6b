import NIOConcurrencyHelpers

/// The ports, once they are known.
final class Bound: Sendable {
    private struct State {
        var host = ""
        var port: Int?
        var controlPort: Int?
        var failure: (any Error)?
        var waiting: [CheckedContinuation<APNsSimulator.Addresses, any Error>] = []
    }

    private let state = NIOLockedValueBox(State())

    func set(port: Int, host: String) {
        update { state in
            state.port = port
            state.host = host
        }
    }

    func set(controlPort: Int) {
        update { $0.controlPort = controlPort }
    }

    /// Does nothing when the ports are known already.
    func fail(_ error: any Error) {
        update { $0.failure = error }
    }

    func addresses() async throws -> APNsSimulator.Addresses {
        try await withCheckedThrowingContinuation { continuation in
            update { $0.waiting.append(continuation) }
        }
    }

    // MARK: - Private

    private func update(_ change: (inout State) -> Void) {
        state.withLockedValue { state in
            change(&state)
            let result: Result<APNsSimulator.Addresses, any Error>
            if let port = state.port, let controlPort = state.controlPort {
                result = .success(.init(host: state.host, port: port, controlPort: controlPort))
            } else if let failure = state.failure {
                result = .failure(failure)
            } else {
                return
            }
            for waiting in state.waiting {
                waiting.resume(with: result)
            }
            state.waiting = []
        }
    }
}
