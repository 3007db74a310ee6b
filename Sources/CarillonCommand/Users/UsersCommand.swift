import ArgumentParser
import CarillonModel

/// `carillon users`: the people that an App's devices belong to.
struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "List users, show them with their devices, set their tags and attributes, erase them.",
        discussion: """
            carillon users list --prefix u-
            carillon users show u-1
            carillon users attributes set u-1 plan=gold age=42 trial=null
            carillon export user u-1 u-1.jsonl writes all data of a user.
            """,
        subcommands: [
            List.self, Show.self, UserTagsCommand.self, UserAttributesCommand.self, Messages.self, Erase.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List users that have devices, by their ids.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        @Option(help: "Only users whose ids begin so.")
        var prefix: String?

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/users", query: ["prefix": prefix], app: .query),
                pages,
                [Column("USER", "user"), Column("DEVICES", "devices")]
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a user's tags, attributes and devices."
        )

        @OptionGroup var named: NamedUser

        func run() async throws {
            try await named.options.show(
                OperatorRequest("GET", "/v1/users/\(named.user)", app: .query),
                listing: "contacts",
                Self.columns
            )
        }

        private static let columns = [
            Column("DEVICE", "device"), Column("PUSH TYPE", "pushType"), Column("TOKEN", "tokenState"),
            Column("TENANT", "tenant"), Column("REGISTERED", "registeredAt"),
        ]
    }

    struct Messages: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List messages between users, the latest first.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/user-messages", app: .query),
                pages,
                [
                    Column("ID", "id"), Column("CREATED", "createdAt"), Column("STATE", "state"),
                    Column("FROM", "from"),
                    Column("TO", "to"), Column("TITLE", "title"), Column("BODY", "body"),
                ]
            )
        }
    }

    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Erase all data of a user, devices included; it cannot be undone."
        )

        @OptionGroup var named: NamedUser

        @Flag(help: "Do not ask for the user's id once more.")
        var yes = false

        func run() async throws {
            if !yes {
                try Confirmation.requireTerminal()
                let loss = "all data of this user, devices and account included"
                try Confirmation(name: named.user, kind: "user's id", loss: loss).confirm()
            }
            try await named.options.show(
                OperatorRequest("DELETE", "/v1/users/\(named.user)", app: .query),
                done: "The user is erased, with their devices, account and all other data."
            )
        }
    }
}

/// `carillon users tags`: a user's tags.
struct UserTagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tags",
        abstract: "Set or add a user's tags.",
        subcommands: [Set.self, Add.self]
    )

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Give a user these tags and no others.")

        @OptionGroup var named: NamedUser

        @Argument(help: "The tags' ids; without any the user has none.")
        var tags: [String] = []

        func run() async throws {
            let body = JSONValue.object(["tags": tags.json])
            try await named.options.show(
                OperatorRequest("PUT", "/v1/users/\(named.user)/tags", body: body, app: .query)
            )
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Give a user further tags.")

        @OptionGroup var named: NamedUser

        @Argument(help: "The tags' ids.")
        var tags: [String]

        func run() async throws {
            let body = JSONValue.object(["tags": tags.json])
            try await named.options.show(
                OperatorRequest("POST", "/v1/users/\(named.user)/tags", body: body, app: .query)
            )
        }
    }
}

/// `carillon users attributes`: a user's attributes.
struct UserAttributesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attributes",
        abstract: "Show or set a user's attributes.",
        subcommands: [Show.self, Set.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a user's attributes.")

        @OptionGroup var named: NamedUser

        func run() async throws {
            try await named.options.show(OperatorRequest("GET", "/v1/users/\(named.user)/attributes", app: .query))
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set attributes; others stay, and null deletes one."
        )

        @OptionGroup var named: NamedUser

        @Argument(help: "NAME=VALUE, such as plan=gold, age=42 or trial=null; a value is JSON, or else a text.")
        var attributes: [String]

        func run() async throws {
            var values: [String: JSONValue] = [:]
            for attribute in attributes {
                let parts = attribute.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { throw ValidationError("An attribute is NAME=VALUE, such as plan=gold.") }
                values[String(parts[0])] = FieldOptions.plainValue(String(parts[1]))
            }
            let body = JSONValue.object(["attributes": .object(values)])
            try await named.options.show(
                OperatorRequest("PATCH", "/v1/users/\(named.user)/attributes", body: body, app: .query)
            )
        }
    }
}

/// The User of a command.
struct NamedUser: ParsableArguments {
    @OptionGroup var options: OperatorOptions

    @Argument(help: "The user's id.")
    var user: String
}
