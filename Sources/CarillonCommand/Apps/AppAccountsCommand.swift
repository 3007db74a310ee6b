import ArgumentParser
import CarillonModel

/// `carillon apps accounts`: whether and how people have accounts of an App.
struct AppAccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Show or set whether and how people have accounts of an App.",
        subcommands: [Show.self, Set.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the rules.")

        @OptionGroup var options: OperatorOptions

        func run() async throws { try await options.show(OperatorRequest("GET", "/v1/apps/{app}/accounts")) }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the rules, such as --set isOn=true --set guests=true; others get their defaults."
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var fields: FieldOptions

        func run() async throws {
            try await options.show(OperatorRequest("PUT", "/v1/apps/{app}/accounts", body: try fields.change()))
        }
    }
}
