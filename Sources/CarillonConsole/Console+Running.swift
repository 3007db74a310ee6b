import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Hummingbird

extension Console {
    /// Runs a route's handler for who may run it.
    func run(_ route: ConsoleRoute, _ call: inout ConsoleCall) async throws -> Outcome {
        if case .entry(let handler) = route.handler {
            let asksWho = route.declared.path == "/login" && route.declared.method == "GET" && call.session == nil
            if asksWho, let outcome = try await proxyOutcome(call, Continuation(entryVisit(call))) { return outcome }
            return try await handler(entryVisit(call))
        }
        let isForm = route.declared.method == "POST"
        guard let session = call.session else { return try await askWho(call, isForm) }
        guard session.stage == .full else {
            return try await missingStep(session.stage, session, call, isForm)
        }
        if let id = try await check(route.declared.access, session, call) {
            call.app = try await engine.apps.app(id)
            call.audit.note(app: id)
        }
        guard !route.declared.needsFreshAuthentication || engine.operators.isFresh(session) else {
            return try await askAgain(call, session, isForm)
        }
        let visit = try makeVisit(call, session)
        do {
            return try await submit(route, visit)
        } catch let error as EngineError where error.needsFreshAuthentication && isForm {
            // What is asked depends on what the form is about, such as the number of Devices that a Campaign reaches.
            return try await askAgain(call, session, isForm)
        }
    }

    /// Shows a form that was held, or does what it says.
    ///
    /// - Parameters:
    ///   - held: The form.
    ///   - call: The request that opened the session, with that session.
    ///   - submits: Whether it is done; otherwise it is shown with what was typed.
    /// - Returns: The response; `nil` when there is no such form any more.
    func continueHeld(_ held: HeldForm, _ call: ConsoleCall, submits: Bool) async -> Response? {
        guard case .route(let route, let parameters) = routes.match("POST", held.path), let session = call.session,
            case .form(let handler) = route.handler
        else { return nil }
        var call = call
        call.request = call.request.with(form: held.fields, path: held.path)
        call.parameters = parameters
        // An entry of its own, beside that of the password or code.
        call.audit = ConsoleAudit()
        call.audit.note(session)
        var response: Response
        do {
            if let id = try await check(route.declared.access, session, call) {
                call.app = try await engine.apps.app(id)
                call.audit.note(app: id)
            }
            let visit = try makeVisit(call, session)
            let outcome =
                submits
                ? try await submit(route, visit)
                : try await handler.show(visit, FormState(values: held.fields))
            response = try await self.response(outcome, call)
        } catch {
            response = await problemResponse(error, call)
        }
        if submits { await record(call.audit, route.declared, status: response.status.code, call.request.caller) }
        return response
    }

    // MARK: - Private

    private func submit(_ route: ConsoleRoute, _ visit: Visit) async throws -> Outcome {
        switch route.handler {
        case .entry: throw ConsoleProblem.notFound
        case .page(let handler): return try await handler(visit)
        case .form(let handler):
            do {
                return try await handler.submit(visit)
            } catch let problems as FormProblems {
                return try await handler.show(visit, FormState(values: visit.form, problems: problems.all))
            } catch let error as EngineError where !error.fieldErrors.isEmpty {
                let problems = error.fieldErrors.map { FieldProblem($0.field, visit.texts.problem($0)) }
                return try await handler.show(visit, FormState(values: visit.form, problems: problems))
            }
        }
    }

    /// Checks the role.
    ///
    /// - Returns: The App of the path.
    private func check(
        _ access: ConsoleAccess,
        _ session: OperatorSession,
        _ call: ConsoleCall
    ) async throws -> AppID? {
        switch access {
        case .open, .signedIn: return nil
        case .anywhere(let role):
            guard let greatest = session.owner.roles.greatest, greatest >= role else {
                throw EngineError.operators(.roleRequired(role))
            }
            return nil
        case .everywhere(let role):
            try session.require(role, in: nil)
            return nil
        case .app(let role):
            guard let id = call.parameters["app"].flatMap({ AppID($0) }) else { throw ConsoleProblem.notFound }
            try session.require(role, in: id)
            return id
        }
    }

    private func makeVisit(_ call: ConsoleCall, _ session: OperatorSession) throws -> Visit {
        guard let cookie = call.cookie else { throw ConsoleProblem.foreignForm }
        return Visit(
            request: call.request,
            parameters: call.parameters,
            session: session,
            sessionValue: cookie,
            engine: engine,
            pathApp: call.app,
            look: look(call),
            audit: call.audit,
            streams: streams,
            images: images,
            outside: configuration.outside,
            logger: logger
        )
    }

    private func entryVisit(_ call: ConsoleCall) -> EntryVisit {
        EntryVisit(
            request: call.request,
            parameters: call.parameters,
            cookie: call.cookie,
            browser: call.browser,
            session: call.session,
            engine: engine,
            look: look(call),
            audit: call.audit,
            outside: configuration.outside,
            logger: logger
        )
    }
}
