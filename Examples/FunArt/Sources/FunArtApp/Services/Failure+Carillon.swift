import Carillon
import CarillonAccounts

extension Failure {
    /// What the SDK's error means to the person.
    init(_ error: CarillonError) {
        switch error.code {
        case .userRequired: self.init(.signedOut)
        case .permissionDenied: self.init(.notificationsDenied)
        case .unreachable, .deadlineExceeded, .cancelled: self.init(.unreachable)
        // Too many attempts are the person's; an overloaded server is not.
        case .unavailable: self.init(error.problem?.status == 429 ? .tooManyAttempts : .unreachable)
        default: self.init(Self.reason(of: error), message: error.problem?.detail ?? "")
        }
    }

    private static func reason(of error: CarillonError) -> Reason {
        switch error.accountFailure {
        case .wrongNameOrPassword?: .wrongNameOrPassword
        case .nameTaken?: .nameTaken
        case .invalidName?: .invalidName
        case .invalidPassword?: .invalidPassword
        case .signedOut?, .notSignedIn?: .signedOut
        default: .refused
        }
    }
}
