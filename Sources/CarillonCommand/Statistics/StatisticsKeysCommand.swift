import ArgumentParser
import CarillonModel

/// `carillon statistics keys`: labels that counts are kept by.
struct StatisticsKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Create and change statistics keys, by which counts of campaigns are summed.",
        subcommands: [List.self, Create.self, Show.self, Update.self, Delete.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List statistics keys.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/statistics-ids", app: .filter),
                pages,
                [
                    Column("ID", "id"), Column("NAME", "name"), Column("STARTS", "startsAt"), Column("ENDS", "endsAt"),
                    Column("DESCRIPTION", "description"),
                ]
            )
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Create a statistics key.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var fields: FieldOptions

        @Argument(help: "Its name.")
        var name: String

        func run() async throws {
            let body = try fields.body(["name": .string(name)])
            try await options.show(OperatorRequest("POST", "/v1/statistics-ids", body: body, app: .query))
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a statistics key.")

        @OptionGroup var options: OperatorOptions

        @Argument(help: "Its id.")
        var id: String

        func run() async throws { try await options.show(OperatorRequest("GET", "/v1/statistics-ids/\(id)")) }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set a statistics key's name, description and period."
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var fields: FieldOptions

        @Argument(help: "Its id.")
        var id: String

        @Argument(help: "Its name.")
        var name: String

        func run() async throws {
            let body = try fields.body(["name": .string(name)])
            try await options.show(OperatorRequest(APIName.statisticsKeyUpdate, "/v1/statistics-ids/\(id)", body: body))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a statistics key.")

        @OptionGroup var options: OperatorOptions

        @Argument(help: "Its id.")
        var id: String

        func run() async throws {
            try await options.show(
                OperatorRequest("DELETE", "/v1/statistics-ids/\(id)"),
                done: "The statistics key is deleted."
            )
        }
    }
}
