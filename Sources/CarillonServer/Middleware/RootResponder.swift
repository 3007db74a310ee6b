import CarillonEngine
import CarillonModel
import HTTPTypes
package import Hummingbird
import Logging
import NIOCore

/// Finds the route of a request, turns every error into a problem, adds the request id and security headers, and writes
/// logs and metrics.
///
/// The log has the route and not the path, because paths name Devices. Fields, queries and bodies are never logged.
package struct RootResponder: HTTPResponder {
    package typealias Context = ServerContext

    /// The two most frequent routes are matched without the router.
    let devices: DeviceRoutes
    let events: EventRoutes
    let router: RouterResponder<ServerContext>
    /// The methods of each path.
    let methods: AllowedMethods
    let credentials: Credentials
    let vendorAPIs: VendorAPIs
    let address: ClientAddress
    /// False on a node that only sends, whose router has no routes of the API.
    let servesAPI: Bool
    /// Pages beside the API.
    let pages: MountedPages?
    let accessLog: APIServer.AccessLog
    let metrics: ServerMetrics
    /// The header fields of every response.
    let fields: HTTPFields

    package func respond(to request: Request, context: ServerContext) async throws -> Response {
        await answer(request, context)
    }

    /// Answers a request; errors become problems.
    func answer(_ request: Request, _ context: ServerContext) async -> Response {
        if let pages, servesAPI, pages.isOne(request.uri.path) { return await page(pages, request, context) }
        let start = ContinuousClock.now
        let request = servesAPI ? CoimotionPath.resolved(request) : request
        metrics.begin()
        var response: Response
        var isGuess = false
        // A token of an account that ended is no wrong key.
        var isSignedOut = false
        do {
            try PercentEncoding.check(request.head.path ?? "")
            try checkWrongKeys(request, context)
            response = try await route(request, context)
        } catch {
            isGuess = error as? EngineError == .refused(.wrongDeviceSecret)
            isSignedOut = error as? EngineError == .account(.wrongToken)
            response = self.response(to: error, request, context)
        }
        let duration = start.duration(to: .now)
        if isGuess || response.status == .unauthorized && !isSignedOut && credentials.hasKey(request) {
            credentials.limiter.countUnknownKey(network: address.network(of: request, context))
        }
        response.headers.append(contentsOf: fields)
        context.requestID.add(to: &response)
        metrics.end(route: context.endpointPath, request.method, response.status, duration)
        if accessLog.includes(response.status) { log(request, response, context, duration) }
        return response
    }

    /// The header fields of every response.
    static func fields(isTLS: Bool) -> HTTPFields {
        var fields = HTTPFields()
        fields[.xContentTypeOptions] = "nosniff"
        fields[.cacheControl] = "no-store"
        fields[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        fields[.referrerPolicy] = "no-referrer"
        if isTLS { fields[.strictTransportSecurity] = "max-age=31536000" }
        return fields
    }

    // MARK: - Private

    /// Answers a request for a page, whose header fields are its own.
    private func page(_ pages: MountedPages, _ request: Request, _ context: ServerContext) async -> Response {
        let start = ContinuousClock.now
        metrics.begin()
        let isFromProxy = !credentials.hasTLS && !address.isLocal(request, context)
        let caller = MountedPages.Caller(
            address: address.of(request, context),
            network: address.network(of: request, context),
            peer: context.peer?.ipAddress ?? "local",
            isEncrypted: credentials.hasTLS || isFromProxy && address.isUnreadable(request, context),
            requestID: context.requestID.text
        )
        let (page, route) = await pages.answer(request, caller)
        var response = page
        context.coreContext.endpointPath.value = route
        context.requestID.add(to: &response)
        let duration = start.duration(to: .now)
        metrics.end(route: route, request.method, response.status, duration)
        if accessLog.includes(response.status) { log(request, response, context, duration) }
        return response
    }

    /// From an address that sends many wrong keys only cached keys are accepted: others would query the store.
    private func checkWrongKeys(_ request: Request, _ context: ServerContext) throws {
        guard credentials.limiter.knowsWrongKeys, !credentials.areKnown(of: request) else { return }
        try credentials.limiter.checkUnknownKey(network: address.network(of: request, context))
    }

    private func route(_ request: Request, _ context: ServerContext) async throws -> Response {
        let path = request.head.path ?? ""
        if servesAPI, request.method == .put, path.hasPrefix(DeviceRoutes.prefix) {
            let device = path.dropFirst(DeviceRoutes.prefix.count)
            if !device.isEmpty, !device.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) {
                context.coreContext.endpointPath.value = DeviceRoutes.path
                let access = DeviceRoutes.registration
                let call = try await access.call(request, context, credentials, device: String(device))
                return try await devices.register(call)
            }
        }
        if servesAPI, request.method == .post, path == EventRoutes.path {
            context.coreContext.endpointPath.value = EventRoutes.path
            return try await events.record(try await EventRoutes.access.call(request, context, credentials))
        }
        let response = try await router.respond(to: request, context: context)
        // The library's response to an unknown path or method.
        guard response.status == .notFound, context.endpointPath == "NotFound" else { return response }
        context.coreContext.endpointPath.value = nil
        let vendor = vendor(request)
        if let vendor, vendor != .coimotion { return vendor.noRoute(request.uri.path) }
        if servesAPI,
            try await credentials.hasCoimotionCode(request.uri.path, of: vendorAPIs, request, context)
        {
            return VendorForm.coimotion.noRoute(request.uri.path)
        }
        return vendor == nil ? noRoute(request) : Response(.unknownPath)
    }

    private func noRoute(_ request: Request) -> Response {
        let allowed = methods.of(request.uri.path)
        guard !allowed.isEmpty else { return Response(.unknownPath) }
        var headers = HTTPFields()
        headers[.allow] = allowed.joined(separator: ", ")
        return Response(.methodNotAllowed, headers: headers)
    }

    /// The vendor in whose form errors are answered; only a vendor's paths look so.
    private func vendor(_ request: Request) -> VendorForm? { servesAPI ? VendorForm(path: request.uri.path) : nil }

    private func response(to error: any Error, _ request: Request, _ context: ServerContext) -> Response {
        let response = problemResponse(to: error, request, context)
        return vendor(request)?.response(to: error, path: request.uri.path) ?? response
    }

    private func problemResponse(to error: any Error, _ request: Request, _ context: ServerContext) -> Response {
        switch error {
        case is ToastFailure, is CorePushFailure, is CoimotionFailure, is PHPForm.Failure:
            return Response(Problem(any: error))
        case let problem as Problem: return Response(problem)
        case let answer as ProblemAnswer: return Response(answer.problem, headers: answer.headers)
        case let error as EngineError:
            if case .store(let fault) = error { log(fault, context) }
            return Response(Problem(error), headers: error.headers)
        case is CancellationError: return Response(.storeUnavailable)
        default:
            context.logger.error(
                "Request failed",
                metadata: context.metadata(["carillon.error": "\(String(reflecting: type(of: error)))"])
            )
            return Response(.internalError)
        }
    }

    private func log(_ fault: StoreError, _ context: ServerContext) {
        switch fault {
        case .full: context.logger.error("Store is full", metadata: context.metadata([:]))
        case .staleMasterKey:
            context.logger.error("Nothing is sealed with a former master key", metadata: context.metadata([:]))
        case .repeated: context.logger.info("Another request had the key", metadata: context.metadata([:]))
        case .unavailable(let reason):
            context.logger.error("Store does not answer", metadata: context.metadata(["carillon.reason": "\(reason)"]))
        case .failed(let reason):
            context.logger.error("Store failed", metadata: context.metadata(["carillon.reason": "\(reason)"]))
        }
    }
}
