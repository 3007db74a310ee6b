import CarillonEngine

/// The page for signing in.
enum Login {
    struct View: PageView {
        static let template = "login"

        let heading: String
        let address: FieldView
        let password: FieldView
        let next: String?
        let held: String?
        let isExpired: Bool
        /// Whether a form of the ended session comes back.
        let isKept: Bool
        /// Signs in without a password; `nil` where browsers have no passkeys.
        let passkey: PasskeyForm?
        /// Signs in at the identity provider; `nil` without one.
        let provider: ProviderForm?
        /// Whether the passwords of admins alone count.
        let isForAdmins: Bool
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(
            _ look: Look,
            _ state: FormState,
            _ continuation: Continuation,
            _ entrance: Entrance,
            isExpired: Bool = false
        ) {
            let texts = look.texts
            heading = texts("login.title")
            address = state.field("address", texts("login.address"), autocomplete: "username")
            password = state.field(
                "password",
                texts("login.password"),
                type: "password",
                autocomplete: "current-password"
            )
            next = continuation.next
            held = continuation.held
            self.isExpired = isExpired
            isKept = continuation.held != nil
            passkey = entrance.passkey
            provider = entrance.provider
            isForAdmins = entrance.isForAdmins
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }
    }

    /// The ways in beside the password.
    struct Entrance: Sendable {
        let passkey: PasskeyForm?
        let provider: ProviderForm?
        let isForAdmins: Bool

        init(_ passkey: PasskeyForm?, _ outside: OutsideSources, _ look: Look, _ operators: CarillonEngine.Operators) {
            self.passkey = passkey
            provider = ProviderForm.signIn(outside.provider, look)
            isForAdmins = operators.options.outside.passwords == .admins
        }

        init(_ visit: EntryVisit) {
            self.init(PasskeyForm.signIn(visit), visit.outside, visit.look, visit.engine.operators)
        }
    }

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.entry("GET", "/login") { visit in
            let continuation = Continuation(visit)
            if visit.session?.stage == .full { return .redirect(continuation.next ?? ConsolePath.home) }
            return .page(View(visit.look, .empty, continuation, Entrance(visit)))
        }
        routes.entry("POST", "/login") { visit in
            let continuation = Continuation(visit)
            do {
                let opened = try await visit.engine.operators.signIn(
                    address: visit.form.text("address"),
                    password: visit.form.text("password"),
                    by: visit.request.operatorCaller
                )
                return .opened(opened, continuation, Entry.attempts(opened.session))
            } catch let error as EngineError where error.isWrongCredentials {
                visit.audit.noteWrong(of: error.wrongOperator)
                let state = FormState(
                    values: visit.form,
                    problems: [FieldProblem("password", visit.texts("login.wrong"))]
                )
                return .problems(View(visit.look, state, continuation, Entrance(visit)))
            }
        }
        routes.entry("POST", "/login/passkey") { visit in try await signInWithPasskey(visit) }
        routes.entry("POST", "/logout") { visit in
            if let cookie = visit.cookie { try await visit.engine.operators.signOut(cookie) }
            // The proxy would sign in at once who opens the page for signing in.
            if visit.session?.method == .proxy { return .ended(redirect: ConsolePath.login + "/ended") }
            return .ended(redirect: ConsolePath.login, Notice("login.signedOut"))
        }
    }

    private static func signInWithPasskey(_ visit: EntryVisit) async throws -> Outcome {
        let continuation = Continuation(visit)
        do {
            // At an address without passkeys there is nothing that could be right.
            guard let proof = visit.request.passkeyProof else {
                throw EngineError.operators(.wrongCredentials(of: nil))
            }
            let opened = try await visit.engine.operators.signIn(
                with: proof,
                browser: visit.browser,
                by: visit.request.operatorCaller
            )
            return .opened(opened, continuation, Entry.attempts(opened.session))
        } catch let error as EngineError where error.isWrongCredentials {
            visit.audit.noteWrong(of: error.wrongOperator)
            let state = FormState(values: visit.form, problems: [FieldProblem(nil, visit.texts("passkey.wrong"))])
            return .problems(View(visit.look, state, continuation, Entrance(visit)))
        }
    }
}

/// What pages of entry share.
enum Entry {
    /// Tells of wrong passwords and codes since the sign-in before; `nil` when there were none.
    static func attempts(_ session: CarillonEngine.OperatorSession) -> Notice? {
        guard session.failedAttempts > 0 else { return nil }
        return Notice("login.attempts", ["count": String(session.failedAttempts)])
    }
}
