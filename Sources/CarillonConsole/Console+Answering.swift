import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
package import Hummingbird

extension Console {
    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request, whose path begins with ``prefix``.
    ///   - caller: What the server knows about who sends it.
    /// - Returns: The response, whatever happens.
    package func answer(_ request: Request, _ caller: ConsoleCaller) async -> Answer {
        let origin = ConsoleOrigin(
            publicURL: configuration.publicURL,
            authority: request.head.authority ?? "",
            isEncrypted: caller.isEncrypted
        )
        let path = Self.path(request)
        if path.hasPrefix("/assets/"), request.method == .get || request.method == .head {
            return finished(assetResponse(path, request, caller, origin), "/console/assets/{asset}", request, origin)
        }
        let match = routes.match(request.method == .head ? "GET" : request.method.rawValue, path)
        var call = ConsoleCall(bare(request, path, caller, origin), self)
        var route: ConsoleRoute?
        var response: Response
        do {
            if case .route(let found, let parameters) = match { (route, call.parameters) = (found, parameters) }
            response = try await respond(request, match, &call)
        } catch {
            response = await problemResponse(error, call)
        }
        // What was begun at the provider has ended, however it did.
        if call.request.path == ProviderPages.returnPath { call.cookies.setPending(nil, in: &response) }
        if let route { await record(call.audit, route.declared, status: response.status.code, caller) }
        return finished(response, route.map { Self.prefix + $0.declared.path }, request, origin)
    }

    // MARK: - Private

    private static func path(_ request: Request) -> String {
        let path = request.uri.path.dropFirst(prefix.count)
        return path.isEmpty ? "/" : String(path)
    }

    private func bare(
        _ request: Request,
        _ path: String,
        _ caller: ConsoleCaller,
        _ origin: ConsoleOrigin
    ) -> ConsoleRequest {
        let query = request.uri.query.flatMap { try? FormFields(urlEncoded: Array($0.utf8)) }
        return ConsoleRequest(
            method: request.method,
            path: path,
            query: query ?? FormFields(),
            form: FormFields(),
            headers: request.headers,
            cookies: request.cookies,
            caller: caller,
            origin: origin
        )
    }

    /// Checks whatever is checked before a handler runs, in this order, and runs it.
    private func respond(
        _ request: Request,
        _ match: ConsoleRoutes.Match,
        _ call: inout ConsoleCall
    ) async throws -> Response {
        let origin = call.request.origin
        guard origin.isEncrypted || origin.isLoopback || configuration.allowsPlainHTTP else {
            throw ConsoleProblem.plainHTTP
        }
        if try await !engine.operators.isSetUp(), !Self.isOpenBeforeSetup(call.request.path) {
            return redirect(ConsolePath.setup)
        }
        let problem = await readForm(request, match, &call)
        if let value = call.cookie {
            call.session = try await engine.operators.session(value, by: call.request.operatorCaller)
            try await checkProxy(&call)
            if let session = call.session { call.audit.note(session) }
        }
        guard case .route(let route, _) = match else {
            // Who is not signed in gets to know no address.
            guard call.session != nil else { return loginRedirect(call) }
            if case .otherMethod = match { throw ConsoleProblem.methodNotAllowed }
            throw ConsoleProblem.notFound
        }
        if case .formTooLarge? = problem as? ConsoleProblem, call.session?.stage != .full,
            route.bodyLimit > FormCheck.closedLimit
        {
            // It was read of nobody: at least the page of the form comes after signing in.
            return try await self.response(askWho(call, true), call)
        }
        if let problem { throw problem }
        if request.method == .post { try FormCheck.check(call.request, call.cookie) }
        var outcome = try await run(route, &call)
        // Who reads it as a file gets one event, and may have closed the sending half of the connection.
        if case .stream(let body) = outcome, request.headers[.accept]?.contains("text/event-stream") == true {
            outcome = .stream(body.endingWithConnection(of: request))
        }
        return try await self.response(outcome, call)
    }

