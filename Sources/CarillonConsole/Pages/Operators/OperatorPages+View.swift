import CarillonModel
import CarillonOperatorModel

extension OperatorPages {
    /// The list.
    struct ListView: PageView {
        struct Row: Sendable {
            let path: String
            let name: String
            let address: String
            let role: String
            let state: String
            let stateClass: String
            let factor: String
            let signedIn: TimeView?
            let hasSignedIn: Bool
        }

        static let template = "operators"

        let heading: String
        let rows: [Row]
        let more: String?

        init(_ model: ListModel, _ look: Look) {
            let texts = look.texts
            heading = texts("operators.title")
            rows = model.operators.map { person in
                Row(
                    path: "\(ConsolePath.operators)/\(person.id)",
                    name: person.displayName,
                    address: person.address,
                    role: RoleText.all(of: person, texts),
                    state: texts.word("operators.state", person.state.rawValue),
                    stateClass: Self.stateClass(person.state),
                    factor: texts(person.hasSecondFactor ? "operators.yes" : "operators.no"),
                    signedIn: person.signedInAt.map { look.times.table($0) },
                    hasSignedIn: person.signedInAt != nil
                )
            }
            more = model.next.map { ConsolePath.operators + "?after=" + FormFields.escaped($0) }
        }

        static func stateClass(_ state: Operator.State) -> String {
            switch state {
            case .invited: "warn"
            case .active: "good"
            case .disabled: "bad"
            }
        }
    }

    /// The form for an invitation.
    struct InviteView: PageView {
        static let template = "operator-invite"

        let heading: String
        let address: FieldView
        let role: SelectView
        let appRoles: [SelectView]
        let hasApps: Bool
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(_ apps: [App], _ look: Look, _ state: FormState) {
            let texts = look.texts
            heading = texts("operators.invite")
            address = state.field("address", texts("login.address"), hint: texts("link.addressHint"))
            role = RoleForm.everywhere(state, texts, nil)
            appRoles = RoleForm.apps(state, texts, apps, [])
            hasApps = !apps.isEmpty
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }
    }

    /// An Operator.
    struct DetailView: PageView {
        struct Session: Sendable {
            let client: String
            let place: String
            let used: TimeView
        }

        static let template = "operator"

        let heading: String
        let path: String
        let address: String
        let state: String
        let stateClass: String
        let factor: String
        let created: TimeView
        let role: SelectView
        let appRoles: [SelectView]
        let hasApps: Bool
        let isInvited: Bool
        let isDisabled: Bool
        let isSelf: Bool
        let identities: [Account.IdentityRow]
        let hasIdentities: Bool
        let sessions: [Session]
        let hasSessions: Bool
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(_ model: DetailModel, _ look: Look, _ state: FormState) {
            let texts = look.texts
            let person = model.person
            heading = person.displayName
            path = "\(ConsolePath.operators)/\(person.id)"
            address = person.address
            self.state = texts.word("operators.state", person.state.rawValue)
            stateClass = ListView.stateClass(person.state)
            factor = texts(person.hasSecondFactor ? "operators.yes" : "operators.no")
            created = look.times.table(person.createdAt)
            role = RoleForm.everywhere(state, texts, person.role)
            appRoles = RoleForm.apps(state, texts, model.apps, person.apps)
            hasApps = !model.apps.isEmpty
            isInvited = person.state == .invited
            isDisabled = person.state == .disabled
            isSelf = model.isSelf
            let below = path
            identities = model.identities.map { Account.IdentityRow($0, below: below, look) }
            hasIdentities = !identities.isEmpty
            sessions = model.sessions.map {
                Session(client: $0.client ?? "–", place: $0.address ?? "–", used: look.times.table($0.usedAt))
            }
            hasSessions = !sessions.isEmpty
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }
    }

    /// A link, shown once.
    struct LinkView: PageView {
        static let template = "operator-link"

        let heading: String
        let lead: String
        let link: String
        let back: String

        init(_ made: OperatorWithLink, _ visit: Visit) {
            let texts = visit.texts
            heading = texts("operators.link")
            lead = texts(
                "operators.linkLead",
                [
                    "name": made.person.displayName,
                    "time": visit.times.sentence(made.link.expiresAt).text,
                ]
            )
            link = visit.request.origin.text + made.link.path
            back = "\(ConsolePath.operators)/\(made.person.id)"
        }
    }
}

/// The fields of roles: `role`, and `role-<App>` for each App.
enum RoleForm {
    static func everywhere(_ state: FormState, _ texts: Texts, _ role: OperatorRole?) -> SelectView {
        state.select(
            "role",
            texts("operators.roleEverywhere"),
            options(texts),
            standard: role?.rawValue ?? "",
            hint: texts("operators.roleHint")
        )
    }

    static func apps(_ state: FormState, _ texts: Texts, _ apps: [App], _ roles: [OperatorAppRole]) -> [SelectView] {
        apps.map { app in
            let role = roles.first { $0.app == app.id }?.role
            return state.select("role-\(app.id)", app.name, options(texts), standard: role?.rawValue ?? "")
        }
    }

    /// The roles of a form; those in Apps that the form does not show stay.
    static func roles(_ form: FormFields, keeping former: [OperatorAppRole] = []) -> OperatorRoles {
        let fields = form.all.filter { $0.name.hasPrefix("role-") }
        let shown = Set(fields.map(\.name))
        let apps = fields.compactMap { field in
            AppID(String(field.name.dropFirst(5))).flatMap { app in
                OperatorRole(rawValue: field.value).map { OperatorAppRole(app: app, role: $0) }
            }
        }
        let kept = former.filter { !shown.contains("role-\($0.app)") }
        return OperatorRoles(everywhere: OperatorRole(rawValue: form.text("role")), apps: apps + kept)
    }

    private static func options(_ texts: Texts) -> [(value: String, text: String)] {
        [("", texts("role.none"))] + OperatorRole.allCases.map { ($0.rawValue, texts.word("role", $0.rawValue)) }
    }
}
