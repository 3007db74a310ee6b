import CarillonAccountModel
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// Callers of COIMOTION's API: apps with the app code in the path and the app key in the parameters.
struct CoimotionAccess: RouteAccess {
    let vendorAPIs: VendorAPIs
    /// Whether calls read, as V1's calls with an App key; others count with the registrations of the address.
    var isReading = false
    /// Whether a session's token does instead of the app key; the handler checks it then.
    var acceptsToken = false

    var text: String { acceptsToken ? "coimotion: token or app key" : "coimotion: app key" }
    var ignoresUnknownNames: Bool { true }

    func call(_ request: Request, _ context: ServerContext, _ credentials: Credentials) async throws -> CoimotionCall {
        let caller = try await caller(request, context, credentials)
        let parameters = try await CoimotionParameters.read(request)
        let hasKey = try caller.checkKey(parameters, orToken: acceptsToken)
        try caller.count(isReading: isReading)
        return try caller.call(parameters, hasKey: hasKey)
    }

    /// Finds the App of a request, before anything is read of what comes with it.
    ///
    /// - Throws: ``CoimotionFailure`` when no App has the code.
    func caller(
        _ request: Request,
        _ context: ServerContext,
        _ credentials: Credentials
    ) async throws -> CoimotionCaller {
        let network = credentials.address.network(of: request, context)
        try credentials.limiter.checkComparedKey(network: network)
        let code = context.parameter("appcode")
        if !vendorAPIs.isKnown(code: code) { try credentials.limiter.checkLookUp(network: network) }
        let found = try await vendorAPIs.coimotion(code: code)
        guard let api = found, let settings = api.coimotion else {
            try credentials.limiter.countUnknownCode(network: network)
            throw CoimotionFailure.unknownApp
        }
        return CoimotionCaller(
            request: request,
            context: context,
            credentials: credentials,
            api: api,
            settings: settings,
            network: network
        )
    }
}

/// Who sends a request with the code of an App.
struct CoimotionCaller: Sendable {
    let request: Request
    let context: ServerContext
    let credentials: Credentials
    let api: StoredVendorAPI
    let settings: CoimotionSettings
    let network: String

    /// Checks the app key.
    ///
    /// - Parameters:
    ///   - parameters: The call's parameters.
    ///   - acceptsToken: Whether the key may be missing when there is a token.
    /// - Returns: Whether there is a key, which is right then.
    /// - Throws: ``CoimotionFailure``; 429 when the address has sent too many wrong ones.
    func checkKey(_ parameters: CoimotionParameters, orToken acceptsToken: Bool) throws -> Bool {
        guard let key = try parameters.text("_key") else {
            guard acceptsToken, try parameters.token() != nil else { throw CoimotionFailure.wrongKey }
            return false
        }
        guard api.accepts(key: key) else {
            try credentials.limiter.countComparedKey(network: network)
            throw CoimotionFailure.wrongKey
        }
        return true
    }

    /// Counts the call for the App, and unless it reads for the address.
    func count(isReading: Bool) throws {
        // The address first: what it is refused must not use up the App's limit.
        if !isReading { try credentials.limitRegistration(api.app, request, context) }
        try credentials.limiter.count(api.app)
    }

    /// The call, which is counted for the phone, and named in the audit log.
    func call(_ parameters: CoimotionParameters, hasKey: Bool) throws -> CoimotionCall {
        AuditNote.current?.set(api, hasSecret: false)
        if let phone = request.first(.coimotionClient), phone.utf8.count <= 128 {
            let device = DeviceID(vendorID: phone, tenant: "", app: api.app, api: .coimotion)
            try credentials.limiter.count(DeviceCaller(app: api.app, device: device, secret: nil))
        }
        let caller = AccountCaller(
            app: api.app,
            network: network,
            form: .hexadecimal,
            isEncrypted: credentials.hasTLS || credentials.address.isUnreadable(request, context)
        )
        return CoimotionCall(
            request: request,
            context: context,
            settings: settings,
            parameters: parameters,
            caller: caller,
            hasKey: hasKey
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
    /// Whether it has the app key; without it somebody has to be signed in.
    let hasKey: Bool

    var app: AppID { caller.app }

    /// The id in the path.
    var id: String { context.parameter("id") }
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
        guard let token = try parameters.token() else { return CoimotionSession() }
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

extension CoimotionAccess {
    /// The access of calls that read.
    var reading: CoimotionAccess { CoimotionAccess(vendorAPIs: vendorAPIs, isReading: true) }
    /// The same of calls that need the app key or somebody who is signed in.
    var readingByToken: CoimotionAccess {
        CoimotionAccess(vendorAPIs: vendorAPIs, isReading: true, acceptsToken: true)
    }
}

extension Credentials {
    /// Whether a path that has no route begins with the app code of an App.
    ///
    /// Anybody may send any path, so an address may cause a bounded number of look-ups.
    func hasCoimotionCode(
        _ path: String,
        of vendorAPIs: VendorAPIs,
        _ request: Request,
        _ context: ServerContext
    ) async throws -> Bool {
        guard let code = CoimotionPath.code(of: path) else { return false }
        guard vendorAPIs.isKnown(code: code) || limiter.mayLookUp(network: address.network(of: request, context)) else {
            return false
        }
        return try await vendorAPIs.coimotion(code: code) != nil
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
