package import CarillonModel
package import CarillonOperatorModel

/// Somebody whom an identity provider or a proxy vouches for.
package struct OutsideAccount: Hashable, Sendable {
    /// Who vouches.
    package enum Source: Hashable, Sendable {
        /// The account at a provider: its issuer and its id there.
        case provider(issuer: String, subject: String)
        /// The proxy, which names Operators by their addresses.
        case proxy(address: String)
    }

    package var source: Source
    package var groups: [String]
    /// The address of a new Operator; `nil` for the account's id.
    package var address: String?
    package var displayName: String?

    package init(_ source: Source, groups: [String] = [], address: String? = nil, displayName: String? = nil) {
        (self.source, self.groups, self.address, self.displayName) = (source, groups, address, displayName)
    }

    /// How its sessions begin.
    var method: OperatorSession.Method {
        guard case .proxy = source else { return .provider }
        return .proxy
    }
}

/// The role that members of a group have.
package struct GroupRole: Hashable, Sendable {
    package var group: String
    package var role: OperatorRole
    /// `nil` for the role everywhere.
    package var app: AppID?

    package init(group: String, role: OperatorRole, app: AppID? = nil) {
        (self.group, self.role, self.app) = (group, role, app)
    }

    /// Reads `GROUP=ROLE` or `GROUP=ROLE@APP`; `nil` for anything else.
    package init?(_ text: String) {
        guard let end = text.lastIndex(of: "="), end != text.startIndex else { return nil }
        let parts = text[text.index(after: end)...].split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let role = parts.first.flatMap({ OperatorRole(rawValue: String($0)) }) else {
            return nil
        }
        self.init(group: String(text[..<end]), role: role)
        if parts.count == 2 {
            guard let app = AppID(String(parts[1])) else { return nil }
            self.app = app
        }
    }
}

/// What accounts of providers and proxies may do.
package struct OutsideRules: Hashable, Sendable {
    /// Whose passwords sign in.
    package enum Passwords: String, Hashable, Sendable, CaseIterable {
        case everybody
        /// Of those alone who are admins everywhere: they come in while the provider is down.
        case admins
    }

    package var groupRoles: [GroupRole] = []
    /// Whether somebody unknown with a group that has a role becomes an Operator.
    package var provisions = false
    /// Whether each sign-in replaces the roles by those of the groups.
    package var rolesFollow = false
    /// Whether the second factor of here is asked for too.
    package var asksForOwnFactor = false
    package var passwords = Passwords.everybody

    package init() {}

    /// The greatest roles of some groups.
    package func roles(of groups: [String]) -> OperatorRoles {
        let names = Set(groups)
        var roles = OperatorRoles()
        for rule in groupRoles where names.contains(rule.group) {
            guard let app = rule.app else {
                roles.everywhere = max(roles.everywhere ?? rule.role, rule.role)
                continue
            }
            if let known = roles.apps.firstIndex(where: { $0.app == app }) {
                roles.apps[known].role = max(roles.apps[known].role, rule.role)
            } else {
                roles.apps.append(OperatorAppRole(app: app, role: rule.role))
            }
        }
        return roles
    }
}

/// The result of a sign-in with an account.
package enum OutsideSignIn: Hashable, Sendable {
    /// A new session; `change` is what the audit log has of the Operator, `nil` when nothing changed.
    case opened(OpenedSession, change: String?)
    /// The account is linked with nobody here, and nobody is made.
    case unknown
    /// The account is linked, and its groups have no role here any more.
    case noRole(OperatorID)
    /// The Operator is disabled, the account is somebody else's, or the answer was used before.
    case refused(OperatorID?)
}