    /// Whether a path is open before there is an admin: links may lead to the first one too.
    private static func isOpenBeforeSetup(_ path: String) -> Bool {
        path == "/setup" || ["/setup/", "/invite/", "/reset/", "/assets/"].contains { path.hasPrefix($0) }
    }

    /// Reads the form of a request.
    ///
    /// The session is read after it: a form may take its time, and what ends meanwhile must not act any more.
    ///
    /// - Returns: What is wrong with the form; `nil` when nothing is.
    private func readForm(
        _ request: Request,
        _ match: ConsoleRoutes.Match,
        _ call: inout ConsoleCall
    ) async -> (any Error)? {
        guard request.method == .post, case .route(let route, _) = match else { return nil }
        do {
            var limit = route.bodyLimit
            if limit > FormCheck.closedLimit, try await !isSignedIn(call) {
                limit = FormCheck.closedLimit
            } else if limit > FormCheck.openLimit {
                call.place = try await placeForFile(call)
                if call.place == nil { limit = FormCheck.openLimit }
            }
            call.request = call.request.with(form: try await FormCheck.read(request, upTo: limit))
            return nil
        } catch {
            return error
        }
    }

    /// Whether the cookie opens a session, whose forms may be large.
    private func isSignedIn(_ call: ConsoleCall) async throws -> Bool {
        guard let value = call.cookie else { return false }
        return try await engine.operators.session(value, by: call.request.operatorCaller)?.stage == .full
    }

    /// A place for a form with a file, which is in memory as long as it is read and worked on.
    ///
    /// - Returns: `nil` for who is not signed in, whose form is only read as far as that of anybody.
    /// - Throws: ``ConsoleProblem/tooManyFiles``.
    private func placeForFile(_ call: ConsoleCall) async throws -> Places<OperatorSessionID>.Place? {
        let caller = call.request.operatorCaller
        guard let value = call.cookie, let session = try await engine.operators.session(value, by: caller),
            session.stage == .full
        else { return nil }
        do throws(Places<OperatorSessionID>.Refusal) {
            return try files.acquire(session.id)
        } catch {
            throw ConsoleProblem.tooManyFiles
        }
    }

    private func assetResponse(
        _ path: String,
        _ request: Request,
        _ caller: ConsoleCaller,
        _ origin: ConsoleOrigin
    ) -> Response {
        assets.response(String(path.dropFirst("/assets/".count))) ?? Response(status: .notFound)
    }

    private func finished(
        _ response: Response,
        _ route: String?,
        _ request: Request,
        _ origin: ConsoleOrigin
    ) -> Answer {
        var response = request.method == .head ? response.createHeadResponse() : response
        ConsoleHeaders.add(
            to: &response.headers,
            isEncrypted: origin.isEncrypted,
            includesSubdomains: configuration.includesSubdomains
        )
        return Answer(response: response, route: route)
    }
}

/// A request on its way through the console.
struct ConsoleCall: Sendable {
    var request: ConsoleRequest
    var parameters: [String: String] = [:]
    let cookies: ConsoleCookies
    /// The value of the session's cookie, whether there is such a session or not.
    var cookie: String?
    /// The value that a browser without one gets with a page.
    private let newValue = SessionValue.make()
    /// The session, however far signing in has come.
    var session: OperatorSession?
    var audit = ConsoleAudit()
    /// The App of the path, once it was read.
    var app: App?
    /// Held as long as a form with a file is worked on.
    var place: Places<OperatorSessionID>.Place?

    /// The value that the browser has when it sends the page's form.
    var browser: String { cookie ?? newValue }

    init(_ request: ConsoleRequest, _ console: Console) {
        self.request = request
        cookies = ConsoleCookies(isEncrypted: request.origin.isEncrypted)
        cookie = cookies.sessionValue(request.cookies)
    }
}

extension ConsoleRequest {
    /// The same request with a form.
    func with(form: FormFields, path: String? = nil) -> ConsoleRequest {
        ConsoleRequest(
            method: method,
            path: path ?? self.path,
            query: path == nil ? query : FormFields(),
            form: form,
            headers: headers,
            cookies: cookies,
            caller: caller,
            origin: origin
        )
    }
}
