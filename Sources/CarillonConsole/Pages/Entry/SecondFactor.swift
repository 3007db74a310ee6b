import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The pages that set up a second factor: at the first sign-in, or from the account.
enum SecondFactor {
    struct View: PageView {
        static let template = "second-factor"

        let heading: String
        let lead: String
        let action: String
        let secret: String
        let hasQR: Bool
        let qrSize: Int
        let qrPath: String
        let sealed: String
        let code: FieldView
        let next: String?
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(
            _ enrolment: SecondFactorEnrolment,
            _ look: Look,
            _ state: FormState,
            action: String,
            next: String? = nil
        ) {
            let texts = look.texts
            let qr = QRCode(enrolment.url)
            heading = texts("factor.title")
            lead = texts("factor.lead")
            self.action = action
            secret = Self.grouped(enrolment.secret)
            hasQR = qr != nil
            qrSize = qr?.size ?? 0
            qrPath = qr?.path ?? ""
            sealed = enrolment.sealed
            code = state.field(
                "code",
                texts("code.code"),
                hint: texts("factor.codeHint"),
                autocomplete: "one-time-code"
            )
            self.next = next
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }

        /// In groups of four, which are easier to type.
        private static func grouped(_ secret: String) -> String {
            var text = ""
            for (index, character) in secret.enumerated() {
                if index > 0, index.isMultiple(of: 4) { text.append(" ") }
                text.append(character)
            }
            return text
        }
    }

    /// Recovery codes, shown once.
    struct CodesView: PageView {
        static let template = "recovery-codes"

        let heading: String
        let codes: [String]
        let next: String

        init(_ codes: [String], _ look: Look, next: String) {
            heading = look.texts("factor.codes")
            self.codes = codes
            self.next = next
        }
    }

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.entry("GET", "/login/second-factor") { visit in
            guard let session = visit.session, session.stage == .enrolment else {
                return .redirect(ConsolePath.home)
            }
            do {
                let enrolment = try visit.engine.operators.beginSecondFactor(session)
                let next = Continuation(visit).next
                return .page(View(enrolment, visit.look, .empty, action: ConsolePath.enrolment, next: next))
            } catch let error as EngineError where error.needsFreshAuthentication {
                return try await Self.signInAgain(visit)
            }
        }
        routes.entry("POST", "/login/second-factor") { visit in
            guard let cookie = visit.cookie, let session = visit.session, session.stage == .enrolment else {
                return .redirect(ConsolePath.home)
            }
            let operators = visit.engine.operators
            let (sealed, next) = (visit.form.text("sealed"), Continuation(visit).next)
            guard let enrolment = operators.secondFactor(sealed: sealed, of: session) else {
                return .redirect(ConsolePath.enrolment)
            }
            do {
                let made = try await operators.confirmSecondFactor(
                    cookie,
                    sealed: sealed,
                    code: visit.form.text("code"),
                    by: visit.request.operatorCaller
                )
                return .openedPage(made.opened, CodesView(made.codes, visit.look, next: next ?? ConsolePath.home))
            } catch let error as EngineError where error.isWrongCredentials {
                visit.audit.noteWrong(of: session.owner.id)
                let state = FormState(values: visit.form, problems: [FieldProblem("code", visit.texts("code.wrong"))])
                return .problems(View(enrolment, visit.look, state, action: ConsolePath.enrolment, next: next))
            } catch let error as EngineError where error.needsFreshAuthentication {
                return try await Self.signInAgain(visit)
            }
        }
    }

    /// The password was given too long ago: the session begins anew.
    private static func signInAgain(_ visit: EntryVisit) async throws -> Outcome {
        if let cookie = visit.cookie { try await visit.engine.operators.signOut(cookie) }
        return .ended(redirect: ConsolePath.login)
    }
}
