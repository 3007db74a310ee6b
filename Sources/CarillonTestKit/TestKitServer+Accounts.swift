import Carillon
public import CarillonAccountModel
public import CarillonModel
import Foundation

// MARK: - What a test sets and looks at

extension TestKitServer {
    /// Whether people can sign in; false unless set, as in a new App.
    public var hasAccounts: Bool {
        get { with(\.accounts.isOn) }
        set { with { $0.accounts.isOn = newValue } }
    }

    /// Whether people sign up by themselves; true unless set.
    public var allowsSignUp: Bool {
        get { with(\.accounts.allowsSignUp) }
        set { with { $0.accounts.allowsSignUp = newValue } }
    }

    /// Whether people may have an account without a name and a password; false unless set.
    public var allowsGuests: Bool {
        get { with(\.accounts.allowsGuests) }
        set { with { $0.accounts.allowsGuests = newValue } }
    }

    /// All accounts, by their ids.
    public var accounts: [UserID: Account] { with { $0.accounts.records.mapValues(\.account) } }

    /// Ends all sessions of an account, as a new password on another phone does.
    public func endSessions(of user: UserID) { with { $0.accounts.endSessions(of: user) } }

    /// Blocks an account or lifts the block, as an operator does; blocking ends its sessions.
    public func setBlocked(_ isBlocked: Bool, _ user: UserID) { with { $0.accounts.setBlocked(isBlocked, user) } }
}

// MARK: - What requests do

extension TestKitServer {
    /// The methods of each path below `/v1/accounts`.
    static let accountMethods: [String: String] = [
        "sign-up": "POST", "sign-in": "POST", "guest": "POST", "me": "GET", "me/sign-out": "POST",
        "me/password": "PUT", "me/credentials": "PUT", "me/delete": "POST",
    ]

    /// Answers a request about accounts; the body is read before the rules are looked at, as by the server.
    func answerAccounts(_ path: String, _ request: TransportRequest) throws -> TransportAnswer {
        let (body, now) = (TestKitBody(request), now())
        let token = request.headers["Carillon-Account-Token"]
        switch path {
        case "sign-up":
            let wanted: SignUpRequest = try body.decoded()
            return try change(201) { try $0.signUp(wanted, at: now) }
        case "sign-in":
            let wanted: SignInRequest = try body.decoded()
            return try change { try $0.signIn(wanted, at: now) }
        case "guest": return try change(201) { try $0.signUpGuest(at: now) }
        case "me": return try change { try $0.session(of: token, at: now) }
        case "me/sign-out":
            with { $0.accounts.signOut(token) }
            return TransportAnswer(status: 204)
        case "me/password":
            let wanted: PasswordChange = try body.decoded()
            return try change { try $0.changePassword(wanted, token, at: now) }
        case "me/credentials":
            let wanted: SignUpRequest = try body.decoded()
            return try change { try $0.setCredentials(wanted, token, at: now) }
        default:
            let wanted: AccountDeletion = try body.decoded()
            return try with { state in
                guard state.accounts.isOn else { throw Problem.accountsOff }
                state.erase(try state.accounts.delete(wanted, token))
                return TransportAnswer(status: 204)
            }
        }
    }

    private func change(
        _ status: Int = 200,
        _ body: (inout TestKitAccounts) throws -> AccountSession
    ) throws -> TransportAnswer {
        try with { state in
            guard state.accounts.isOn else { throw Problem.accountsOff }
            return .json(try body(&state.accounts), status: status)
        }
    }
}

extension TestKitServer.State {
    /// Erases a user with all their Devices.
    fileprivate mutating func erase(_ user: UserID) {
        devices = devices.filter { $0.value.registration.user != user }
        tags[user] = nil
        attributes[user] = nil
        content.forget(user)
    }
}
