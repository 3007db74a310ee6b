import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/devices`: the SDK, by App key and Device secret; an API key may read and delete.
struct DeviceRoutes: Sendable {
    let devices: Devices
    let metrics: ServerMetrics

    static let prefix = "/v1/devices/"
    static let path = "/v1/devices/{device}"
    static let registration = RegistrationAccess()

    func declare(_ routes: inout Routes) {
        routes.on(
            .get,
            "/v1/devices",
            .key(.read, app: .query),
            recorded: .all,
            query: ["user", "cursor", "limit"],
            list
        )
        routes.on(.put, Self.path, Self.registration, register)
        routes.on(.patch, Self.path, Self.registration, update)
        routes.on(.get, Self.path, .deviceOrKey(.read), recorded: .all, get)
        routes.on(.delete, Self.path, .deviceOrKey(.admin), delete)
        routes.on(.post, Self.path + "/forget", .device, erase)
        routes.on(.put, Self.path + "/voip", .device, registerVoIP)
        routes.on(.get, Self.path + "/voip", .device, getVoIP)
        routes.on(.delete, Self.path + "/voip", .device, removeVoIP)
    }

    /// Handles a registration.
    @Sendable func register(_ call: DeviceCall) async throws -> Response {
        let (caller, secret) = (call.caller, call.secret)
        let body = try await call.request.jsonBody(upTo: BodyLimit.standard)
        let registration = try RegistrationReader.read(body)
        switch try await devices.register(app: caller.app, device: caller.device, secret: secret, registration) {
        case .created(let record):
            metrics.add(1, to: .created)
            count(record.warnings)
            return Response(status: .created, json: DeviceRecordWriter.json(record))
        case .updated(let record):
            metrics.add(1, to: .updated)
            count(record.warnings)
            return Response(status: .ok, json: DeviceRecordWriter.json(record))
        case .limited(let delay):
            metrics.add(1, to: .limited)
            throw call.limiter.refuse(delay, .registration, "The App gets too many new Devices.")
        }
    }

    @Sendable private func update(_ call: DeviceCall) async throws -> Response {
        let (caller, secret) = (call.caller, call.secret)
        let change: RegistrationUpdate = try await call.body(upTo: BodyLimit.standard)
        let record = try await devices.update(app: caller.app, device: caller.device, secret: secret, change)
        count(record.warnings)
        return try Response(record)
    }

    private func count(_ warnings: [FieldError]?) {
        for warning in warnings ?? [] {
            metrics.add(1, to: warning.field == "timeZone" ? .unknownZones : .malformedLanguages)
        }
    }

    @Sendable private func list(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        let user = try query["user"].map { text in
            guard let user = UserID(rawValue: text) else {
                throw Problem.invalidField(FieldError(field: "user", problem: "must be a User's id"))
            }
            return user
        }
        return try Response(
            try await devices.list(app: app, user: user, cursor: query["cursor"], limit: try query.limit())
        )
    }

    @Sendable private func get(_ call: DeviceOrKeyCall) async throws -> Response {
        try Response(try await devices.device(app: call.app, device: try call[.device], secret: call.secret))
    }

    @Sendable private func delete(_ call: DeviceOrKeyCall) async throws -> Response {
        try await devices.delete(app: call.app, device: try call[.device], secret: call.secret)
        return .noContent
    }

    @Sendable private func erase(_ call: DeviceCall) async throws -> Response {
        let wanted: ForgetRequest? = try await call.request.decodedIfPresent(upTo: BodyLimit.standard)
        try await devices.erase(call.caller, user: (wanted ?? ForgetRequest()).user)
        return .noContent
    }

    // MARK: VoIP tokens

    @Sendable private func registerVoIP(_ call: DeviceCall) async throws -> Response {
        try call.limitRegistration()
        let registration: VoIPRegistration = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await devices.registerVoIP(registration, of: call.caller))
    }

    @Sendable private func getVoIP(_ call: DeviceCall) async throws -> Response {
        try Response(try await devices.voIPRecord(of: call.caller))
    }

    @Sendable private func removeVoIP(_ call: DeviceCall) async throws -> Response {
        try await devices.removeVoIP(of: call.caller)
        return .noContent
    }
}
