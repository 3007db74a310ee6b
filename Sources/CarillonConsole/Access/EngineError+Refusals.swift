import CarillonEngine
import CarillonOperatorModel

// Patterns such as `catch EngineError.notFound`, without the payload of a typed error, fail an assertion of Swift 6.3's compiler.
extension EngineError {
    /// Whether something was not found.
    var isNotFound: Bool {
        guard case .notFound = self else { return false }
        return true
    }

    /// Whether the object's state does not allow it.
    var isConflict: Bool {
        guard case .conflict = self else { return false }
        return true
    }

    /// Whether a field has a value that only the engine can check.
    var isInvalid: Bool {
        guard case .invalid = self else { return false }
        return true
    }

    /// Why an Operator is refused; `nil` for another error.
    private var refusal: OperatorRefusal? {
        guard case .operators(let refusal) = self else { return nil }
        return refusal
    }

    /// Whether a name, a password or a code is wrong.
    var isWrongCredentials: Bool {
        guard case .wrongCredentials? = refusal else { return false }
        return true
    }

    /// Whose password or code is wrong; `nil` when nobody has the name.
    var wrongOperator: OperatorID? {
        guard case .wrongCredentials(let id)? = refusal else { return nil }
        return id
    }

    /// Whether the session has ended, or a sealed secret is of another one.
    var hasNoSession: Bool { refusal == .noSession }
    /// Whether the last password or code is too old.
    var needsFreshAuthentication: Bool { refusal == .freshAuthenticationRequired }
    /// Whether another Operator has the address.
    var isAddressTaken: Bool { refusal == .addressTaken }
}
