import CarillonEngine
import CarillonModel
import HTTPTypes

/// The problems of requests about accounts.
extension Problem {
    static func account(_ refusal: AccountRefusal) -> Problem {
        switch refusal {
        case .off, .signUpOff, .guestsOff, .insecure: .turnedOff(refusal)
        case .wrongNameOrPassword:
            Problem(code: "wrong-name-or-password", title: "The name or the password is wrong.", status: 403)
        case .wrongToken:
            Problem(
                code: "wrong-account-token",
                title: "Nobody is signed in with this token.",
                status: 401,
                detail: "It is missing, unknown, expired or ended: sign in again."
            )
        case .wrongActivation: Problem(EngineError.notFound(.account))
        case .blocked: Problem(code: "account-blocked", title: "The account is blocked.", status: 403)
        case .nameTaken, .userTaken, .userErased, .notGuest, .guest: .accountConflict(refusal)
        case .tooMany:
            .tooManyRequests("Too many attempts with this name or from this address, or too many guests of this App.")
        case .busy:
            Problem(
                code: "sign-ins-busy",
                title: "Too many passwords are being checked.",
                status: 503,
                detail: "Nothing was checked or kept; try again."
            )
        }
    }

    private static func turnedOff(_ refusal: AccountRefusal) -> Problem {
        switch refusal {
        case .signUpOff:
            Problem(code: "sign-up-off", title: "People do not sign up by themselves in this App.", status: 403)
        case .guestsOff: Problem(code: "guests-off", title: "The App has no guests.", status: 403)
        case .insecure:
            Problem(
                code: "tls-required",
                title: "The App takes passwords and account tokens only over TLS.",
                status: 403,
                detail: "Send the request to the https address."
            )
        default:
            Problem(
                code: "accounts-off",
                title: "The App has no accounts.",
                status: 403,
                detail: "An operator turns them on: PUT /v1/apps/{app}/accounts."
            )
        }
    }

    private static func accountConflict(_ refusal: AccountRefusal) -> Problem {
        switch refusal {
        case .nameTaken: Problem(code: "account-name-taken", title: "Another account has this name.", status: 409)
        case .userTaken: Problem(code: "account-exists", title: "The User has an account already.", status: 409)
        case .userErased:
            Problem(
                code: "user-being-erased",
                title: "The User's data are being erased.",
                status: 409,
                detail: "An account would be erased with them: create it later."
            )
        case .guest: Problem(code: "account-without-password", title: "A guest has no password.", status: 409)
        default:
            Problem(
                code: "account-has-password",
                title: "The account has a name and a password already.",
                status: 409
            )
        }
    }
}

extension EngineError {
    /// The header fields of the response.
    var headers: HTTPFields {
        switch self {
        // Rounded up: before that the next attempt would be one too many still.
        case .account(.tooMany(let wait)):
            [.retryAfter: String(max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)))]
        case .account(.wrongToken): [.wwwAuthenticate: Challenge.account]
        default: [:]
        }
    }
}
