import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// Authenticates callers.
struct Credentials: Sendable {
    let access: Access
    let deletions: AppDeletions
    let limiter: RequestLimiter
    let address: ClientAddress
    /// Limits how many registrations one address may send; unlimited when `nil`.
    let registrations: RegistrationLimiter?
    /// Whether the server itself speaks TLS.
    let hasTLS: Bool

    // MARK: API keys

    /// Authenticates a request by its API key.
    ///
    /// - Throws: ``Problem``: 401 when the key is missing or invalid, 403 when it lacks the scope.
    func principal(_ request: Request, _ scope: APIKeyScope) async throws -> Principal {
        guard let secret = try bearer(request) else {
            throw Problem.missingCredentials("Send an API key as Authorization: Bearer.")
        }
        guard let principal = try await access.principal(bearer: secret) else { throw Problem.wrongCredentials }
        AuditNote.current?.set(principal)
        try limiter.count(principal.key)
        guard principal.scopes.contains(scope) || principal.scopes.contains(.admin) else {
            throw Problem.missingScope(scope)
        }
        return principal
    }

    /// Checks that the App of a key, or the one that a request names, was not deleted.
    ///
    /// Rows of a deleted App are there for a while.
    ///
    /// - Throws: 401 for a key of a deleted App, 404 when the request names one.
    func checkDeletion(of principal: Principal, _ named: AppID?) async throws {
        if let own = principal.app, try await deletions.isDeleted(own) { throw Problem.wrongCredentials }
        if let named, named != principal.app, try await deletions.isDeleted(named) { throw EngineError.notFound(.app) }
    }

    /// Authenticates a request by an API key of the server.
    func serverPrincipal(_ request: Request, _ scope: APIKeyScope) async throws -> Principal {
        let principal = try await principal(request, scope)
        try NoApp.check(principal)
        return principal
    }

    /// Whether the request carries an API key.
    func hasAPIKey(_ request: Request) -> Bool { request.first(.authorization) != nil }

    /// Whether the request carries an API key or an App key.
    func hasKey(_ request: Request) -> Bool { hasAPIKey(request) || request.first(.appKey) != nil }

    /// The secret in `Authorization: Bearer`; `nil` without the field.
    private func bearer(_ request: Request) throws -> String? {
        guard let value = request.first(.authorization) else { return nil }
        guard value.utf8.count <= 512, value.lowercased().hasPrefix("bearer ") else { throw Problem.wrongCredentials }
        return value.dropFirst(7).trimmingPrefix { $0 == " " }.description
    }

    // MARK: Apps and Devices

    /// Authenticates a request by its App key.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - challenge: The challenge of the 401.
    /// - Returns: The App.
    /// - Throws: 401 when the key is missing or unknown.
    func app(_ request: Request, challenge: String = Challenge.app) async throws -> AppID {
        guard let key = request.first(.appKey) else {
            throw ProblemAnswer.unauthorized(
                .missingCredentials("Send the App key as Carillon-App-Key."),
                challenge: challenge
            )
        }
        guard key.utf8.count <= 256, let app = try await access.app(appKey: key) else {
            throw ProblemAnswer.unauthorized(.wrongCredentials, challenge: challenge)
        }
        try limiter.count(app)
        return app
    }

    /// Whether the keys of a request are cached, or it has none.
    func areKnown(of request: Request) -> Bool {
        if let key = request.first(.appKey), key.utf8.count <= 256, !access.isKnown(appKey: key) { return false }
        guard hasAPIKey(request) else { return true }
        return (try? bearer(request)).flatMap(\.self).map(access.isKnown(bearer:)) ?? true
    }

    /// The Device secret of a request: 20 through 256 printable ASCII characters.
    ///
    /// - Throws: 401 when it is missing, 422 when it is malformed.
    func deviceSecret(_ request: Request) throws -> String {
        guard let secret = request.first(.deviceSecret) else {
            throw ProblemAnswer.unauthorized(
                .missingCredentials("Send the Device's secret as Carillon-Device-Secret."),
                challenge: Challenge.device
            )
        }
        guard Devices.secretLength.contains(secret.utf8.count), secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw Problem.invalidField(
                FieldError(
                    field: HTTPField.Name.deviceSecret.rawName,
                    problem: "must have 20 through 256 printable ASCII characters"
                )
            )
        }
        return secret
    }

    /// Authenticates a Device's App key; the engine checks the Device secret later.
    ///
    /// - Throws: 401 when a credential is missing or the App key unknown, 404 when the path has no valid Device id, 429
    ///   when the Device sends too many requests or its address too many wrong secrets.
    func device(_ request: Request, _ context: ServerContext) async throws -> DeviceCaller {
        let app = try await app(request, challenge: Challenge.device)
        guard let device = DeviceID(context.parameter("device")) else { throw EngineError.notFound(.device) }
        let caller = DeviceCaller(app: app, device: device, secret: try deviceSecret(request))
        try limiter.checkUnknownSecret(caller, network: address.network(of: request, context))
        try limiter.count(caller)
        return caller
    }

    /// Counts a registration of an address.
    ///
    /// - Throws: 429 when it sends too many.
    func limitRegistration(_ app: AppID, _ request: Request, _ context: ServerContext) throws {
        let network = address.network(of: request, context)
        guard let delay = registrations?.delay(app: app, network: network) else { return }
        throw limiter.refuse(delay, .registration, "Too many registrations from this address.")
    }
}

extension Principal {
    /// The App of a request: the key's own, or the named one.
    ///
    /// - Parameter named: The App that the request names.
    /// - Returns: The App.
    /// - Throws: ``Problem``: 422 when a request with a key of the server names none, 404 when a key of one App names
    ///   another.
    func app(named: AppID?) throws -> AppID {
        guard let own = app else {
            guard let named else {
                throw Problem.invalidField(
                    FieldError(field: "app", problem: "is required with a key of the server")
                )
            }
            AuditNote.current?.set(named)
            return named
        }
        guard named == nil || named == own else { throw EngineError.notFound(.app) }
        return own
    }

    /// Checks that a key of one App addresses that App.
    func check(_ asked: AppID) throws {
        guard app == nil || app == asked else { throw EngineError.notFound(.app) }
        AuditNote.current?.set(asked)
    }

    /// The caller's namespace of idempotency keys.
    var name: String { key.description }
}
