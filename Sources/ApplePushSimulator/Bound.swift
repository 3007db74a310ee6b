import NIOConcurrencyHelpers

/// The ports, available once all are open.
final class Bound: Sendable {
    private struct State {
        var host = ""
        var ports: [String: Int] = [:]
        var port: Int?
        var controlPort: Int?
        var failure: (any Error)?
        var waiting: [CheckedContinuation<APNsSimulator.Addresses, any Error>] = []
    }

    private let state = NIOLockedValueBox(State())

    /// Sets the ports in the listeners' order.
    func set(ports: [Int], of configuration: SimulatorConfiguration) {
        update { state in
            state.host = configuration.host
            state.port = ports.first
            state.ports = Dictionary(zip(configuration.listeners.map(\.name), ports)) { first, _ in first }
        }
    }

    func set(controlPort: Int) {
        update { $0.controlPort = controlPort }
    }

    /// Has no effect when the ports are known.
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
                result = .success(
                    .init(host: state.host, port: port, ports: state.ports, controlPort: controlPort)
                )
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
