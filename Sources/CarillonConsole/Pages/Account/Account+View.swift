import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension Account {
    /// What the template shows.
    struct View: PageView {
        struct Session: Sendable {
            let id: String
            let client: String
            let place: String
            let created: TimeView
            let used: TimeView
            let isCurrent: Bool
        }

        static let template = "account"

        let heading: String
        let address: String
        let role: String
        let displayName: FieldView
        let language: SelectView
        let zone: FieldView
        let zones: [String]
        let theme: SelectView
        let hasFactor: Bool
        /// Whether there are recovery codes: who has a passkey has some too.
        let hasCodes: Bool
        let factorText: String
        let canRemove: Bool
        let passkeys: [PasskeyRow]
        let hasPasskeys: Bool
        let mayAddPasskey: Bool
        /// Whether there is an identity provider, or an account of a former one.
        let hasProvider: Bool
        let identities: [IdentityRow]
        let hasIdentities: Bool
        /// The button that links one more; `nil` without a provider.
        let linkButton: String?
        let sessions: [Session]
        let hasOthers: Bool
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(_ model: Model, _ look: Look, _ state: FormState) {
            let texts = look.texts
            let person = model.person
            heading = texts("account.title")
            address = person.address
            role = RoleText.all(of: person, texts)
            displayName = state.field(
                "displayName",
                texts("account.displayName"),
                standard: person.displayName,
                autocomplete: "name"
            )
            language = state.select(
                "language",
                texts("account.language"),
                [("", texts("account.automatic"))] + Language.offered.map { ($0.rawValue, $0.name) },
                standard: person.language ?? ""
            )
            zone = state.field(
                "zone",
                texts("account.zone"),
                hint: texts("account.zoneHint"),
                standard: person.zone ?? ""
            )
            zones = Self.commonZones
            theme = state.select(
                "theme",
                texts("account.theme"),
                Operator.Theme.allCases.map { ($0.rawValue, texts.word("theme", $0.rawValue)) },
                standard: person.theme.rawValue
            )
            hasFactor = person.hasAuthenticator
            hasCodes = person.hasSecondFactor
            factorText =
                hasCodes ? texts("account.factorOn", count: person.recoveryCodes) : texts("account.factorOff")
            canRemove = hasFactor && (!model.needsSecondFactor || person.passkeys > 0)
            passkeys = model.passkeys.map { PasskeyRow($0, look) }
            hasPasskeys = !passkeys.isEmpty
            mayAddPasskey = model.mayAddPasskey
            identities = model.identities.map { IdentityRow($0, below: ConsolePath.account, look) }
            hasIdentities = !identities.isEmpty
            hasProvider = model.provider != nil || hasIdentities
            linkButton = model.provider.map { texts("provider.link", ["name": $0]) }
            sessions = model.sessions.map { session in
                Session(
                    id: session.id.description,
                    client: session.client ?? "–",
                    place: session.address ?? "–",
                    created: look.times.table(session.createdAt),
                    used: look.times.table(session.usedAt),
                    isCurrent: session.id == model.current
                )
            }
            hasOthers = model.sessions.count > 1
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }

        /// What a browser offers while somebody types; every IANA name is taken.
        private static let commonZones = [
            "America/Chicago", "America/Denver", "America/Los_Angeles", "America/New_York", "America/Sao_Paulo",
            "Asia/Bangkok", "Asia/Dubai", "Asia/Ho_Chi_Minh", "Asia/Hong_Kong", "Asia/Jakarta", "Asia/Kolkata",
            "Asia/Kuala_Lumpur", "Asia/Manila", "Asia/Seoul", "Asia/Shanghai", "Asia/Singapore", "Asia/Taipei",
            "Asia/Tokyo", "Australia/Sydney", "Europe/Berlin", "Europe/London", "Europe/Paris", "Pacific/Auckland",
            "UTC",
        ]
    }

    /// The form for a new password.
    struct PasswordView: PageView {
        static let template = "password"

        let heading: String
        let address: String
        let old: FieldView
        let new: FieldView
        let summary: [SummaryLink]
        let hasSummary: Bool

        init(_ person: Operator, _ look: Look, _ state: FormState) {
            let texts = look.texts
            heading = texts("account.password")
            address = person.address
            old = state.field(
                "password",
                texts("account.oldPassword"),
                type: "password",
                autocomplete: "current-password"
            )
            new = state.field(
                "newPassword",
                texts("account.newPassword"),
                hint: texts("link.passwordHint"),
                type: "password",
                autocomplete: "new-password"
            )
            summary = state.summary
            hasSummary = !state.problems.isEmpty
        }
    }
}

/// Roles in words.
enum RoleText {
    /// The role everywhere, or in how many Apps there is one.
    static func all(of person: Operator, _ texts: Texts) -> String {
        if let role = person.role { return texts.word("role", role.rawValue) }
        return texts("operators.appRoles", count: person.apps.count)
    }
}
