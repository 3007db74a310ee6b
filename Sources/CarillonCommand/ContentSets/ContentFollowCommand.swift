import ArgumentParser
import CarillonModel
import Foundation

/// `carillon content follows`: who hears of new rows.
struct ContentFollowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follows",
        abstract: "Manage who hears of a content set's new rows.",
        discussion: """
            carillon content follows set events ann-music --user ann --where category=1 --near 22.6,120.3 --radius 5000
            """,
        subcommands: [List.self, Show.self, SetFollow.self, Delete.self]
    )
}

/// A follow of a content set.
struct NamedContentFollow: ParsableArguments {
    @OptionGroup var options: OperatorOptions
    @Argument(help: "The content set's name.") var set: String
    @Argument(help: "The follow's name: up to 100 letters, digits, hyphens, dots and underscores.")
    var follow: String

    func request(_ method: String, body: JSONValue? = nil) -> OperatorRequest {
        OperatorRequest(method, "/v1/content-sets/\(set)/follows/\(follow)", body: body, app: .query)
    }
}

extension ContentFollowCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List follows by name.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions
        @Argument(help: "The content set's name.") var set: String
        @Option(help: "Only those of a User.") var user: String?

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/content-sets/\(set)/follows", query: ["user": user], app: .query),
                pages,
                [
                    Column("NAME", "name"), Column("USER", "user"), Column("TABLE", "table"),
                    Column("WHERE") { ContentText.conditions($0["where"]) },
                    Column("NEAR") { ContentText.place($0["near"]) }, Column("METRES", "radius"),
                    Column("WORDS", "words"), Column("BUNDLED", "isBundled"), Column("CREATED", "createdAt"),
                ]
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a follow.")

        @OptionGroup var named: NamedContentFollow

        func run() async throws { try await named.options.show(named.request("GET")) }
    }

    struct SetFollow: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Save a follow of a User, or of an audience."
        )

        @OptionGroup var named: NamedContentFollow
        @OptionGroup var fields: FieldOptions
        @Option(help: "The User.") var user: String?
        @Option(help: "An audience as JSON, such as {\"all\": true}, instead of a User.") var audience: String?
        @Option(help: "The table; not needed when there is one.") var table: String?
        @Option(
            name: .customLong("where"),
            help: "FIELD=VALUE of an indexed field; several values of a field are alternatives."
        )
        var conditions: [String] = []
        @Option(help: "LATITUDE,LONGITUDE: new rows near it.") var near: String?
        @Option(help: "Metres around it, at most 200000. (default: 2000)") var radius: Double?
        @Option(help: "Words that a new row has, all of them.") var words: String?
        @Flag(help: "New rows go out once a day, together.") var bundled = false

        func run() async throws {
            let body = try fields.body([
                "user": user.map(JSONValue.string), "audience": audience.map(FieldOptions.plainValue),
                "table": table.map(JSONValue.string), "words": words.map(JSONValue.string),
                "where": ContentConditions(conditions).json, "near": near.map(Self.place),
                "radius": radius.map(JSONValue.number), "isBundled": bundled ? .bool(true) : nil,
            ])
            try await named.options.show(named.request("PUT", body: body))
        }

        /// The place of a text such as `22.6264,120.3173`.
        ///
        /// - Throws: `ValidationError` for anything else.
        private static func place(_ text: String) throws -> JSONValue {
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
                throw ValidationError("--near must be LATITUDE,LONGITUDE, such as 22.6264,120.3173.")
            }
            return .object(["latitude": .number(latitude), "longitude": .number(longitude)])
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a follow.")

        @OptionGroup var named: NamedContentFollow

        func run() async throws {
            try await named.options.show(named.request("DELETE"), done: "The follow is deleted.")
        }
    }
}

/// `carillon content alerts`: what goes out when a table has new rows.
struct ContentAlertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alerts",
        abstract: "Manage what goes out to those who follow a table.",
        subcommands: [Show.self, SetAlert.self, Delete.self]
    )
}

/// The alert of a table.
struct NamedContentAlert: ParsableArguments {
    @OptionGroup var options: OperatorOptions
    @Argument(help: "The content set's name.") var set: String
    @Argument(help: "The table.") var table: String

    func request(_ method: String, body: JSONValue? = nil) -> OperatorRequest {
        OperatorRequest(method, "/v1/content-sets/\(set)/alerts/\(table)", body: body, app: .query)
    }
}

extension ContentAlertCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show an alert and what came of it.")

        @OptionGroup var named: NamedContentAlert

        func run() async throws { try await named.options.show(named.request("GET")) }
    }

    struct SetAlert: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Set what goes out, from the next import on."
        )

        @OptionGroup var named: NamedContentAlert
        @OptionGroup var fields: FieldOptions
        @Option(help: "The template, whose texts have the row's fields as {{recipient.FIELD}}.") var template: String
        @Option(help: "The template for bundles. (default: --template)") var bundleTemplate: String?
        @Option(help: "When bundles go out, as HH:MM in the set's time zone. (default: 09:00)") var bundleAt: String?
        @Flag(help: "It is an ad: it needs consent to ads.") var ad = false

        func run() async throws {
            let body = try fields.body([
                "template": .string(template), "bundleTemplate": bundleTemplate.map(JSONValue.string),
                "bundleAt": bundleAt.map(JSONValue.string), "isAd": ad ? .bool(true) : nil,
            ])
            try await named.options.show(named.request("PUT", body: body))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "End alerts about new rows.")

        @OptionGroup var named: NamedContentAlert

        func run() async throws {
            try await named.options.show(named.request("DELETE"), done: "The alert is deleted.")
        }
    }
}
