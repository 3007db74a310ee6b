import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation

/// `carillon apps`: the Apps of a server.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "Create, configure and delete Apps: their push key, keys, rules and retention.",
        discussion: """
            carillon apps create Bus --bundle-id org.example.bus
            carillon apps push-key set --key AuthKey_ABC123DEFG.p8 --key-id ABC123DEFG --team-id DEF123GHIJ
            carillon apps update --set adRule=korean --set sendingRules.controlGroup=5
            """,
        subcommands: [
            List.self, Create.self, Show.self, Update.self, Delete.self, AppPushKeyCommand.self, RotateKeys.self,
            EndFormerKeys.self, PauseSending.self, ResumeSending.self, AppRetentionCommand.self,
            AppUserMessagesCommand.self, AppVendorAPIsCommand.self, AppAccountsCommand.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List Apps.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/apps"),
                pages,
                [
                    Column("ID", "id"), Column("NAME", "name"), Column("BUNDLE ID", "bundleID"),
                    Column("IDENTITY", "identity"), Column("PUSH KEY", "hasPushKey"), Column("CREATED", "createdAt"),
                ]
            )
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an App; its App key and identity secret are shown this once."
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var fields: FieldOptions

        @Argument(help: "Its name, 1 through 100 characters.")
        var name: String

        @Option(help: "The app's bundle id, such as org.example.bus.")
        var bundleID: String?

        @Option(help: "Whether users need a proof of your back end: signed or open. (default: signed)")
        var identity: String?

        func run() async throws {
            let body = try fields.body([
                "name": .string(name), "bundleID": bundleID.map(JSONValue.string),
                "identity": identity.map(JSONValue.string),
            ])
            try await options.show(OperatorRequest("POST", "/v1/apps", body: body))
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show an App.")

        @OptionGroup var options: OperatorOptions

        func run() async throws { try await options.show(OperatorRequest("GET", "/v1/apps/{app}")) }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Change fields of an App.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var fields: FieldOptions

        func run() async throws {
            try await options.show(OperatorRequest("PATCH", "/v1/apps/{app}", body: try fields.change()))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an App with its devices, campaigns and statistics; needs a key of the server.",
            discussion: """
                The App is unknown at once: its keys, its campaigns and its webhooks end. The server removes its rows \
                afterwards, in small steps. This cannot be undone.
                """
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "The App's id, app_….")
        var id: String

        @Flag(help: "Do not ask for the App's name.")
        var yes = false

        func run() async throws {
            if !yes {
                try Confirmation.requireTerminal()
                let app: App = try await options.run { api in
                    let data = try await options.send(OperatorRequest("GET", "/v1/apps/\(id)"), api)
                    return try JSONDecoder().decode(App.self, from: data)
                }
                let loss = "all its devices, campaigns and statistics"
                try Confirmation(name: app.name, kind: "App's name", loss: loss).confirm()
            }
            try await options.show(OperatorRequest("DELETE", "/v1/apps/\(id)"), done: "The App is deleted.")
        }
    }

    struct RotateKeys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate-keys",
            abstract: "Replace keys of an App; the former ones stay valid for the overlap."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "appKey, identitySecret or receiptKey; may be repeated.")
        var keys: [String]

        @Option(help: "For how many hours the former keys stay valid.")
        var overlapHours: Int?

        func run() async throws {
            var body: [String: JSONValue] = ["keys": keys.json]
            body["overlapHours"] = overlapHours.map { .integer(Int64($0)) }
            try await options.show(OperatorRequest("POST", "/v1/apps/{app}/rotate-keys", body: .object(body)))
        }
    }

    struct EndFormerKeys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end-former-keys",
            abstract: "End the former keys of a kind at once."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "appKey, identitySecret or receiptKey.")
        var kind: String

        func run() async throws {
            try await options.show(OperatorRequest("DELETE", "/v1/apps/{app}/former-keys/\(kind)"))
        }
    }
}
