import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// Callers of TOAST Push's API: apps with the app key in the path, back ends with the secret key as well.
struct ToastAccess: RouteAccess {
    let vendorAPIs: VendorAPIs
    /// Whether the secret key is required; without, the app key alone is accepted too.
    let requiresSecret: Bool

    var text: String { requiresSecret ? "toast: secret key" : "toast: app key" }
    var ignoresUnknownNames: Bool { true }

    func call(_ request: Request, _ context: ServerContext, _ credentials: Credentials) async throws -> ToastCall {
        let text = context.parameter("version")
        guard let version = ToastVersion(rawValue: text) else {
            throw ToastFailure(.unsupportedVersion, "version", text)
        }
        let key = context.parameter("appkey")
        let found = try await credentials.vendorAPI(.toast, key: key, of: vendorAPIs, request, context)
        guard let api = found else { throw ToastFailure(.unknownKey, "appkey", key) }
        let secret = request.first(.toastSecret) ?? request.first(.toastAccessSecret)
        if let secret {
            guard try credentials.accepts(secret: secret, of: api, request, context) else {
                throw ToastFailure(.unknownKey, problem: "the secret key is wrong")
            }
            // What apps may call as well is recorded for back ends alone.
            if !requiresSecret { AuditNote.current?.require() }
        } else if requiresSecret {
            throw ToastFailure(.accessRefused, problem: "send the secret key as X-Secret-Key")
        } else {
            AuditNote.current?.set(api, hasSecret: false)
            try credentials.limiter.count(api.app)
        }
        return ToastCall(
            request: request,
            context: context,
            app: api.app,
            version: version,
            isKeyed: secret != nil,
            credentials: credentials
        )
    }
}

/// An authorized call of TOAST Push's API.
struct ToastCall: RouteCall {
    let request: Request
    let context: ServerContext
    let app: AppID
    let version: ToastVersion
    /// Whether the caller has the secret key.
    let isKeyed: Bool
    private let credentials: Credentials

    init(
        request: Request,
        context: ServerContext,
        app: AppID,
        version: ToastVersion,
        isKeyed: Bool,
        credentials: Credentials
    ) {
        self.request = request
        self.context = context
        self.app = app
        self.version = version
        self.isKeyed = isKeyed
        self.credentials = credentials
    }

    /// Counts a read by an app as a registration of its address.
    ///
    /// - Throws: 429 when the address has too many.
    func limitRead() throws {
        guard !isKeyed else { return }
        try credentials.limitRegistration(app, request, context)
    }

    /// Counts a change by an app as a registration of its address, and one of a subject.
    ///
    /// - Parameter subject: The token or uid that it is about.
    /// - Throws: 429 when the address or the subject has too many.
    func limitChange(of subject: String) throws {
        guard !isKeyed else { return }
        try credentials.limitRegistration(app, request, context)
        try credentials.limiter.count(
            DeviceCaller(app: app, device: DeviceID(vendorID: subject, tenant: "", app: app, api: .toast), secret: nil)
        )
    }

    /// The query, parsed as the vendor does: unknown names are ignored.
    var values: ToastQuery { ToastQuery(request) }

    /// The body: an object of JSON; one as apps send it, with texts and booleans, is read on a fast path.
    func fields(upTo limit: Int = BodyLimit.standard) async throws -> ToastFields {
        let bytes = try await request.jsonBody(upTo: limit)
        if let object = PlainJSON.object(bytes) { return ToastFields(object, path: "", version: version) }
        return try fields(of: try JSONBody.decode(JSONValue.self, from: bytes))
    }

    /// The body of a send, which may list 10,000 uids.
    ///
    /// - Returns: The fields, and the place of an expensive request that a body larger than ``BodyLimit/list`` takes, to
    ///   be held until the call is answered.
    /// - Throws: 413 when it is larger than ``BodyLimit/campaign``, 429 when all places are in use.
    func sendFields() async throws -> (fields: ToastFields, place: Places<AppID>.Place?) {
        var place: Places<AppID>.Place?
        let text = try await request.jsonBody(upTo: BodyLimit.campaign) {
            place = try credentials.limiter.acquireCostly(app)
        }
        return (try fields(of: try JSONBody.decode(JSONValue.self, from: text)), place)
    }

    private func fields(of body: JSONValue) throws -> ToastFields {
        guard let object = body.object else { throw ToastFailure(.malformed, "body") }
        return ToastFields(object, path: "", version: version)
    }

    /// A User in the path.
    func user() throws -> UserID { try ToastFields.user(context.parameter("user"), "uid") }

    /// A tag in the path.
    ///
    /// - Throws: Not found, also for a text that is no tag's id.
    func tag() throws -> TagID {
        let text = context.parameter("tag")
        guard let tag = TagID(rawValue: text) else { throw ToastFailure(.notFound, "tagId", text) }
        return tag
    }
}

extension HTTPField.Name {
    /// The secret key.
    static let toastSecret = vendor("X-Secret-Key")
    /// The same in v2.2, beside `X-User-Access-Key-ID`.
    static let toastAccessSecret = vendor("X-Secret-Access-Key")

    private static func vendor(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("a field's name is a token (RFC 9110)") }
        return name
    }
}
