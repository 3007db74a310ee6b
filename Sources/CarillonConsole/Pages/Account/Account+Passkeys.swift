import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The Operator's own passkeys.
extension Account {
    /// A passkey in the list of the account.
    struct PasskeyRow: Sendable {
        let path: String
        let name: String
        let kind: String
        let created: TimeView
        /// `nil` before the first use.
        let lastUse: TimeView?

        init(_ passkey: OperatorPasskey, _ look: Look) {
            path = Account.passkeys + "/\(passkey.id)"
            name = passkey.name
            kind = look.texts(passkey.isSynced ? "passkey.synced" : "passkey.bound")
            created = look.times.table(passkey.createdAt)
            lastUse = passkey.usedAt.map { look.times.table($0) }
        }
    }

    /// The page that registers a passkey.
    struct NewPasskeyView: PageView {
        static let template = "passkey-new"

        let heading: String
        /// `nil` at an address for which browsers make no passkeys.
        let passkey: PasskeyForm?
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(_ visit: Visit, _ state: FormState) async throws {
            let (look, party) = (visit.look, visit.request.origin.passkeyParty)
            heading = look.texts("passkey.newTitle")
            var form: PasskeyForm?
            if let party {
                let asked = try await visit.engine.operators.beginPasskey(visit.session, visit.sessionValue, party)
                form = PasskeyForm(registration: asked, action: Account.passkeys + "/new", look, state)
            }
            passkey = form
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }
    }

    /// The page of one passkey.
    struct PasskeyView: PageView {
        static let template = "passkey-edit"

        let heading: String
        let path: String
        let name: FieldView
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(_ passkey: OperatorPasskey, _ look: Look, _ state: FormState) {
            heading = passkey.name
            path = Account.passkeys + "/\(passkey.id)"
            name = state.field(
                "name",
                look.texts("passkey.name"),
                hint: look.texts("passkey.nameHint"),
                standard: passkey.name
            )
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }
    }

    static func declarePasskeys(_ routes: inout ConsoleRoutes) {
        routes.page("/account/passkeys/new", .signedIn, fresh: true) { visit in
            .page(try await NewPasskeyView(visit, .empty))
        }
        routes.form("/account/passkeys/new", .signedIn, fresh: true) { visit, state in
            try await NewPasskeyView(visit, state)
        } submit: { visit in
            try await register(visit)
        }
        routes.page("/account/passkeys/{passkey}", .signedIn) { visit in
            .page(PasskeyView(try await passkey(of: visit), visit.look, .empty))
        }
        routes.form("/account/passkeys/{passkey}", .signedIn) { visit, state in
            PasskeyView(try await passkey(of: visit), visit.look, state)
        } submit: { visit in
            let passkey = try await passkey(of: visit)
            let name = visit.form.text("name")
            try await visit.engine.operators.renamePasskey(passkey.id, to: name, of: visit.session)
            visit.audit.note(object: visit.person.id.description, change: "passkey: \(passkey.id) renamed")
            return .redirect(ConsolePath.account, Notice("passkey.renamed"))
        }
        let remove = "/account/passkeys/{passkey}/remove"
        routes.action(remove, .signedIn, fresh: true, on: { _ in ConsolePath.account }) { visit in
            let passkey = try await passkey(of: visit)
            let opened = try await visit.engine.operators.removePasskey(visit.sessionValue, passkey.id)
            visit.audit.note(object: visit.person.id.description, change: "passkey: \(passkey.id) removed")
            return .opened(opened, Continuation(next: ConsolePath.account), Notice("passkey.removed"))
        }
    }

    // MARK: - Private

    private static let passkeys = ConsolePath.account + "/passkeys"

    private static func passkey(of visit: Visit) async throws -> OperatorPasskey {
        let id = try visit.parameter("passkey") { OperatorPasskeyID($0) }
        let known = try await visit.engine.operators.signIns(of: visit.session).passkeys
        guard let passkey = known.first(where: { $0.id == id }) else { throw ConsoleProblem.notFound }
        return passkey
    }

    private static func register(_ visit: Visit) async throws -> Outcome {
        guard let proof = visit.request.passkeyProof else {
            throw FormProblems(nil, visit.texts("passkey.noAddress"))
        }
        do throws(EngineError) {
            let made = try await visit.engine.operators.registerPasskey(
                visit.sessionValue,
                name: visit.form.text("name"),
                proof
            )
            visit.audit.note(object: visit.person.id.description, change: "passkey: added")
            guard made.codes.isEmpty else {
                let view = SecondFactor.CodesView(made.codes, visit.look, next: ConsolePath.account)
                return .openedPage(made.opened, view)
            }
            return .opened(made.opened, Continuation(next: ConsolePath.account), Notice("passkey.added"))
        } catch {
            if case .conflict = error { throw FormProblems(nil, visit.texts("passkey.known")) }
            // The page was open for too long, or the browser answered something else.
            guard error.isWrongCredentials else { throw error }
            throw FormProblems(nil, visit.texts("passkey.notMade"))
        }
    }
}
