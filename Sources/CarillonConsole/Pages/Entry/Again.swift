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
        /// Whether there is a password or an authenticator to ask for.
        let hasProof: Bool
        /// `nil` for who has no passkey for this address.
        let passkey: PasskeyForm?
        /// `nil` for who has no account at the identity provider.
        let provider: ProviderForm?
        /// Whether a proxy signed in, which cannot say that it is the same person.
        let isOfProxy: Bool
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(
            _ look: Look,
            _ session: OperatorSession,
            _ state: FormState,
            _ continuation: Continuation,
            _ entrance: Entrance
        ) {
            let texts = look.texts
            heading = texts("again.title")
            asksForCode = session.owner.hasSecondFactor
            proof =
                asksForCode
                ? state.field("code", texts("code.code"), hint: texts("code.hint"), autocomplete: "one-time-code")
                : state.field("password", texts("login.password"), type: "password", autocomplete: "current-password")
            next = continuation.next
            held = continuation.held
            hasProof = entrance.hasProof
            passkey = entrance.passkey
            provider = entrance.provider
            isOfProxy = session.method == .proxy
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }
    }

    /// The ways to prove who is there.
    struct Entrance: Sendable {
        let hasProof: Bool
        let passkey: PasskeyForm?
        let provider: ProviderForm?

        init(
            _ passkey: PasskeyForm?,
            _ outside: OutsideSources,
            _ session: OperatorSession,
            _ look: Look,
            _ operators: CarillonEngine.Operators
        ) {
            self.passkey = passkey
            provider = ProviderForm.again(outside.provider, look, hasAccount: session.owner.identities > 0)
            hasProof = session.owner.hasAuthenticator || operators.maySignInWithPassword(session.owner)
        }

        init(_ visit: EntryVisit, _ session: OperatorSession) async throws {
            let passkey = try await PasskeyForm.proof(visit, session, action: ConsolePath.fresh)
            self.init(passkey, visit.outside, session, visit.look, visit.engine.operators)
        }
    }

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.entry("GET", "/login/again") { visit in
            guard let session = visit.session, session.stage == .full else { return .redirect(ConsolePath.login) }
            let entrance = try await Entrance(visit, session)
            return .page(View(visit.look, session, .empty, Continuation(visit), entrance))
        }
        routes.entry("POST", "/login/again") { visit in
            guard let cookie = visit.cookie, let session = visit.session, session.stage == .full else {
                return .redirect(ConsolePath.login)
            }
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
        let (texts, continuation) = (visit.texts, Continuation(visit))
        let hasCode = session.owner.hasSecondFactor
        let typed = hasCode ? OperatorProof.code(visit.form.text("code")) : .password(visit.form.text("password"))
        do throws(EngineError) {
            let opened = try await visit.engine.operators.authenticate(
                cookie,
                with: visit.request.sentPasskey.map(OperatorProof.passkey) ?? typed,
                by: visit.request.operatorCaller
            )
            return .opened(opened, continuation)
        } catch {
            guard error.isWrongCredentials else { throw error }
            visit.audit.noteWrong(of: session.owner.id)
            let problem =
                visit.request.passkeyProblem(texts)
                ?? (hasCode
                    ? FieldProblem("code", texts("code.wrong")) : FieldProblem("password", texts("again.wrong")))
            let entrance = try await Entrance(visit, session)
            let state = FormState(values: visit.form, problems: [problem])
            return .problems(View(visit.look, session, state, continuation, entrance))
        }
    }
}
