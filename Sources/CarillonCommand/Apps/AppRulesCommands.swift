import ArgumentParser
import CarillonModel

/// `carillon apps retention`: for how many days an App's rows are stored.
struct AppRetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "Show or set for how many days an App's rows are stored.",
        subcommands: [Show.self, Set.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show for how many days rows are stored.")

        @OptionGroup var options: OperatorOptions

        func run() async throws { try await options.show(OperatorRequest("GET", "/v1/apps/{app}/retention")) }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set for how many days rows are stored, such as --set events=30."
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var fields: FieldOptions

        func run() async throws {
            try await options.show(OperatorRequest("PUT", "/v1/apps/{app}/retention", body: try fields.change()))
        }
    }
}

/// `carillon apps user-messages`: the rules of messages between users.
struct AppUserMessagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user-messages",
        abstract: "Show or set an App's rules of messages between users.",
        subcommands: [Show.self, Set.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the rules.")

        @OptionGroup var options: OperatorOptions

        func run() async throws { try await options.show(OperatorRequest("GET", "/v1/apps/{app}/user-messages")) }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the rules, such as --set isAllowed=true; a secret for checkURL is shown this once."
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var fields: FieldOptions

        func run() async throws {
            try await options.show(OperatorRequest("PUT", "/v1/apps/{app}/user-messages", body: try fields.change()))
        }
    }
}
