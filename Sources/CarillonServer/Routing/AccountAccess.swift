import CarillonEngine
import CarillonModel
import HTTPTypes
import Hummingbird

/// People, by App key and, where somebody has to be signed in, account token; the engine checks the token.
struct AccountAccess: RouteAccess {
    /// Whether the call is about the person who is signed in.
    let needsToken: Bool

    var text: String { needsToken ? "Account" : "App key" }

    func call(_ request: Request, _ context: ServerContext, _ credentials: Credentials) async throws -> AccountCall {
        let app = try await credentials.app(request, challenge: needsToken ? Challenge.account : Challenge.app)
        let caller = AccountCaller(
            app: app,
            network: credentials.address.network(of: request, context),
            isEncrypted: credentials.hasTLS || credentials.address.isUnreadable(request, context)
        )
        let token = needsToken ? request.first(.accountToken) : nil
        return AccountCall(request: request, context: context, caller: caller, token: token)
    }
}

extension RouteAccess where Self == AccountAccess {
    /// Callers with an App key who want to be signed in.
    static var account: AccountAccess { AccountAccess(needsToken: false) }
    /// People who are signed in.
    static var accountToken: AccountAccess { AccountAccess(needsToken: true) }
}

/// A call of a person.
struct AccountCall: RouteCall {
    let request: Request
    let context: ServerContext
    let caller: AccountCaller
    /// The account's token, not verified yet; `nil` without the field.
    let token: String?
}
