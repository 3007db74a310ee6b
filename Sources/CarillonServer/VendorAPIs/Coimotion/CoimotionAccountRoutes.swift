import CarillonAccountModel
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// People's accounts: `core/user`.
///
/// Passwords arrive salted by the vendor's SDKs; one that is not is salted here, as by those of before March 2014.
struct CoimotionAccountRoutes: Sendable {
    let accounts: Accounts
    let access: CoimotionAccess

    func declare(_ routes: inout Routes) {
        let user = CoimotionPath.root + "core/user/"
        routes.onBoth("core/user/profile", access, profile)
        // A password or a token in a URL ends in logs of proxies, so these have no GET.
        routes.on(.post, user + "login", access, login)
        routes.on(.post, user + "register", access, register)
        routes.on(.post, user + "activate/{id}", access, activate)
        routes.on(.post, user + "logout", access, logout)
        routes.on(.post, user + "updPasswd", access, updatePassword)
    }

    @Sendable private func profile(_ call: CoimotionCall) async throws -> Response {
        let session = try await call.session(accounts)
        guard let person = session.person else {
            let guest: [String: JSONValue] = ["dspName": .string(call.settings.guestName), "isGuest": .integer(1)]
            return try CoimotionAnswer.success(guest, token: session.token)
        }
        return try CoimotionAnswer.success(
            [
                "dspName": .string(person.account.displayName),
                "isGuest": .integer(person.account.isGuest ? 1 : 0),
                // What an app needs to get pushes as this person, which the vendor did not have.
                "userID": .string(person.account.user.rawValue),
                "userProof": .object([
                    "expires": .integer(person.userProof.expires), "signature": .string(person.userProof.signature),
                ]),
            ],
            token: session.token
        )
    }

    @Sendable private func login(_ call: CoimotionCall) async throws -> Response {
        let name = try call.account(1)
        let password = try call.password("passwd", 2)
        let session = try await accounts.signIn(name, password, by: call.caller)
        return try CoimotionAnswer.success(token: session.token, message: "Login Ok.")
    }

    @Sendable private func register(_ call: CoimotionCall) async throws -> Response {
        let name = try call.account(1)
        let password = try call.password("passwd", 2)
        guard try call.password("passwd2", 3) == password else {
            throw CoimotionFailure(3, 422, "passwd2 is not passwd.")
        }
        let credentials = AccountCredentials(
            name: name,
            password: password,
            displayName: try call.parameters.text("dspName")
        )
        do {
            let activation = try await accounts.register(credentials, by: call.caller)
            return try CoimotionAnswer.success(["actID": .string(activation)])
        } catch EngineError.invalid(let error) {
            throw CoimotionFailure(invalid: error)
        }
    }

    @Sendable private func activate(_ call: CoimotionCall) async throws -> Response {
        try CoimotionAnswer.success(token: try await accounts.activate(call.id, by: call.caller).token)
    }

    @Sendable private func logout(_ call: CoimotionCall) async throws -> Response {
        // A token that ended already is what the caller wants.
        if let token = try call.parameters.token() { try await accounts.signOut(token, app: call.app) }
        return try CoimotionAnswer.success()
    }

    @Sendable private func updatePassword(_ call: CoimotionCall) async throws -> Response {
        let token = try call.parameters.token()
        // Who is nobody hears that first, and not what is wrong with the passwords.
        guard token != nil else { throw CoimotionFailure(any: EngineError.account(.wrongToken)) }
        let (old, new) = (try call.password("oldPasswd", 1), try call.password("passwd", 2))
        guard try call.password("passwd2", 3) == new else { throw CoimotionFailure(3, 422, "passwd2 is not passwd.") }
        do {
            let session = try await accounts.changePassword(from: old, to: new, token: token, by: call.caller)
            return try CoimotionAnswer.success(token: session.token)
        } catch EngineError.account(.wrongToken) {
            var failure = CoimotionFailure(any: EngineError.account(.wrongToken))
            failure.token = ""
            throw failure
        } catch EngineError.account(.wrongNameOrPassword) {
            throw CoimotionFailure(4, 403, "oldPasswd is wrong.")
        } catch EngineError.invalid(let error) {
            throw CoimotionFailure(invalid: error)
        }
    }
}

extension CoimotionFailure {
    /// What is wrong with a name or a password, in the vendor's names and codes.
    fileprivate init(invalid error: FieldError) {
        switch error.field {
        case "name": self.init(1, 422, "accName \(error.problem).")
        case "displayName": self.init(6, 422, "dspName \(error.problem).")
        default: self.init(2, 422, "passwd \(error.problem).")
        }
    }
}

extension CoimotionCall {
    /// `accName`, whose lack has a code of the operation's.
    fileprivate func account(_ code: Int) throws -> String {
        guard let name = try parameters.text("accName") else {
            throw CoimotionFailure(code, 422, "accName is missing.")
        }
        return name
    }

    /// A password, whose lack has a code of the operation's: salted, or as it was typed.
    fileprivate func password(_ name: String, _ code: Int) throws -> AccountPassword {
        guard let text = try parameters.text(name) else { throw CoimotionFailure(code, 422, "\(name) is missing.") }
        guard text.utf8.count <= AccountLimits.passwordBytes else {
            throw CoimotionFailure(code, 422, "\(name) must have at most \(AccountLimits.passwordBytes) bytes.")
        }
        return SaltedPassword(text: text).map(AccountPassword.salted) ?? .plain(text)
    }
}
