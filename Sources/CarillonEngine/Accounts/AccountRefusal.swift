/// Why a request about an account is refused.
package enum AccountRefusal: Hashable, Sendable {
    /// The App has no accounts.
    case off
    /// People do not sign up by themselves in the App.
    case signUpOff
    /// The App has no guests.
    case guestsOff
    /// The App takes passwords and tokens only over TLS.
    case insecure
    /// There is no such account, or the password is wrong: which one is not said.
    case wrongNameOrPassword
    /// The token is unknown, expired or ended, or there is none.
    case wrongToken
    /// The sign-up to be completed is unknown, expired or completed already.
    case wrongActivation
    /// An operator blocked the account.
    case blocked
    /// Another account has the name.
    case nameTaken
    /// The User has an account already.
    case userTaken
    /// The data of the User are being erased, and an account would be erased with them.
    case userErased
    /// The account has a name and a password already.
    case notGuest
    /// A guest has no password.
    case guest
    /// Too many attempts; another one is possible after the time.
    case tooMany(retryAfter: Duration)
    /// Too many passwords are being hashed on this node.
    case busy
}
