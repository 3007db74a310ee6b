import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// An authorized request.
protocol RouteCall: Sendable {
    var request: Request { get }
    var context: ServerContext { get }
}

extension RouteCall {
    /// A parameter of the path.
    ///
    /// - Throws: The parameter's error when its text does not parse.
    subscript<Value>(_ parameter: PathParameter<Value>) -> Value {
        get throws {
            guard let value = parameter.read(context.parameter(parameter.name)) else { throw parameter.missing }
            return value
        }
    }

    /// The query, with no names but those that the route declares.
    var query: Query { Query(request) }

    /// Decodes the body from JSON.
    func body<Value: Decodable>(_ type: Value.Type = Value.self, upTo limit: Int) async throws -> Value {
        try await request.decoded(type, upTo: limit)
    }
}

/// A call with an API key.
struct KeyCall<Binding: AppBinding>: RouteCall {
    let request: Request
    let context: ServerContext
    let principal: Principal
    fileprivate let limiter: RequestLimiter
    /// The scope that ``requireFurtherScope()`` requires.
    fileprivate let further: APIKeyScope?

    init(
        request: Request,
        context: ServerContext,
        principal: Principal,
        limiter: RequestLimiter,
        further: APIKeyScope?
    ) {
        self.request = request
        self.context = context
        self.principal = principal
        self.limiter = limiter
        self.further = further
    }

    /// Whether the key has a scope; `admin` includes all.
    func has(_ scope: APIKeyScope) -> Bool {
        principal.scopes.contains(scope) || principal.scopes.contains(.admin)
    }

    /// Checks the further scope that the route declares.
    func requireFurtherScope() throws {
        if let further, !has(further) { throw Problem.missingScope(further) }
    }

    /// Checks that the key is a key of the server.
    func requireServerKey() throws { try NoApp.check(principal) }

    /// Acquires a place for an expensive request.
    ///
    /// - Parameter app: The App whose data it reads.
    /// - Returns: The place, to be held while the store works.
    /// - Throws: 429 when all places are in use.
    func acquireCostly(_ app: AppID) throws -> Places<AppID>.Place? { try limiter.acquireCostly(app) }

    /// Reads the body of a Campaign.
    ///
    /// Decoding takes several times a body's size of memory, so that one larger than ``BodyLimit/list`` takes a place of
    /// the expensive requests.
    ///
    /// - Parameter app: The App whose place it takes.
    /// - Returns: The body, and the place, to be held until the request is answered.
    /// - Throws: 413 when it is larger than ``BodyLimit/campaign``, 429 when all places are in use.
    func campaignBody(
        app: () async throws -> AppID
    ) async throws -> (text: [UInt8], place: Places<AppID>.Place?) {
        var place: Places<AppID>.Place?
        let text = try await request.jsonBody(upTo: BodyLimit.campaign) { place = try acquireCostly(try await app()) }
        return (text, place)
    }

    /// Decodes the body from JSON and returns its text as well, which distinguishes a repeated request from another.
    func repeatableBody<Value: Decodable>(
        _ type: Value.Type,
        upTo limit: Int
    ) async throws -> (text: [UInt8], value: Value) {
        let text = try await request.jsonBody(upTo: limit)
        return (text, try JSONBody.decode(type, from: text))
    }
}

/// A call of a Device.
struct DeviceCall: RouteCall {
    let request: Request
    let context: ServerContext
    let caller: DeviceCaller
    let secret: String
    private let credentials: Credentials

    init(
        request: Request,
        context: ServerContext,
        caller: DeviceCaller,
        secret: String,
        credentials: Credentials
    ) {
        self.request = request
        self.context = context
        self.caller = caller
        self.secret = secret
        self.credentials = credentials
    }

    var limiter: RequestLimiter { credentials.limiter }

    /// Counts a registration of the caller's address.
    ///
    /// - Throws: 429 when it sends too many.
    func limitRegistration() throws { try credentials.limitRegistration(caller.app, request, context) }
}

/// A call about a Device, by itself or with an API key.
struct DeviceOrKeyCall: RouteCall {
    let request: Request
    let context: ServerContext
    let app: AppID
    /// The Device's; `nil` with an API key.
    let secret: String?
}

/// A call with an App key.
struct AppCall: RouteCall {
    let request: Request
    let context: ServerContext
    let app: AppID
}

/// A call without authentication.
struct OpenCall: RouteCall {
    let request: Request
    let context: ServerContext
}
