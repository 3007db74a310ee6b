import ArgumentParser
import CarillonModel
import CarillonOperatorModel

extension OperatorsCommand {
    struct Role: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change an Operator's roles; all sessions of the Operator end."
        )

        @OptionGroup var named: NamedOperator
        @OptionGroup var roles: RoleOptions

        @Argument(help: "The role in every App: viewer, editor, sender or admin; none takes it away.")
        var role: String?

        @Flag(help: "Take the roles in single Apps away.")
        var noAppRoles = false

        func validate() throws {
            guard role.map({ $0 == "none" || RoleArgument(rawValue: $0) != nil }) ?? true else {
                throw ValidationError("The role is viewer, editor, sender, admin or none.")
            }
            guard role != nil || noAppRoles || !roles.appRole.isEmpty else {
                throw ValidationError("Give a role, --app-role or --no-app-roles.")
            }
            guard !noAppRoles || roles.appRole.isEmpty else {
                throw ValidationError("Give --app-role or --no-app-roles, not both.")
            }
        }

        func run() async throws {
            let apps = try roles.list()
            var fields: [String: JSONValue] = [:]
            if let role { fields["role"] = role == "none" ? .null : .string(role) }
            if noAppRoles || !apps.isEmpty { fields["apps"] = .array(apps) }
            try await named.update(fields)
        }
    }
}

/// A role as an argument.
enum RoleArgument: String, ExpressibleByArgument, CaseIterable {
    case viewer, editor, sender, admin
}

/// Roles in single Apps.
struct RoleOptions: ParsableArguments {
    @Option(help: "A role in one App, such as app_0fk2m9q3tw7x=sender; may be repeated, and replaces all former ones.")
    var appRole: [String] = []

    /// The roles as the API takes them.
    ///
    /// - Throws: `ValidationError` naming what is no App or role.
    func list() throws -> [JSONValue] {
        try appRole.map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let app = AppID(parts[0]), let role = OperatorRole(rawValue: parts[1]) else {
                throw ValidationError("--app-role is an App and a role, such as app_0fk2m9q3tw7x=sender, not \(text).")
            }
            return .object(["app": .string(app.description), "role": .string(role.rawValue)])
        }
    }
}
