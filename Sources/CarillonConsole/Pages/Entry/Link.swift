import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

/// The pages that a link opens: for the first Operator, for an invitation, for a new password.
enum Link {
    /// The page that chooses a name and a password.
    struct View: PageView {
        static let template = "link"

        let heading: String
        let lead: String
        let action: String
        let fields: [FieldView]
        /// Whose password it is, for password managers; `nil` when the form has the field.
        let username: String?
        let button: String
        /// Accepts an invitation with an account of the identity provider; `nil` without one.
        let provider: ProviderForm?
        /// Whether a password may be chosen.
        let hasPassword: Bool
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(_ link: ValidLink, _ secret: String, _ visit: EntryVisit, _ state: FormState) {
            let look = visit.look
            let texts = look.texts
            let kind = link.kind
            heading = texts("link.\(kind.rawValue).title")
            lead = texts("link.\(kind.rawValue).lead", ["address": link.person?.address ?? ""])
            action = "/console/\(kind.rawValue)/\(FormFields.escaped(secret))"
            var fields: [FieldView] = []
            if kind == .setup {
                fields.append(
                    state.field(
                        "address",
                        texts("login.address"),
                        hint: texts("link.addressHint"),
                        autocomplete: "username"
                    )
                )
            }
            if kind != .reset {
                let name = link.person.map { $0.displayName == $0.address ? "" : $0.displayName } ?? ""
                fields.append(
                    state.field("displayName", texts("account.displayName"), standard: name, autocomplete: "name")
                )
            }
            fields.append(
                state.field(
                    "password",
                    texts("link.password"),
                    hint: texts("link.passwordHint"),
                    type: "password",
                    autocomplete: "new-password"
                )
            )
            self.fields = fields
            hasPassword = link.person.map(visit.engine.operators.maySignInWithPassword) ?? true
            provider =
                kind == .invite
                ? ProviderForm(visit.outside.provider, look, "provider.accept", action: action + "/provider") : nil
            username = kind == .setup ? nil : link.person?.address
            button = texts("link.\(kind.rawValue).submit")
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }
    }

    /// The page before there is an Operator.
    struct AskView: PageView {
        static let template = "setup"

        let heading: String
    }

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.entry("GET", "/setup") { visit in
            if try await visit.engine.operators.isSetUp() { return .redirect(ConsolePath.home) }
            return .page(AskView(heading: visit.texts("link.ask.title")))
        }
        for kind in OperatorLink.Kind.allCases {
            routes.entry("GET", "/\(kind.rawValue)/{once}") { visit in
                let secret = visit.parameters["once"] ?? ""
                let link = try await visit.engine.operators.link(secret, kind)
                return .page(View(link, secret, visit, .empty))
            }
            routes.entry("POST", "/\(kind.rawValue)/{once}") { visit in try await submit(visit, kind) }
        }
    }

    // MARK: - Private

    private static func submit(_ visit: EntryVisit, _ kind: OperatorLink.Kind) async throws -> Outcome {
        let secret = visit.parameters["once"] ?? ""
        let (operators, form, caller) = (visit.engine.operators, visit.form, visit.request.operatorCaller)
        let link = try await operators.link(secret, kind)
        return try await visit.submit {
            View(link, secret, visit, $0)
        } _: {
            let opened: OpenedSession
            switch kind {
            case .setup:
                let address = form.text("address").trimmingCharacters(in: .whitespaces)
                guard !address.isEmpty else { throw FormProblems("address", visit.texts("link.addressMissing")) }
                opened = try await operators.setUp(
                    secret,
                    address: address,
                    displayName: form["displayName"],
                    password: form.text("password"),
                    by: caller
                )
            case .invite:
                opened = try await operators.acceptInvitation(
                    secret,
                    displayName: form["displayName"],
                    password: form.text("password"),
                    by: caller
                )
            case .reset:
                opened = try await operators.resetPassword(secret, password: form.text("password"), by: caller)
            }
            visit.audit.note(opened.session)
            visit.audit.note(object: opened.session.owner.id.description)
            return .opened(opened, Continuation())
        }
    }
}
