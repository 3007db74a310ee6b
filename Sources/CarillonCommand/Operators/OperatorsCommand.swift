import ArgumentParser
import CarillonModel
import CarillonOperatorModel

/// `carillon operators`: the people who use the console.
struct OperatorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operators",
        abstract: "Invite, list and change the people who use the console.",
        discussion: """
            carillon operators invite mei@example.com --role editor
            carillon operators role opr_0fk2m9q3tw7x sender
            carillon operators create-admin --data /var/lib/carillon mei@example.com
            create-admin works on the store itself, without any key: use it when no admin can sign in any more. A server \
            on SQLite must be stopped meanwhile; one on PostgreSQL need not.
            """,
        subcommands: [
            List.self, Show.self, Invite.self, Link.self, Role.self, Disable.self, Enable.self, EndSessions.self,
            Remove.self, CreateAdmin.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List Operators, the oldest first.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/operators"),
                pages,
                [
                    Column("OPERATOR", "id"), Column("ADDRESS", "address"), Column("STATE", "state"),
                    Column("ROLE", "role"), Column("SECOND FACTOR", "hasSecondFactor"),
                    Column("SIGNED IN", "signedInAt"),
                ]
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show an Operator.")

        @OptionGroup var named: NamedOperator

        func run() async throws {
            try await named.options.show(OperatorRequest("GET", "/v1/operators/\(named.id)"))
        }
    }

    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Invite an Operator; the link is shown this once, for 24 hours and one use."
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var roles: RoleOptions

        @Argument(help: "The name to sign in with, usually an address of mail.")
        var address: String

        @Option(help: "The name that others see. (default: the address, until the person chooses one)")
        var displayName: String?

        @Option(help: "The role in every App. (default: viewer, unless --app-role is given)")
        var role: RoleArgument?

        func run() async throws {
            let apps = try roles.list()
            var body: [String: JSONValue] = ["address": .string(address)]
            body["displayName"] = displayName.map(JSONValue.string)
            body["role"] = (role ?? (apps.isEmpty ? .viewer : nil)).map { .string($0.rawValue) }
            if !apps.isEmpty { body["apps"] = .array(apps) }
            try await options.showLink(OperatorRequest("POST", "/v1/operators", body: .object(body)))
        }
    }

    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a link for a new password, or an invitation anew; former links end."
        )

        @OptionGroup var named: NamedOperator

        @Flag(help: "Using the link removes the second factor too, as when the phone is lost.")
        var removeSecondFactor = false

        func run() async throws {
            let body = JSONValue.object(["removesSecondFactor": .bool(removeSecondFactor)])
            try await named.options.showLink(
                OperatorRequest("POST", "/v1/operators/\(named.id)/link", body: body)
            )
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Disable an Operator and end all sessions at once.")

        @OptionGroup var named: NamedOperator

        func run() async throws { try await named.update(["isDisabled": .bool(true)]) }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let an Operator sign in again.")

        @OptionGroup var named: NamedOperator

        func run() async throws { try await named.update(["isDisabled": .bool(false)]) }
    }

    struct EndSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "End all sessions of an Operator at once.")

        @OptionGroup var named: NamedOperator

        func run() async throws {
            try await named.options.show(
                OperatorRequest("DELETE", "/v1/operators/\(named.id)/sessions"),
                done: "The sessions have ended."
            )
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an Operator; the audit log keeps the id."
        )

        @OptionGroup var named: NamedOperator

        func run() async throws {
            try await named.options.show(
                OperatorRequest("DELETE", "/v1/operators/\(named.id)"),
                done: "The Operator is removed."
            )
        }
    }
}

/// An Operator that a command is about.
struct NamedOperator: ParsableArguments {
    @OptionGroup var options: OperatorOptions

    @Argument(help: "The Operator's id, opr_….")
    var id: String

    func validate() throws {
        guard OperatorID(id) != nil else {
            throw ValidationError("The Operator's id is opr_ and 12 base-32 characters.")
        }
    }

    /// Changes the Operator and shows the result.
    func update(_ fields: [String: JSONValue]) async throws {
        try await options.show(OperatorRequest("PATCH", "/v1/operators/\(id)", body: .object(fields)))
    }
}
