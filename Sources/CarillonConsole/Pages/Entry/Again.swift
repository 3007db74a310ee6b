import CarillonEngine
import CarillonOperatorModel

/// The page that asks anew who is there, before something that must not be done by whoever finds an open browser.
enum Again {
    struct View: PageView {
        static let template = "again"

        let heading: String
        let asksForCode: Bool
        let proof: FieldView
        let next: String?
        let held: String?
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(_ look: Look, _ session: OperatorSession, _ state: FormState, _ continuation: Continuation) {
            let texts = look.texts
            heading = texts("again.title")
            asksForCode = session.owner.hasSecondFactor
            proof =
                asksForCode
                ? state.field("code", texts("code.code"), hint: texts("code.hint"), autocomplete: "one-time-code")
                : state.field("password", texts("login.password"), type: "password", autocomplete: "current-password")
            next = continuation.next
            held = continuation.held
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }
    }

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.entry("GET", "/login/again") { visit in
            guard let session = visit.session, session.stage == .full else { return .redirect(ConsolePath.login) }
            return .page(View(visit.look, session, .empty, Continuation(visit)))
        }
        routes.entry("POST", "/login/again") { visit in
            guard let cookie = visit.cookie, let session = visit.session, session.stage == .full else {
                return .redirect(ConsolePath.login)
            }
            let continuation = Continuation(visit)
            let hasCode = session.owner.hasSecondFactor
            let proof = hasCode ? OperatorProof.code(visit.form.text("code")) : .password(visit.form.text("password"))
            do {
                let opened = try await visit.engine.operators.authenticate(
                    cookie,
                    with: proof,
                    by: visit.request.operatorCaller
                )
                return .opened(opened, continuation)
            } catch let error as EngineError where error.isWrongCredentials {
                visit.audit.noteWrong(of: session.owner.id)
                let problem =
                    hasCode
                    ? FieldProblem("code", visit.texts("code.wrong"))
                    : FieldProblem("password", visit.texts("again.wrong"))
                return .problems(
                    View(visit.look, session, FormState(values: visit.form, problems: [problem]), continuation)
                )
            } catch let error as EngineError where error.hasNoSession {
                return .redirect(ConsolePath.login)
            }
        }
    }
}
