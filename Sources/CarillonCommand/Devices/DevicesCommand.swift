import ArgumentParser
import CarillonModel

/// `carillon devices`: single devices, and lists for cleaning up.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List, show and delete devices, their consents and invalid tokens.",
        discussion: """
            carillon devices list --user u-1 lists the devices of a user.
            carillon import devices and carillon export devices carry many of them.
            """,
        subcommands: [List.self, Show.self, Delete.self, Consents.self, OldConsents.self, InvalidTokens.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List devices in the order of their registration, all or those of a user.",
            aliases: ["find"]
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        @Option(help: "Only devices of this user.")
        var user: String?

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/devices", query: ["user": user], app: .query),
                pages,
                [
                    Column("DEVICE", "device"), Column("USER", "user"), Column("TOKEN", "tokenState"),
                    Column("LANGUAGE", "language"), Column("MODEL", "model"), Column("REGISTERED", "registeredAt"),
                ]
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a device.")

        @OptionGroup var named: NamedDevice

        func run() async throws {
            try await named.options.show(OperatorRequest("GET", "/v1/devices/\(named.device)", app: .query))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a device with its tokens; it gets nothing until its app registers again."
        )

        @OptionGroup var named: NamedDevice

        func run() async throws {
            try await named.options.show(
                OperatorRequest("DELETE", "/v1/devices/\(named.device)", app: .query),
                done: "The device is deleted."
            )
        }
    }

    struct Consents: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a device's consents and their changes.")

        @OptionGroup var named: NamedDevice

        func run() async throws {
            try await named.options.show(
                OperatorRequest("GET", "/v1/devices/\(named.device)/consents", app: .query),
                listing: "changes",
                [Column("AT", "at"), Column("SOURCE", "source"), Column("OLD", "old"), Column("NEW", "new")]
            )
        }
    }

    struct OldConsents: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "old-consents",
            abstract: "List devices whose consent to ads was given in a period, and must be confirmed."
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        @Option(help: "Only consents of this time or later, such as 2024-11-01T00:00:00Z.")
        var from: String?

        @Option(help: "Only consents until this time.")
        var until: String?

        func run() async throws {
            try await options.list(
                OperatorRequest(
                    "GET",
                    "/v1/consents/ads",
                    query: [APIName.from: from, APIName.until: until],
                    app: .query
                ),
                pages,
                [
                    Column("DEVICE", "device"), Column("USER", "user"), Column("LANGUAGE", "language"),
                    Column("SINCE", "since"),
                ]
            )
        }
    }

    struct InvalidTokens: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invalid-tokens",
            abstract: "List the tokens that APNs refused, the latest first."
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        @Option(help: "Only those that this campaign found, cmp_….")
        var campaign: String?

        @Option(help: "Only those found at this time or later, such as 2026-11-01T00:00:00Z.")
        var from: String?

        @Option(help: "Only those found before this time.")
        var until: String?

        func run() async throws {
            try await options.list(
                OperatorRequest(
                    "GET",
                    "/v1/invalid-tokens",
                    query: ["campaign": campaign, APIName.from: from, APIName.until: until],
                    app: .query
                ),
                pages,
                [
                    Column("AT", "at"), Column("DEVICE", "device"), Column("USER", "user"),
                    Column("PUSH TYPE", "pushType"), Column("REASON", "reason"), Column("OR OF", "otherPushType"),
                    Column("CAMPAIGN", "campaign"),
                ]
            )
        }
    }
}

/// The Device of a command.
struct NamedDevice: ParsableArguments {
    @OptionGroup var options: OperatorOptions

    @Argument(help: "The device's id, a UUID.")
    var device: String
}
