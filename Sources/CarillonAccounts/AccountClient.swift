public import Carillon
public import CarillonAccountModel
import CarillonModel
import Foundation

/// The person's account: signs people up, in and out at the Carillon server, and makes this phone theirs.
///
/// The person who is signed in is the user of the Device: messages to that user reach this phone. The token is in the keychain
/// and stays valid over restarts.
///
/// ```swift
/// let account = try await carillon.account.signIn(name: "alice@example.com", password: password)
/// print(account.displayName)
/// ```
///
/// The App's accounts have to be on: `carillon apps accounts set --set isOn=true`.
public struct AccountClient: Sendable {
    private let client: CarillonClient

    init(client: CarillonClient) { self.client = client }

    /// The account of the person who is signed in, as the server described it last; `nil` when nobody is.
    ///
    /// It needs no network.
    ///
    /// - Throws: `CarillonError`: `storage` when the keychain cannot be read, as before the phone's first unlock.
    public var current: Account? {
        get throws(CarillonError) { try storage.account() }
    }

    // MARK: - Signing up and in

    /// Creates an account and signs the person in.
    ///
    /// - Parameters:
    ///   - name: The name that the person signs in with, such as an e-mail address: 1 through 128 characters.
    ///   - password: The password: 8 through 256 characters.
    ///   - displayName: The name that others see, 1 through 64 characters; `nil`: the name's part before `@`.
    /// - Returns: The account.
    /// - Throws: `CarillonError`; `refused` with the problem's code `account-name-taken` when another account has the name, or
    ///   `invalid-field`.
    @discardableResult
    public func signUp(
        name: String,
        password: String,
        displayName: String? = nil
    ) async throws(CarillonError) -> Account {
        try check(name, password, AccountLimits.newPasswords)
        let body = SignUpRequest(name: name, password: password, displayName: displayName)
        return try await begin(try await send("POST", "sign-up", body))
    }

    /// Signs a person in, in place of anybody who is signed in.
    ///
    /// - Parameters:
    ///   - name: The account's name.
    ///   - password: The password.
    /// - Returns: The account.
    /// - Throws: `CarillonError`; `refused` with the problem's code `wrong-name-or-password`, or `account-blocked`;
    ///   `unavailable` with `retryAfter` after too many attempts. Who was signed in stays so.
    @discardableResult
    public func signIn(name: String, password: String) async throws(CarillonError) -> Account {
        try check(name, password, AccountLimits.passwords)
        return try await begin(try await send("POST", "sign-in", SignInRequest(name: name, password: password)))
    }

    /// Signs the person in as a guest, who may choose a name and a password later.
    ///
    /// Who is signed in already stays so, also when the server cannot be asked; who was, and whose token has ended, as that of
    /// a guest whom nobody used for long, becomes another guest.
    ///
    /// - Returns: The account.
    /// - Throws: `CarillonError`; `refused` with the problem's code `guests-off` when the App has no guests.
    @discardableResult
    public func signInAsGuest() async throws(CarillonError) -> Account {
        if let account = try await knownAccount() { return account }
        return try await begin(try await send("POST", "guest", Nothing?.none))
    }

    // MARK: - The person who is signed in

    /// Asks the server who is signed in; call it at launch and when the app comes to the foreground.
    ///
    /// It renews the token when that is due. When the token has ended, as by a new password on another phone, nobody is signed
    /// in afterwards.
    ///
    /// - Returns: The account; `nil` when nobody is signed in.
    /// - Throws: `CarillonError` when the server cannot be asked: who is signed in stays so.
    @discardableResult
    public func refresh() async throws(CarillonError) -> Account? {
        guard let token = try storage.token() else { return nil }
        do throws(CarillonError) {
            let session = try await send("GET", "me", Nothing?.none, token: token)
            guard try keep(session, of: token) else { return try current }
            if try await client.lastRegistration?.registration.user != session.account.user { await claim(session) }
            return session.account
        } catch {
            guard error.isSignedOut else { throw error }
            try await forget(token)
            return nil
        }
    }

    /// Changes the password; other phones of the person are signed out.
    ///
    /// - Parameters:
    ///   - old: The password so far.
    ///   - new: The new one: 8 through 256 characters.
    /// - Throws: `CarillonError`; `refused` with the problem's code `wrong-name-or-password`, `userRequired` when nobody is
    ///   signed in.
    public func changePassword(from old: String, to new: String) async throws(CarillonError) {
        try check("name", old, AccountLimits.passwords)
        try check("name", new, AccountLimits.newPasswords)
        try await sendAsPerson("PUT", "me/password", PasswordChange(oldPassword: old, newPassword: new))
    }

    /// Gives a guest a name and a password; the account and what was sent to it stay.
    ///
    /// - Parameters:
    ///   - name: The name that the person signs in with: 1 through 128 characters.
    ///   - password: The password: 8 through 256 characters.
    ///   - displayName: The name that others see, 1 through 64 characters; `nil`: the name's part before `@`.
    /// - Returns: The account.
    /// - Throws: `CarillonError`; `refused` with the problem's code `account-name-taken` or `account-has-password`,
    ///   `userRequired` when nobody is signed in.
    @discardableResult
    public func setCredentials(
        name: String,
        password: String,
        displayName: String? = nil
    ) async throws(CarillonError) -> Account {
        try check(name, password, AccountLimits.newPasswords)
        let body = SignUpRequest(name: name, password: password, displayName: displayName)
        return try await sendAsPerson("PUT", "me/credentials", body).account
    }

