import ArgumentParser
import CarillonModel

/// `carillon tags`: the tags of an App, and who has them.
struct TagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tags",
        abstract: "Create and rename tags, and say which users have them.",
        subcommands: [
            List.self, Create.self, Show.self, Rename.self, Delete.self, Merge.self, Users.self, AddUsers.self,
            RemoveUsers.self, ChangeList.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List an App's tags.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        @Option(help: "Only the tag of this name.")
        var name: String?

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/tags", query: ["name": name], app: .query),
                pages,
                [Column("ID", "id"), Column("NAME", "name"), Column("CREATED", "createdAt")]
            )
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Create a tag.")

        @OptionGroup var options: OperatorOptions

        @Argument(help: "Its name.")
        var name: String

        func run() async throws {
            let body = JSONValue.object(["name": .string(name)])
            try await options.show(OperatorRequest("POST", "/v1/tags", body: body, app: .query))
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a tag.")

        @OptionGroup var named: NamedTag

        func run() async throws {
            try await named.options.show(OperatorRequest("GET", "/v1/tags/\(named.tag)", app: .query))
        }
    }

    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Rename a tag.")

        @OptionGroup var named: NamedTag

        @Argument(help: "Its new name.")
        var name: String

        func run() async throws {
            let body = JSONValue.object(["name": .string(name)])
            try await named.options.show(OperatorRequest("PATCH", "/v1/tags/\(named.tag)", body: body, app: .query))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a tag; users lose it.")

        @OptionGroup var named: NamedTag

        func run() async throws {
            try await named.options.show(
                OperatorRequest("DELETE", "/v1/tags/\(named.tag)", app: .query),
                done: "The tag is deleted."
            )
        }
    }
}

extension TagsCommand {
    struct Users: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the users with a tag.")

        @OptionGroup var named: NamedTag
        @OptionGroup var pages: PageOptions

        func run() async throws {
            let column = Column("USER") { $0.cell }
            try await named.options.list(
                OperatorRequest("GET", "/v1/tags/\(named.tag)/users", app: .query),
                pages,
                [column]
            )
        }
    }

    struct AddUsers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "add-users", abstract: "Give users a tag.")

        @OptionGroup var named: NamedTag

        @Argument(help: "The users' ids.")
        var users: [String]

        func run() async throws {
            let body = JSONValue.object(["users": users.json])
            try await named.options.show(
                OperatorRequest("POST", "/v1/tags/\(named.tag)/users", body: body, app: .query)
            )
        }
    }

    struct RemoveUsers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-users",
            abstract: "Take a tag from users."
        )

        @OptionGroup var named: NamedTag

        @Argument(help: "The users' ids.")
        var users: [String]

        func run() async throws {
            let query = ["users": users.joined(separator: ",")]
            try await named.options.show(
                OperatorRequest("DELETE", "/v1/tags/\(named.tag)/users", query: query, app: .query)
            )
        }
    }
}

/// The tag of a command.
struct NamedTag: ParsableArguments {
    @OptionGroup var options: OperatorOptions

    @Argument(help: "The tag's id, 8 characters.")
    var tag: String
}
