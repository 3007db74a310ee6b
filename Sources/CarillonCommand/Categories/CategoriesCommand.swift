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

    static let path = "/v1/categories"

    static func table(_ labels: [CategoryLabel]) -> TextTable {
        var table = TextTable("DIMENSION", "LABEL", "TITLE", "DEFINED", "DEVICES")
        for label in labels {
            let isMany = label.devices >= CategoryLabel.countLimit
            table.add(
                label.dimension,
                label.label,
                label.title,
                label.isDefined ? "yes" : "no",
                isMany ? "\(CategoryLabel.countLimit) or more" : String(label.devices)
            )
        }
        return table
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
            let labels = try await options.run { api in try await read(api) }
            if options.json { return try OperatorOutput.print(labels) }
            CategoriesCommand.table(labels).print()
        }

        func read(_ api: OperatorAPI) async throws -> [CategoryLabel] {
            let app = try await options.appID(api).description
            let wanted = defined ? "true" : undefined ? "false" : nil
            var labels: [CategoryLabel] = []
            var cursor: String?
            repeat {
                let page: Page<CategoryLabel> = try await api.get(
                    CategoriesCommand.path,
                    ["app": app, "defined": wanted, "cursor": cursor, "limit": "200"]
                )
                labels += page.items
                cursor = page.nextCursor
            } while cursor != nil
            guard let dimension else { return labels }
            return labels.filter { ($0.dimension ?? "") == dimension }
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
            let request = CategoryRequest(dimension: named.dimension, label: named.label, title: title)
            let label: CategoryLabel = try await named.options.run { api in
                try await api.post(
                    CategoriesCommand.path,
                    ["app": try await named.options.appID(api).description],
                    request
                )
            }
            if named.options.json { return try OperatorOutput.print(label) }
            CategoriesCommand.table([label]).print()
        }
    }

    struct Undefine: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "undefine",
            abstract: "Delete a label's definition; devices that report it keep it."
        )

        @OptionGroup var named: NamedLabel

        func run() async throws {
            try await named.options.run { api in
                try await api.delete(
                    CategoriesCommand.path,
                    [
                        "app": try await named.options.appID(api).description, "dimension": named.dimension,
                        "label": named.label,
                    ]
                )
            }
        }
    }
}

extension OperatorOptions {
    /// The named App, or the only one that the key can access.
    ///
    /// - Throws: `ValidationError` when there is none, or several.
    func appID(_ api: OperatorAPI) async throws -> AppID {
        if let app {
            guard let id = AppID(app) else { throw ValidationError("--app must be app_ and 12 base-32 characters.") }
            return id
        }
        let page: Page<App> = try await api.get("/v1/apps", ["limit": "2"])
        guard let only = page.items.first, page.items.count == 1, page.nextCursor == nil else {
            throw ValidationError(
                page.items.isEmpty
                    ? "The server has no App yet; make one first." : "The server has several Apps; name one with --app."
            )
        }
        return only.id
    }
}
