/// A screen: a state that a view draws, and what the person can do on it.
@MainActor
public class Screen<State: Hashable & Sendable> {
    /// What is on the screen.
    public internal(set) var state: State {
        didSet { if state != oldValue { onChange?(state) } }
    }

    /// Receives each new state.
    public var onChange: (@MainActor (State) -> Void)?
    /// What the screen needs of the world.
    let services: Services
    private let onSignedOut: @MainActor () -> Void

    init(_ state: State, _ services: Services, onSignedOut: @escaping @MainActor () -> Void) {
        self.state = state
        self.services = services
        self.onSignedOut = onSignedOut
    }

    /// Runs a call.
    ///
    /// - Returns: Its result, or why it failed; when nobody is signed in any more, the app knows it after that.
    func attempt<Value: Sendable>(
        _ body: @MainActor () async throws(Failure) -> Value
    ) async -> Result<Value, Failure> {
        do throws(Failure) {
            return .success(try await body())
        } catch {
            if error.reason == .signedOut { onSignedOut() }
            return .failure(error)
        }
    }
}
