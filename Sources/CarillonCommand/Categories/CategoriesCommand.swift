import ArgumentParser
import CarillonModel
import CarillonOperatorModel

/// `carillon categories`: the labels of categories.
struct CategoriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "categories",
        abstract: "Define labels of categories, and list undefined ones.",
        discussion: """
            carillon categories define kanto --dimension region --title Kanto
            carillon categories list --undefined
            Categories of one dimension have labels without a --dimension.
            """,
        subcommands: [List.self, Define.self, Undefine.self]
    )

    static let columns = [
        Column("DIMENSION", "dimension"), Column("LABEL", "label"), Column("TITLE", "title"),
        Column("DEFINED", "isDefined"), Column("DEVICES", text: devices),
    ]

    /// The count of devices, which ends at a limit.
    @Sendable private static func devices(_ label: JSONValue) -> String? {
        guard let count = label["devices"]?.integer else { return nil }
        return count >= CategoryLabel.countLimit ? "\(CategoryLabel.countLimit) or more" : String(count)
    }
}

/// The label of a command.
struct NamedLabel: ParsableArguments {
    @OptionGroup var options: OperatorOptions

    @Argument(help: "The label as devices report it, 1 through 64 characters.")
    var label: String

    @Option(help: "Its dimension, 1 through 64 characters; without it the label is of one-dimensional categories.")
    var dimension: String?
}

extension CategoriesCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List labels with their devices."
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        @Flag(help: "Only labels that devices report and nobody defined, such as misspelt ones.")
        var undefined = false

        @Flag(help: "Only labels that are defined.")
        var defined = false

        @Option(help: "Only labels of this dimension; \"\" for those of one-dimensional categories.")
        var dimension: String?

        func validate() throws {
            guard !defined || !undefined else { throw ValidationError("Give --defined or --undefined, not both.") }
        }

        func run() async throws {
            let wanted = defined ? "true" : undefined ? "false" : nil
            try await options.list(
                OperatorRequest("GET", "/v1/categories", query: ["defined": wanted], app: .query),
                pages,
                CategoriesCommand.columns
            ) { label in
                dimension.map { label["dimension"]?.string ?? "" == $0 } ?? true
            }
        }
    }

    struct Define: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "define",
            abstract: "Define a label, or change the title of a defined one."
        )

        @OptionGroup var named: NamedLabel

        @Option(help: "Its title for operators, 1 through 100 characters.")
        var title: String?

        func run() async throws {
            var body: [String: JSONValue] = ["label": .string(named.label)]
            body["dimension"] = named.dimension.map(JSONValue.string)
            body["title"] = title.map(JSONValue.string)
            try await named.options.show(OperatorRequest("POST", "/v1/categories", body: .object(body), app: .query))
        }
    }

    struct Undefine: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "undefine",
            abstract: "Delete a label's definition; devices that report it keep it."
        )

        @OptionGroup var named: NamedLabel

        func run() async throws {
            try await named.options.show(
                OperatorRequest(
                    "DELETE",
                    "/v1/categories",
                    query: ["dimension": named.dimension, "label": named.label],
                    app: .query
                ),
                done: "The definition is deleted."
            )
        }
    }
}