    /// Signs the person out.
    ///
    /// On the phone it takes effect at once, without a network too: the token is deleted, and the Device has no user any more,
    /// which the server is told as soon as it can be reached. Then the token ends on the server; when that cannot be reached
    /// now, the token ends by its age.
    ///
    /// - Throws: `CarillonError`: `storage` when the keychain refuses; the person is signed in still.
    public func signOut() async throws(CarillonError) {
        guard let token = try storage.end() else { return }
        try? await client.setUser(nil)
        await end(token)
    }

    /// Deletes the account, and all data of the person on the server.
    ///
    /// - Parameter password: The password; `nil` for a guest, who has none.
    /// - Throws: `CarillonError`; `refused` with the problem's code `wrong-name-or-password`, `userRequired` when nobody is
    ///   signed in.
    public func delete(password: String?) async throws(CarillonError) {
        guard let token = try storage.token() else { throw .userRequired }
        do throws(CarillonError) {
            _ = try await sendData("POST", "me/delete", AccountDeletion(password: password), token: token)
        } catch {
            if error.isSignedOut { try await forget(token) }
            throw error
        }
        try await forget(token)
    }

    // MARK: - Private

    private var storage: AccountStorage {
        get throws(CarillonError) { try AccountStorage(client.configuration) }
    }

    /// Who is signed in: as the server says it, or as far as the phone knows when that does not answer.
    private func knownAccount() async throws(CarillonError) -> Account? {
        do throws(CarillonError) {
            return try await refresh()
        } catch {
            guard error.code == .unreachable || error.code == .unavailable, let account = try current else {
                throw error
            }
            return account
        }
    }

    private func check(_ name: String, _ password: String, _ lengths: ClosedRange<Int>) throws(CarillonError) {
        guard AccountLimits.names.contains(name.count) else {
            throw .invalidArgument("a name has 1 through \(AccountLimits.names.upperBound) characters")
        }
        if let problem = AccountLimits.problem(ofPassword: password, lengths) {
            throw .invalidArgument("a password \(problem)")
        }
    }

    /// Keeps who signed in, and makes the phone theirs.
    private func begin(_ session: AccountSession) async throws(CarillonError) -> Account {
        guard let token = session.token else { throw .unreachable(.badAnswer) }
        let former: String?
        do throws(CarillonError) {
            former = try storage.begin(session.account, token: token)
        } catch {
            // Nobody would ever end this session.
            await end(token)
            throw error
        }
        await claim(session)
        if let former { await end(former) }
        return session.account
    }

    /// Registers the Device as the person's; without a network it is saved and done later.
    private func claim(_ session: AccountSession) async {
        try? await client.setUser(session.account.user, proof: session.userProof)
    }

    private func keep(_ session: AccountSession, of token: String) throws(CarillonError) -> Bool {
        try storage.update(session.account, renewed: session.token, of: token)
    }

    /// Nobody is signed in with the token any more.
    private func forget(_ token: String) async throws(CarillonError) {
        guard try storage.end(token) != nil else { return }
        try? await client.setUser(nil)
    }

    /// Ends a token on the server, if that can be reached.
    private func end(_ token: String) async {
        _ = try? await sendData("POST", "me/sign-out", Nothing?.none, token: token)
    }

    @discardableResult
    private func sendAsPerson(
        _ method: String,
        _ path: String,
        _ body: some Encodable
    ) async throws(CarillonError) -> AccountSession {
        guard let token = try storage.token() else { throw .userRequired }
        do throws(CarillonError) {
            let session = try await send(method, path, body, token: token)
            _ = try keep(session, of: token)
            return session
        } catch {
            if error.isSignedOut { try await forget(token) }
            throw error
        }
    }

    private func send(
        _ method: String,
        _ path: String,
        _ body: (some Encodable)?,
        token: String? = nil
    ) async throws(CarillonError) -> AccountSession {
        let data = try await sendData(method, path, body, token: token)
        guard let session = try? JSONDecoder().decode(AccountSession.self, from: data) else {
            throw .unreachable(.badAnswer)
        }
        return session
    }

    private func sendData(
        _ method: String,
        _ path: String,
        _ body: (some Encodable)?,
        token: String? = nil
    ) async throws(CarillonError) -> Data {
        let content = body.flatMap { try? JSONEncoder().encode($0) }
        let headers = token.map { ["Carillon-Account-Token": $0] } ?? [:]
        return try await client.request(method, "v1/accounts/" + path, headers: headers, body: content)
    }
}

/// The body of a request without one.
private struct Nothing: Encodable {}

extension CarillonError {
    /// Whether the server knows nobody by the token.
    fileprivate var isSignedOut: Bool { problem?.code == "wrong-account-token" }
}
