import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

// What comes before a page while it is not known, or not known well enough, who asks for it.
extension Console {
    /// Leads who asked for a page to the page for signing in, and back.
    func loginRedirect(_ call: ConsoleCall) -> Response {
        redirect(Self.step(ConsolePath.login, Continuation(next: Self.prefix + call.request.location)))
    }

    /// Asks the proxy who is there, else the person.
    func askWho(_ call: ConsoleCall, _ isForm: Bool) async throws -> Outcome {
        let continuation =
            isForm ? self.continuation(call) : Continuation(next: Self.prefix + call.request.location)
        return try await proxyOutcome(call, continuation) ?? askForPassword(call, isForm)
    }

    /// A page is asked for again after signing in; a form is held.
    func askForPassword(_ call: ConsoleCall, _ isForm: Bool) -> Outcome {
        guard isForm else {
            return .redirect(Self.step(ConsolePath.login, Continuation(next: Self.prefix + call.request.location)))
        }
        call.audit.noteUndone()
        let (look, held) = (look(call), continuation(call))
        let passkey = PasskeyForm.signIn(look, call.request, call.browser, engine)
        let entrance = Login.Entrance(passkey, configuration.outside, look, engine.operators)
        return .page(Login.View(look, .empty, held, entrance, isExpired: true))
    }

    /// Leads to the second factor; a form is held.
    func missingStep(
        _ stage: OperatorSession.Stage,
        _ session: OperatorSession,
        _ call: ConsoleCall,
        _ isForm: Bool
    ) async throws -> Outcome {
        if isForm {
            call.audit.noteUndone()
            guard stage == .enrolment else {
                let passkey = try await proof(call, session, action: ConsolePath.code)
                return .page(Code.View(look(call), .empty, continuation(call), passkey))
            }
        }
        let next = Continuation(next: isForm ? formPage(call) : Self.prefix + call.request.location)
        return .redirect(Self.step(stage == .enrolment ? ConsolePath.enrolment : ConsolePath.code, next))
    }

    /// Asks anew who is there, and continues.
    func askAgain(_ call: ConsoleCall, _ session: OperatorSession, _ isForm: Bool) async throws -> Outcome {
        if isForm { call.audit.noteUndone() }
        let continuation =
            isForm
            ? continuation(call) : Continuation(next: Self.prefix + call.request.location)
        let passkey = try await proof(call, session, action: ConsolePath.fresh)
        let entrance = Again.Entrance(passkey, configuration.outside, session, look(call), engine.operators)
        return .page(Again.View(look(call), session, .empty, continuation, entrance))
    }

    /// Continues what was begun before, once a session was opened.
    func continued(
        _ opened: OpenedSession,
        _ continuation: Continuation,
        _ notice: Notice?,
        _ call: ConsoleCall
    ) async throws -> Response {
        var call = call
        let known = call.session
        (call.cookie, call.session) = (opened.value, opened.session)
        call.audit.note(opened.session)
        var response: Response
        switch opened.session.stage {
        case .secondFactor where continuation.held != nil:
            let passkey = try await proof(call, opened.session, action: ConsolePath.code)
            response = try await self.response(.page(Code.View(look(call), .empty, continuation, passkey)), call)
        case .secondFactor: response = redirect(Self.step(ConsolePath.code, continuation))
        case .enrolment: response = redirect(Self.step(ConsolePath.enrolment, continuation))
        case .full:
            // What was held while the session was not fresh is done now; what an ended session left is only shown.
            let path = call.request.path
            let submits =
                path == "/login/again" || path == ProviderPages.returnPath && opened.session.id == known?.id
            let held = continuation.held.flatMap { HeldForm.open($0, engine.context.vault, at: call.now(engine)) }
            var continued: Response?
            if let held { continued = await continueHeld(held, call, submits: submits) }
            response = continued ?? redirect(continuation.next ?? ConsolePath.home)
        }
        call.cookies.setTheme(opened.session.owner.theme, in: &response)
        // A handler that ran may have changed the value again.
        if !response.headers[values: .setCookie].contains(where: { $0.hasPrefix(call.cookies.session + "=") }) {
            call.cookies.setSession(opened.value, in: &response)
        }
        if let notice { call.cookies.setNotice(notice, in: &response) }
        return response
    }

    func redirect(_ path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path])
    }

    // MARK: - Private

    private static func step(_ path: String, _ continuation: Continuation) -> String {
        guard let next = ConsolePath.own(continuation.next), next != ConsolePath.home else { return path }
        return path + "?next=" + FormFields.escaped(next)
    }

    private func proof(
        _ call: ConsoleCall,
        _ session: OperatorSession,
        action: String
    ) async throws -> PasskeyForm? {
        try await PasskeyForm.proof(look(call), call.request, session, call.browser, engine, action: action)
    }

    /// What follows once it is known who sent a form: the form, or its page when it is too large to be held.
    private func continuation(_ call: ConsoleCall) -> Continuation {
        let isRead = !call.request.form.isEmpty
        let held = isRead ? HeldForm(call.request, at: call.now(engine))?.sealed(engine.context.vault) : nil
        return Continuation(next: formPage(call), held: held)
    }

    /// The page that has a form: that of its path, or of the path above.
    private func formPage(_ call: ConsoleCall) -> String? {
        var parts = ConsoleRoutes.parts(call.request.path)
        while !parts.isEmpty {
            let path = "/" + parts.joined(separator: "/")
            if case .route = routes.match("GET", path) { return Self.prefix + path }
            parts.removeLast()
        }
        return nil
    }
}

extension ConsoleCall {
    fileprivate func now(_ engine: Engine) -> Timestamp { engine.context.clock.now() }
}
