import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// Who may call a route, and the type of its calls.
protocol RouteAccess: Sendable {
    associatedtype Call: RouteCall

    /// A description for the route table.
    var text: String { get }
    /// Where a call with an API key names its App; empty when no API key is accepted.
    var appText: String { get }
    /// The names that the query of each call may have, whatever the route.
    var queryNames: [String] { get }
    /// Whether names that the route does not declare are ignored, as vendors do with theirs; otherwise they are refused.
    var ignoresUnknownNames: Bool { get }

    /// Checks the caller's credentials.
    ///
    /// - Throws: ``Problem`` or ``ProblemAnswer`` when the caller may not call.
    func call(_ request: Request, _ context: ServerContext, _ credentials: Credentials) async throws -> Call
}

extension RouteAccess {
    var appText: String { "" }
    var queryNames: [String] { [] }
    var ignoresUnknownNames: Bool { false }
}

/// Callers with an API key that has a scope.
struct KeyAccess<Binding: AppBinding>: RouteAccess {
    let scope: APIKeyScope
    let app: Binding
    /// A scope that some requests of the route need as well; see ``KeyCall/requireFurtherScope()``.
    let further: APIKeyScope?

    var text: String { "API key: \(scope.rawValue)" + (further.map { ", at times \($0.rawValue)" } ?? "") }
    var appText: String { Binding.text }
    var queryNames: [String] { Binding.isInQuery ? ["app"] : [] }

    func call(
        _ request: Request,
        _ context: ServerContext,
        _ credentials: Credentials
    ) async throws -> KeyCall<Binding> {
        let principal = try await credentials.principal(request, scope)
        try Binding.check(principal)
        try await credentials.checkDeletion(of: principal, Binding.named(request, context))
        return KeyCall(
            request: request,
            context: context,
            principal: principal,
            limiter: credentials.limiter,
            further: further
        )
    }
}

/// Devices, by App key and Device secret.
struct DeviceAccess: RouteAccess {
    var text: String { "Device" }

    func call(_ request: Request, _ context: ServerContext, _ credentials: Credentials) async throws -> DeviceCall {
        DeviceCall(
            request: request,
            context: context,
            caller: try await credentials.device(request, context),
            secret: try credentials.deviceSecret(request),
            credentials: credentials
        )
    }
}

/// Devices, by App key and Device secret, or callers with an API key that has a scope.
struct DeviceOrKeyAccess: RouteAccess {
    let scope: APIKeyScope

    var text: String { "Device, or API key: \(scope.rawValue)" }
    var appText: String { RequiredQueryApp.text }
    let queryNames = ["app"]

    func call(
        _ request: Request,
        _ context: ServerContext,
        _ credentials: Credentials
    ) async throws -> DeviceOrKeyCall {
        let named = try Query(request).app()
        if credentials.hasAPIKey(request) {
            let principal = try await credentials.principal(request, scope)
            try await credentials.checkDeletion(of: principal, named)
            let app = try principal.app(named: named)
            return DeviceOrKeyCall(request: request, context: context, app: app, secret: nil)
        }
        let caller = try await credentials.device(request, context)
        guard named == nil || named == caller.app else { throw EngineError.notFound(.app) }
        let secret = try credentials.deviceSecret(request)
        return DeviceOrKeyCall(request: request, context: context, app: caller.app, secret: secret)
    }
}

/// Devices that may not be registered yet, by App key and a secret; limited by address.
struct RegistrationAccess: RouteAccess {
    var text: String { "Device to be registered" }

    func call(_ request: Request, _ context: ServerContext, _ credentials: Credentials) async throws -> DeviceCall {
        try await call(request, context, credentials, device: context.parameter("device"))
    }

