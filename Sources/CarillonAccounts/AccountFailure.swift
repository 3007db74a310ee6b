public import Carillon
import CarillonModel

/// Why a call about an account failed, and what to do.
///
/// ```swift
/// do {
///     try await carillon.account.signIn(name: name, password: password)
/// } catch {
///     switch error.accountFailure {
///     case .wrongNameOrPassword?: show("The name or the password is wrong.")
///     case .tryLater?: show("Please try again later.")
///     default: log(error)
///     }
/// }
/// ```
///
/// New failures may be added.
public struct AccountFailure: RawRepresentable, Hashable, Sendable {
    /// The server's code of it, or one of the SDK's own.
    public let rawValue: String

    /// Wraps a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no such account, or the password is wrong; which one is not said.
    public static let wrongNameOrPassword = AccountFailure(rawValue: "wrong-name-or-password")
    /// An operator blocked the account.
    public static let accountBlocked = AccountFailure(rawValue: "account-blocked")
    /// Another account has the name.
    public static let nameTaken = AccountFailure(rawValue: "account-name-taken")
    /// The name is too long or has characters that a name may not have.
    public static let invalidName = AccountFailure(rawValue: "invalid-name")
    /// The password is too short or too long, or is the name.
    public static let invalidPassword = AccountFailure(rawValue: "invalid-password")
    /// The name that others see is too long or has characters that it may not have.
    public static let invalidDisplayName = AccountFailure(rawValue: "invalid-display-name")
    /// The account has a name and a password already.
    public static let hasPassword = AccountFailure(rawValue: "account-has-password")
    /// A guest has no password.
    public static let withoutPassword = AccountFailure(rawValue: "account-without-password")
    /// Nobody is signed in.
    public static let notSignedIn = AccountFailure(rawValue: "not-signed-in")
    /// The token has ended, as by a new password on another phone: nobody is signed in any more.
    public static let signedOut = AccountFailure(rawValue: "wrong-account-token")
    /// There were too many attempts, or the server is overloaded; `CarillonError.retryAfter` may have the seconds to wait.
    public static let tryLater = AccountFailure(rawValue: "try-later")
    /// The App has no accounts.
    public static let accountsOff = AccountFailure(rawValue: "accounts-off")
    /// People do not sign up by themselves in the App.
    public static let signUpOff = AccountFailure(rawValue: "sign-up-off")
    /// The App has no guests.
    public static let guestsOff = AccountFailure(rawValue: "guests-off")
    /// The App takes passwords only over TLS.
    public static let tlsRequired = AccountFailure(rawValue: "tls-required")

    /// Who can do something about a failure; new ones may be added.
    public struct Remedy: RawRepresentable, Hashable, Sendable {
        /// The remedy's name.
        public let rawValue: String

        /// Wraps a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The person: ask for other input.
        public static let askPerson = Remedy(rawValue: "askPerson")
        /// The person: show the screen to sign in.
        public static let signIn = Remedy(rawValue: "signIn")
        /// Nobody: the same call may succeed later.
        public static let wait = Remedy(rawValue: "wait")
        /// The App's operators, by its settings.
        public static let askOperator = Remedy(rawValue: "askOperator")
        /// The app's developers: the call does not fit the account.
        public static let changeApp = Remedy(rawValue: "changeApp")
    }
}

extension AccountFailure {
    /// Who can do something about it.
    public var remedy: Remedy {
        switch self {
        case .wrongNameOrPassword, .nameTaken, .invalidName, .invalidPassword, .invalidDisplayName: .askPerson
        case .notSignedIn, .signedOut: .signIn
        case .tryLater: .wait
        case .accountBlocked, .accountsOff, .signUpOff, .guestsOff: .askOperator
        default: .changeApp
        }
    }

    /// What to do, for developers and their logs, in English: what an app shows to people is its own text.
    public var advice: String {
        switch self {
        case .wrongNameOrPassword: "Ask for name and password again, and do not say which of them is wrong."
        case .accountBlocked: "Tell the person whom to ask: an operator unblocks the account."
        case .nameTaken: "Ask for another name, or offer to sign in."
        case .invalidName:
            "Ask for a name of 1 through 128 characters, without spaces at its ends, in letters of one script."
        case .invalidPassword: "Ask for a password of 8 through 256 characters that is not the name."
        case .invalidDisplayName: "Ask for 1 through 64 characters."
        case .hasPassword: "Only a guest chooses a name and a password: call changePassword(from:to:) instead."
        case .withoutPassword: "A guest has no password yet: call setCredentials(name:password:) first."
        case .notSignedIn: "Call signIn, signUp or signInAsGuest first."
        case .signedOut: "Show the screen to sign in."
        case .tryLater: "Try again after retryAfter seconds, or later."
        case .accountsOff: "An operator turns accounts on: carillon apps accounts set --set isOn=true."
        case .signUpOff: "Only operators create accounts in this App: hide the screen to sign up."
        case .guestsOff: "An operator allows guests: carillon apps accounts set --set guests=true."
        case .tlsRequired: "Use the server's https address."
        default: "Read the problem's detail."
        }
    }
}

extension AccountFailure: CustomStringConvertible {
    /// The code and what to do.
    public var description: String { "\(rawValue): \(advice)" }
}

extension CarillonError {
    /// Which failure of an account it is; `nil` for what has to do with none, as when there is no network.
    public var accountFailure: AccountFailure? {
        switch code {
        case .userRequired: return .notSignedIn
        case .unavailable: return .tryLater
        case .invalidArgument where detail.hasPrefix("a password "): return .invalidPassword
        case .invalidArgument where detail.hasPrefix("a name "): return .invalidName
        case .refused: break
        default: return nil
        }
        guard let problem else { return nil }
        if problem.code == "invalid-field" { return problem.errors?.first.flatMap { Self.invalid($0.field) } }
        return AccountFailure.ofServer.contains(problem.code) ? AccountFailure(rawValue: problem.code) : nil
    }

    private static func invalid(_ field: String) -> AccountFailure? {
        switch field {
        case "name": .invalidName
        case "password", "oldPassword", "newPassword": .invalidPassword
        case "displayName": .invalidDisplayName
        default: nil
        }
    }
}

extension AccountFailure {
    /// Codes of the server's problems.
    fileprivate static let ofServer: Set<String> = Set(
        [
            AccountFailure.wrongNameOrPassword, .accountBlocked, .nameTaken, .hasPassword, .withoutPassword, .signedOut,
            .accountsOff, .signUpOff, .guestsOff, .tlsRequired,
        ].map(\.rawValue)
    )
}
