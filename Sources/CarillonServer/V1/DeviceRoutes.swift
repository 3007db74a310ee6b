import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/devices`: the SDK, by App key and Device secret; an API key may look and delete.
struct DeviceRoutes: Sendable {
    let devices: Devices
    let credentials: Credentials
    let limiter: RegistrationLimiter?
    let address: ClientAddress
    let metrics: ServerMetrics

    static let prefix = "/v1/devices/"
    static let path = "/v1/devices/{device}"

    func declare(_ routes: inout Routes) {
        routes.on(.put, Self.path) { try await register($0, $1, device: $1.parameter("device")) }
        routes.on(.patch, Self.path, update)
        routes.on(.get, Self.path, recorded: .all, get)
        routes.on(.delete, Self.path, delete)
        routes.on(.post, Self.path + "/forget", forget)
        routes.on(.put, Self.path + "/voip", registerVoIP)
        routes.on(.get, Self.path + "/voip", getVoIP)
        routes.on(.delete, Self.path + "/voip", removeVoIP)
    }

    /// Answers a registration.
    func register(_ request: Request, _ context: ServerContext, device: String) async throws -> Response {
        let app = try await credentials.app(request, challenge: Challenge.device)
        let secret = try credentials.deviceSecret(request)
        try limit(app, request, context)
        guard let device = DeviceID(device) else {
            throw Problem.invalidField(FieldError(field: "device", problem: "must be a UUID"))
        }
        // Guesses at its secret are bounded by what the address may register.
        try credentials.limiter.count(DeviceCaller(app: app, device: device, secret: secret))
        let body = try await request.jsonBody(upTo: BodyLimit.standard)
        let registration = try RegistrationReader.read(body)
        switch try await devices.register(app: app, device: device, secret: secret, registration) {
        case .created(let record):
            metrics.add(1, to: .created)
            return Response(status: .created, json: DeviceRecordWriter.json(record))
        case .updated(let record):
            metrics.add(1, to: .updated)
            return Response(status: .ok, json: DeviceRecordWriter.json(record))
        case .limited(let delay):
            metrics.add(1, to: .limited)
            throw credentials.limiter.refuse(delay, .registration, "The App gets too many new Devices.")
        }
    }

    @Sendable private func update(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.app(request, challenge: Challenge.device)
        let secret = try credentials.deviceSecret(request)
        try limit(app, request, context)
        let device = try context.device()
        try credentials.limiter.count(DeviceCaller(app: app, device: device, secret: secret))
        let change: RegistrationUpdate = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await devices.update(app: app, device: device, secret: secret, change))
    }

    @Sendable private func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (app, secret) = try await caller(request, context, .read)
        return try Response(try await devices.device(app: app, device: try context.device(), secret: secret))
    }

    @Sendable private func delete(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (app, secret) = try await caller(request, context, .admin)
        try await devices.delete(app: app, device: try context.device(), secret: secret)
        return .noContent
    }

    @Sendable private func forget(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await credentials.device(request, context)
        let wanted: ForgetRequest = try await request.decodedIfPresent(upTo: BodyLimit.standard) ?? ForgetRequest()
        try await devices.forget(caller, user: wanted.user)
        return .noContent
    }

    // MARK: Tokens for calls

    @Sendable private func registerVoIP(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await credentials.device(request, context)
        try limit(caller.app, request, context)
        let registration: VoIPRegistration = try await request.decoded(upTo: BodyLimit.standard)
        return try Response(try await devices.registerVoIP(registration, of: caller))
    }

    @Sendable private func getVoIP(_ request: Request, _ context: ServerContext) async throws -> Response {
        try Response(try await devices.voIPRecord(of: try await credentials.device(request, context)))
    }

    @Sendable private func removeVoIP(_ request: Request, _ context: ServerContext) async throws -> Response {
        try await devices.removeVoIP(of: try await credentials.device(request, context))
        return .noContent
    }

    // MARK: - Private

    /// The App that is asked about and the Device's secret, which an API key stands in for.
    private func caller(
        _ request: Request,
        _ context: ServerContext,
        _ scope: APIKeyScope
    ) async throws -> (app: AppID, secret: String?) {
        let named = try Query(request, "app").app()
        if credentials.hasAPIKey(request) {
            let principal = try await credentials.principal(request, scope)
            return (try principal.app(named: named), nil)
        }
        let caller = try await credentials.device(request, context)
        guard named == nil || named == caller.app else { throw EngineError.notFound(.app) }
        return (caller.app, try credentials.deviceSecret(request))
    }

    private func limit(_ app: AppID, _ request: Request, _ context: ServerContext) throws {
        guard let delay = limiter?.delay(app: app, network: address.network(of: request, context)) else { return }
        throw credentials.limiter.refuse(delay, .registration, "Too many registrations from this address.")
    }
}
