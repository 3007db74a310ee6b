/// The screen for signing in and up.
public struct SignInState: Hashable, Sendable {
    /// Which of the two.
    public enum Mode: Hashable, Sendable {
        /// An account is there.
        case signIn
        /// An account is made.
        case signUp
    }

    /// Why nothing came of it.
    public enum Problem: Hashable, Sendable {
        /// A field is empty.
        case emptyField
        /// The second password is not the first one.
        case differentPasswords
        /// The server refused, or could not be reached.
        case failure(Failure)
    }

    /// Which of the two.
    public var mode = Mode.signIn
    /// The name.
    public var name = ""
    /// The password.
    public var password = ""
    /// The password once more, for signing up.
    public var passwordAgain = ""
    /// Whether the server is asked: fields and button are disabled.
    public internal(set) var isWaiting = false
    /// Shown in an alert.
    public var problem: Problem?
}

/// Signs people in and up.
@MainActor
public final class SignInModel: Screen<SignInState> {
    private let didSignIn: @MainActor (Person) -> Void

    init(_ services: Services, didSignIn: @escaping @MainActor (Person) -> Void) {
        self.didSignIn = didSignIn
        super.init(SignInState(), services, onSignedOut: {})
    }

    /// Changes a field, or the mode.
    ///
    /// - Parameter change: The change; ignored while the server is asked.
    public func edit(_ change: (inout SignInState) -> Void) {
        guard !state.isWaiting else { return }
        var new = state
        change(&new)
        new.isWaiting = false
        state = new
    }

    /// The person presses the button.
    public func submit() async {
        guard !state.isWaiting else { return }
        state.problem = Self.problem(in: state)
        guard state.problem == nil else { return }
        state.isWaiting = true
        let (mode, name, password) = (state.mode, state.name, state.password)
        let result = await attempt { () async throws(Failure) -> Person in
            switch mode {
            case .signIn: return try await services.accounts.signIn(name: name, password: password)
            case .signUp: return try await services.accounts.signUp(name: name, password: password)
            }
        }
        state.isWaiting = false
        switch result {
        case .success(let person):
            // Nobody who gets hold of the phone sees the password on the screen.
            (state.password, state.passwordAgain) = ("", "")
            didSignIn(person)
        case .failure(let failure): state.problem = .failure(failure)
        }
    }

    private static func problem(in state: SignInState) -> SignInState.Problem? {
        if state.name.isEmpty || state.password.isEmpty { return .emptyField }
        guard state.mode == .signUp else { return nil }
        if state.passwordAgain.isEmpty { return .emptyField }
        return state.passwordAgain == state.password ? nil : .differentPasswords
    }
}
