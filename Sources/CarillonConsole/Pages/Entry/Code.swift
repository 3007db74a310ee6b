import CarillonEngine
import CarillonOperatorModel

/// The page for the code of the second factor.
enum Code {
    struct View: PageView {
        static let template = "code"

        let heading: String
        let code: FieldView
        let next: String?
        let held: String?
        /// `nil` for who has no passkey for this address.
        let passkey: PasskeyForm?
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(_ look: Look, _ state: FormState, _ continuation: Continuation, _ passkey: PasskeyForm?) {
            let texts = look.texts
            heading = texts("code.title")
            code = state.field("code", texts("code.code"), hint: texts("code.hint"), autocomplete: "one-time-code")
            next = continuation.next
            held = continuation.held
            self.passkey = passkey
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }
    }

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.entry("GET", "/login/code") { visit in
            guard let session = visit.session, session.stage == .secondFactor else {
                return .redirect(ConsolePath.home)
            }
            let passkey = try await PasskeyForm.proof(visit, session, action: ConsolePath.code)
            return .page(View(visit.look, .empty, Continuation(visit), passkey))
        }
        routes.entry("POST", "/login/code") { visit in
            guard let cookie = visit.cookie, let session = visit.session else { return .redirect(ConsolePath.login) }
            do {
                return try await submit(visit, cookie, session)
            } catch let error as EngineError where error.hasNoSession {
                return .redirect(ConsolePath.login)
            }
        }
    }

    // MARK: - Private

    private static func submit(
        _ visit: EntryVisit,
        _ cookie: String,
        _ session: OperatorSession
    ) async throws -> Outcome {
        let (operators, continuation) = (visit.engine.operators, Continuation(visit))
        let caller = visit.request.operatorCaller
        do throws(EngineError) {
            let opened =
                if let proof = visit.request.sentPasskey {
                    try await operators.passSecondFactor(cookie, passkey: proof, by: caller)
                } else {
                    try await operators.passSecondFactor(cookie, code: visit.form.text("code"), by: caller)
                }
            let left = opened.session.owner.recoveryCodes
            // A recovery code was used.
            let used = left < session.owner.recoveryCodes
            let notice = used ? Notice("code.left", ["count": String(left)]) : Entry.attempts(opened.session)
            return .opened(opened, continuation, notice)
        } catch {
            guard error.isWrongCredentials else { throw error }
            visit.audit.noteWrong(of: session.owner.id)
            let problem = visit.request.passkeyProblem(visit.texts) ?? FieldProblem("code", visit.texts("code.wrong"))
            let state = FormState(values: visit.form, problems: [problem])
            let passkey = try await PasskeyForm.proof(visit, session, action: ConsolePath.code)
            return .problems(View(visit.look, state, continuation, passkey))
        }
    }
}