    /// The same for a path that was matched without the router.
    func call(
        _ request: Request,
        _ context: ServerContext,
        _ credentials: Credentials,
        device: String
    ) async throws -> DeviceCall {
        let app = try await credentials.app(request, challenge: Challenge.device)
        let secret = try credentials.deviceSecret(request)
        try credentials.limitRegistration(app, request, context)
        guard let device = DeviceID(device) else {
            // Only a PUT creates a Device; all other methods require one.
            guard request.method == .put else { throw EngineError.notFound(.device) }
            throw Problem.invalidField(FieldError(field: "device", problem: "must be a UUID"))
        }
        // Guesses at its secret are limited by the address's registrations.
        let caller = DeviceCaller(app: app, device: device, secret: secret)
        try credentials.limiter.count(caller)
        return DeviceCall(
            request: request,
            context: context,
            caller: caller,
            secret: secret,
            credentials: credentials
        )
    }
}

/// Callers with an App key, which all phones of an App share.
struct AppKeyAccess: RouteAccess {
    var text: String { "App key" }

    func call(_ request: Request, _ context: ServerContext, _ credentials: Credentials) async throws -> AppCall {
        AppCall(request: request, context: context, app: try await credentials.app(request))
    }
}

/// Callers with an App key, for what is public to an App's phones, or with an API key that has a scope.
struct AppOrKeyAccess: RouteAccess {
    let scope: APIKeyScope

    var text: String { "App key, or API key: \(scope.rawValue)" }
    var appText: String { RequiredQueryApp.text }
    let queryNames = ["app"]

    func call(_ request: Request, _ context: ServerContext, _ credentials: Credentials) async throws -> AppCall {
        let named = try Query(request).app()
        if credentials.hasAPIKey(request) {
            let principal = try await credentials.principal(request, scope)
            try await credentials.checkDeletion(of: principal, named)
            return AppCall(request: request, context: context, app: try principal.app(named: named))
        }
        let app = try await credentials.app(request)
        guard named == nil || named == app else { throw EngineError.notFound(.app) }
        return AppCall(request: request, context: context, app: app)
    }
}

/// Everybody; the route states why.
struct OpenAccess: RouteAccess {
    let reason: String

    var text: String { "none: \(reason)" }

    func call(_ request: Request, _ context: ServerContext, _ credentials: Credentials) async throws -> OpenCall {
        OpenCall(request: request, context: context)
    }
}

/// Callers on this machine, and those with a key of the server that has scope `read`; everybody where it is open.
struct LocalAccess: RouteAccess {
    /// Whether no key is required.
    let isOpen: Bool

    var text: String { "this machine, or API key: read" }
    var appText: String { NoApp.text }

    func call(_ request: Request, _ context: ServerContext, _ credentials: Credentials) async throws -> OpenCall {
        if !isOpen, !credentials.address.isLocal(request, context) {
            guard credentials.hasAPIKey(request) else { throw Problem.metricsRefused }
            _ = try await credentials.serverPrincipal(request, .read)
        }
        return OpenCall(request: request, context: context)
    }
}

// MARK: - As they are written in a declaration

extension RouteAccess {
    /// Callers with an API key.
    ///
    /// - Parameters:
    ///   - scope: The required scope; `admin` includes all.
    ///   - app: Where the call names its App.
    ///   - further: A scope that some requests of the route also require.
    /// - Returns: The access.
    static func key<Binding>(
        _ scope: APIKeyScope,
        app: Binding,
        further: APIKeyScope? = nil
    ) -> KeyAccess<Binding> where Self == KeyAccess<Binding> {
        KeyAccess(scope: scope, app: app, further: further)
    }
}

extension RouteAccess where Self == DeviceAccess {
    static var device: DeviceAccess { DeviceAccess() }
}

extension RouteAccess where Self == DeviceOrKeyAccess {
    static func deviceOrKey(_ scope: APIKeyScope) -> DeviceOrKeyAccess { DeviceOrKeyAccess(scope: scope) }
}

extension RouteAccess where Self == AppOrKeyAccess {
    static func appOrKey(_ scope: APIKeyScope) -> AppOrKeyAccess { AppOrKeyAccess(scope: scope) }
}

extension RouteAccess where Self == OpenAccess {
    static func none(_ reason: String) -> OpenAccess { OpenAccess(reason: reason) }
}

extension RouteAccess where Self == LocalAccess {
    static func local(isOpen: Bool) -> LocalAccess { LocalAccess(isOpen: isOpen) }
}
