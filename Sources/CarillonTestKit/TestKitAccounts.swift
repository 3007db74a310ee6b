import Carillon
import CarillonAccountModel
import CarillonModel
import Foundation

/// The accounts of the App.
struct TestKitAccounts: Sendable {
    /// An account, with the password as it is: it is a test's.
    struct Record: Sendable {
        var account: Account
        var password: String?
        var tokens: [String] = []
        var isBlocked = false
    }

    var isOn = false
    var allowsSignUp = true
    var allowsGuests = false
    private(set) var records: [UserID: Record] = [:]
    private var made = 0

    /// How long a token is valid, in milliseconds: 60 days.
    private static let tokenTime: Int64 = 60 * 86_400_000

    // MARK: - What requests do

    mutating func signUp(_ request: SignUpRequest, at now: Timestamp) throws(Problem) -> AccountSession {
        guard allowsSignUp else { throw .signUpOff }
        try check(request)
        let account = Account(user: nextUser(), name: request.name, displayName: request.shown, createdAt: now)
        records[account.user] = Record(account: account, password: request.password)
        return begin(account.user, at: now)
    }

    mutating func signUpGuest(at now: Timestamp) throws(Problem) -> AccountSession {
        guard allowsGuests else { throw .guestsOff }
        let account = Account(user: nextUser(), name: nil, displayName: "Guest", createdAt: now)
        records[account.user] = Record(account: account)
        return begin(account.user, at: now)
    }

    mutating func signIn(_ request: SignInRequest, at now: Timestamp) throws(Problem) -> AccountSession {
        guard let found = record(named: request.name), found.password == request.password else {
            throw .wrongNameOrPassword
        }
        guard !found.isBlocked else { throw .accountBlocked }
        return begin(found.account.user, at: now)
    }

    func session(of token: String?, at now: Timestamp) throws(Problem) -> AccountSession {
        session(try record(of: token).account, token: nil, at: now)
    }

    mutating func signOut(_ token: String?) {
        for user in records.keys { records[user]?.tokens.removeAll { $0 == token } }
    }

    mutating func changePassword(
        _ change: PasswordChange,
        _ token: String?,
        at now: Timestamp
    ) throws(Problem) -> AccountSession {
        var found = try record(of: token)
        guard let name = found.account.name else { throw .accountWithoutPassword }
        guard change.newPassword != name else { throw .invalidField("newPassword", Self.isName) }
        guard found.password == change.oldPassword else { throw .wrongNameOrPassword }
        found.password = change.newPassword
        found.tokens.removeAll { $0 != token }
        records[found.account.user] = found
        return session(found.account, token: nil, at: now)
    }

    mutating func setCredentials(
        _ request: SignUpRequest,
        _ token: String?,
        at now: Timestamp
    ) throws(Problem) -> AccountSession {
        var found = try record(of: token)
        guard allowsSignUp else { throw .signUpOff }
        guard found.account.name == nil else { throw .accountHasPassword }
        try check(request)
        found.account = Account(
            user: found.account.user,
            name: request.name,
            displayName: request.shown,
            createdAt: found.account.createdAt
        )
        found.password = request.password
        records[found.account.user] = found
        return session(found.account, token: nil, at: now)
    }

    /// - Returns: The user that is to be erased.
    mutating func delete(_ deletion: AccountDeletion, _ token: String?) throws(Problem) -> UserID {
        let found = try record(of: token)
        if let password = found.password {
            guard let given = deletion.password else { throw .invalidField("password", "is required") }
            guard given == password else { throw .wrongNameOrPassword }
        }
        records[found.account.user] = nil
        return found.account.user
    }

    // MARK: - What a test does

    mutating func endSessions(of user: UserID) { records[user]?.tokens = [] }

    mutating func setBlocked(_ isBlocked: Bool, _ user: UserID) {
        records[user]?.isBlocked = isBlocked
        if isBlocked { endSessions(of: user) }
    }

    mutating func remove(_ user: UserID) { records[user] = nil }

    // MARK: - Private

    private static let isName = "must not be the name, or empty"

    private func check(_ request: SignUpRequest) throws(Problem) {
        let ends = [request.name.first, request.name.last]
        guard !ends.contains(where: { $0?.isWhitespace == true }) else {
            throw .invalidField("name", "must not begin or end with a space")
        }
        guard request.password != request.name else { throw .invalidField("password", Self.isName) }
        guard record(named: request.name) == nil else { throw .accountNameTaken }
    }

    private func record(named name: String) -> Record? {
        records.values.first { $0.account.name.map(Self.key) == Self.key(name) }
    }

    private func record(of token: String?) throws(Problem) -> Record {
        guard let token, let found = records.values.first(where: { $0.tokens.contains(token) }) else {
            throw .wrongAccountToken
        }
        return found
    }

    /// Names that differ in case or width are one.
    private static func key(_ name: String) -> String { name.precomposedStringWithCompatibilityMapping.lowercased() }

    private mutating func nextUser() -> UserID {
        made += 1
        guard let user = UserID(rawValue: "acc_test-kit-\(made)") else { preconditionFailure("the id is one") }
        return user
    }

    private mutating func begin(_ user: UserID, at now: Timestamp) -> AccountSession {
        made += 1
        let number = String(made)
        let token = "at_" + String(repeating: "0", count: 43 - number.count) + number
        guard var record = records[user] else { preconditionFailure("the account is there") }
        record.tokens.append(token)
        records[user] = record
        return session(record.account, token: token, at: now)
    }

    private func session(_ account: Account, token: String?, at now: Timestamp) -> AccountSession {
        AccountSession(
            account: account,
            token: token,
            expiresAt: Timestamp(rawValue: now.rawValue + Self.tokenTime),
            // Its users need no proof: it is not checked.
            userProof: UserProof(expires: now.rawValue / 1_000 + 3_600, signature: String(repeating: "p", count: 43))
        )
    }
}

extension SignUpRequest {
    /// The name that others see: the chosen one, or what stands before `@` and there before the first dot.
    fileprivate var shown: String {
        if let displayName { return displayName }
        guard name.contains("@") else { return String(name.prefix(AccountLimits.displayNames.upperBound)) }
        let part = name.split(separator: "@", omittingEmptySubsequences: false).first?.split(separator: ".").first
        return String((part ?? Substring(name)).prefix(AccountLimits.displayNames.upperBound))
    }
}

extension Problem {
    fileprivate static let signUpOff = account("sign-up-off", 403)
    fileprivate static let guestsOff = account("guests-off", 403)
    fileprivate static let wrongNameOrPassword = account("wrong-name-or-password", 403)
    fileprivate static let accountBlocked = account("account-blocked", 403)
    fileprivate static let wrongAccountToken = account("wrong-account-token", 401)
    fileprivate static let accountNameTaken = account("account-name-taken", 409)
    fileprivate static let accountHasPassword = account("account-has-password", 409)
    fileprivate static let accountWithoutPassword = account("account-without-password", 409)
    static let accountsOff = account("accounts-off", 403)

    private static func account(_ code: String, _ status: Int) -> Problem {
        Problem(code: code, title: "The account's call is refused.", status: status)
    }
}
