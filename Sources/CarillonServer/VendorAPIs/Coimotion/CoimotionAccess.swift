import CarillonAccountModel
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// Callers of COIMOTION's API: apps with the app code in the path and the app key in the parameters.
struct CoimotionAccess: RouteAccess {
    let vendorAPIs: VendorAPIs

    var text: String { "coimotion: app key" }
    var ignoresUnknownNames: Bool { true }

    func call(_ request: Request, _ context: ServerContext, _ credentials: Credentials) async throws -> CoimotionCall {
        let code = context.parameter("appcode")
        let found = try await credentials.coimotion(code: code, of: vendorAPIs, request, context)
        guard let api = found, let settings = api.coimotion else { throw CoimotionFailure.unknownApp }
        try credentials.checkSecrets(request, context)
        let parameters = try await CoimotionParameters.read(request)
        guard let key = try parameters.text("_key") else { throw CoimotionFailure.wrongKey }
        guard credentials.accepts(key: key, of: api, request, context) else { throw CoimotionFailure.wrongKey }
        AuditNote.current?.set(api, hasSecret: false)
        try credentials.limiter.count(api.app)
        try credentials.limitRegistration(api.app, request, context)
        if let phone = request.first(.coimotionClient), phone.utf8.count <= 128 {
            let device = DeviceID(vendorID: phone, tenant: "", app: api.app, api: .coimotion)
            try credentials.limiter.count(DeviceCaller(app: api.app, device: device, secret: nil))
        }
        let caller = AccountCaller(
            app: api.app,
            network: credentials.address.network(of: request, context),
            form: .hexadecimal,
            isEncrypted: credentials.hasTLS || credentials.address.isUnreadable(request, context)
        )
        return CoimotionCall(
            request: request,
            context: context,
            settings: settings,
            parameters: parameters,
            caller: caller
        )
    }
}

/// An authorized call of COIMOTION's API.
struct CoimotionCall: RouteCall {
    let request: Request
    let context: ServerContext
    let settings: CoimotionSettings
    let parameters: CoimotionParameters
    let caller: AccountCaller

    var app: AppID { caller.app }

    /// The id in the path.
    var id: String { context.parameter("id") }

    /// The session's token; `nil` for none, which the vendor's SDKs write in three ways.
    func token() throws -> String? {
        let text = try parameters.text("token")
        return text == "N/A" ? nil : text
    }
}

/// What has become of a call's token.
struct CoimotionSession: Sendable {
    /// Who is signed in; `nil` for nobody.
    var person: AccountSession?
    /// The `token` of the answer; `nil` for none.
    var token: String?
}

extension CoimotionCall {
    /// Checks the token of a call that anybody may make.
    ///
    /// - Parameter accounts: The accounts.
    /// - Returns: The person, and what the answer says of the token: empty when it is invalid.
    /// - Throws: ``EngineError``, but not for a wrong token.
    func session(_ accounts: Accounts) async throws -> CoimotionSession {
        guard let token = try token() else { return CoimotionSession() }
        do {
            switch try await accounts.sighting(of: token, by: caller) {
            case .nobody(let hadWrongToken): return CoimotionSession(token: hadWrongToken ? "" : nil)
            case .person(let session): return CoimotionSession(person: session, token: session.token)
            }
        } catch EngineError.account(.off) {
            // Nobody is signed in where there are no accounts.
            return CoimotionSession(token: "")
        }
    }
}

/// Callers of COIMOTION's API.
extension Credentials {
    /// The App of an app code.
    ///
    /// - Returns: `nil` when no App has it, which counts as a wrong key of the address.
    /// - Throws: 429 when the address has sent too many wrong keys.
    fileprivate func coimotion(
        code: String,
        of vendorAPIs: VendorAPIs,
        _ request: Request,
        _ context: ServerContext
    ) async throws -> StoredVendorAPI? {
        let network = address.network(of: request, context)
        if limiter.knowsWrongKeys, !vendorAPIs.isKnown(code: code) { try limiter.checkUnknownKey(network: network) }
        guard let found = try await vendorAPIs.coimotion(code: code) else {
            limiter.countUnknownKey(network: network)
            return nil
        }
        return found
    }

    /// Whether an app key is the App's; a wrong one counts for the address.
    fileprivate func accepts(
        key: String,
        of api: StoredVendorAPI,
        _ request: Request,
        _ context: ServerContext
    ) -> Bool {
        guard api.accepts(key: key) else {
            limiter.countUnknownKey(network: address.network(of: request, context))
            return false
        }
        return true
    }
}

extension HTTPField.Name {
    /// The id of the phone.
    static let coimotionClient = vendor("X-COIM-ClientKey")

    private static func vendor(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("a field's name is a token (RFC 9110)") }
        return name
    }
}
