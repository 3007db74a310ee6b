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
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(_ look: Look, _ state: FormState, _ continuation: Continuation) {
            let texts = look.texts
            heading = texts("code.title")
            code = state.field("code", texts("code.code"), hint: texts("code.hint"), autocomplete: "one-time-code")
            next = continuation.next
            held = continuation.held
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }
    }

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.entry("GET", "/login/code") { visit in
            guard visit.session?.stage == .secondFactor else { return .redirect(ConsolePath.home) }
            return .page(View(visit.look, .empty, Continuation(visit)))
        }
        routes.entry("POST", "/login/code") { visit in
            guard let cookie = visit.cookie, let session = visit.session else { return .redirect(ConsolePath.login) }
            let continuation = Continuation(visit)
            do {
                let opened = try await visit.engine.operators.passSecondFactor(
                    cookie,
                    code: visit.form.text("code"),
                    by: visit.request.operatorCaller
                )
                let left = opened.session.owner.recoveryCodes
                // A recovery code was used.
                let used = left < session.owner.recoveryCodes
                let notice = used ? Notice("code.left", ["count": String(left)]) : Entry.attempts(opened.session)
                return .opened(opened, continuation, notice)
            } catch let error as EngineError where error.isWrongCredentials {
                visit.audit.noteWrong(of: session.owner.id)
                let state = FormState(values: visit.form, problems: [FieldProblem("code", visit.texts("code.wrong"))])
                return .problems(View(visit.look, state, continuation))
            } catch let error as EngineError where error.hasNoSession {
                return .redirect(ConsolePath.login)
            }
        }
    }
}
