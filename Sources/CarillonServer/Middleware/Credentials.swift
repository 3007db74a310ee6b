import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// Finds out who is calling.
struct Credentials: Sendable {
    let access: Access
    let limiter: RequestLimiter
    let address: ClientAddress
    /// Bounds how many registrations one address may send; `nil` does not.
    let registrations: RegistrationLimiter?

    // MARK: API keys

    /// The caller behind the API key of a request.
    ///
    /// - Throws: ``Problem``: 401 when there is no key or it is not taken, 403 when it lacks the scope.
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

    /// The caller behind the API key, when it is a key of the server.
    func serverPrincipal(_ request: Request, _ scope: APIKeyScope) async throws -> Principal {
        let principal = try await principal(request, scope)
        try NoApp.check(principal)
        return principal
    }

    /// Whether the request carries an API key at all.
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

    /// The App behind the App key of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - challenge: What the 401 asks for.
    /// - Returns: The App.
    /// - Throws: 401 when there is no key or no App has it.
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

    /// Whether the store need not be asked for the keys of a request, or it has none.
    func areKnown(of request: Request) -> Bool {
        if let key = request.first(.appKey), key.utf8.count <= 256, !access.isKnown(appKey: key) { return false }
        guard hasAPIKey(request) else { return true }
        return (try? bearer(request)).flatMap(\.self).map(access.isKnown(bearer:)) ?? true
    }

    /// The secret by which a Device proves itself: 20 through 256 printable ASCII characters.
    ///
    /// - Throws: 401 when it is missing, 422 when it is none.
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

    /// The Device that calls, by App key and Device secret; the secret is looked at where the Device is.
    ///
    /// - Throws: 401 when a credential is missing or no App has the key, 404 when the path names no Device, 429 when it
    ///   sends too many requests or its address too many wrong secrets.
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
    /// The App a request is about: the key's own, or the one that is named.
    ///
    /// - Parameter named: The App that the request names.
    /// - Returns: The App.
    /// - Throws: ``Problem``: 422 when a key of the server comes without a name, 404 when a key of one App names
    ///   another, which does not exist for it.
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

    /// Checks that a key of one App asks about that App.
    func check(_ asked: AppID) throws {
        guard app == nil || app == asked else { throw EngineError.notFound(.app) }
        AuditNote.current?.set(asked)
    }

    /// A name of the caller that tells its idempotency keys from others'.
    var name: String { key.description }
}
