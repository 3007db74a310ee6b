import ArgumentParser
import CarillonModel

/// `carillon webhooks`: addresses of back ends that are notified.
struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Create, test and change webhooks, and send their messages again.",
        discussion: """
            carillon webhooks create https://example.com/carillon --topic campaign.finished --topic campaign.halted
            docs/webhooks.md lists the topics.
            """,
        subcommands: [
            List.self, Create.self, Show.self, Update.self, Delete.self, Test.self, RotateSecret.self, Messages.self,
            Replay.self, Attempts.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List webhooks.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/webhooks", app: .filter),
                pages,
                [
                    Column("ID", "id"), Column("STATE", "state"), Column("ALARM", "alarm"),
                    Column("FAILURES", "failures"), Column("LAST SUCCESS", "lastSuccessAt"), Column("URL", "url"),
                ]
            )
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a webhook; the secret of its signatures is shown this once."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "Where messages are posted, https://….")
        var url: String

        @Option(name: .customLong("topic"), help: "A topic, such as campaign.finished; may be repeated.")
        var topics: [String]

        func run() async throws {
            let body = JSONValue.object(["url": .string(url), "topics": topics.json])
            try await options.show(OperatorRequest("POST", "/v1/webhooks", body: body, app: .query))
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Change a webhook's URL, topics or state.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var fields: FieldOptions

        @Argument(help: "The webhook's id.")
        var webhook: String

        @Option(help: "Its new URL.")
        var url: String?

        @Option(name: .customLong("topic"), help: "A topic; those that are given replace all others.")
        var topics: [String] = []

        @Option(help: "active or disabled.")
        var state: String?

        func run() async throws {
            let body = try fields.change([
                "url": url.map(JSONValue.string), "topics": topics.isEmpty ? nil : topics.json,
                "state": state.map(JSONValue.string),
            ])
            try await options.show(OperatorRequest("PATCH", "/v1/webhooks/\(webhook)", body: body))
        }
    }
}

/// The webhook of a command.
struct NamedWebhook: ParsableArguments {
    @OptionGroup var options: OperatorOptions

    @Argument(help: "The webhook's id.")
    var webhook: String
}

extension WebhooksCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a webhook.")

        @OptionGroup var named: NamedWebhook

        func run() async throws {
            try await named.options.show(OperatorRequest("GET", "/v1/webhooks/\(named.webhook)"))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a webhook with its pending messages.")

        @OptionGroup var named: NamedWebhook

        func run() async throws {
            try await named.options.show(
                OperatorRequest("DELETE", "/v1/webhooks/\(named.webhook)"),
                done: "The webhook is deleted."
            )
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Post a test message now; ends with 1 when it is not accepted."
        )

        @OptionGroup var named: NamedWebhook

        func run() async throws {
            let request = OperatorRequest("POST", "/v1/webhooks/\(named.webhook)/test")
            let answer = try await named.options.run {
                try JSONValue(response: try await named.options.send(request, $0))
            }
            try named.options.show(answer)
            if answer["isTaken"]?.bool == false { throw ExitCode(CommandFailure.Kind.negative.rawValue) }
        }
    }

    struct RotateSecret: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate-secret",
            abstract: "Replace the secret of a webhook's signatures; the former one signs as well for a day."
        )

        @OptionGroup var named: NamedWebhook

        func run() async throws {
            try await named.options.show(OperatorRequest("POST", "/v1/webhooks/\(named.webhook)/rotate-secret"))
        }
    }

    struct Attempts: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the last attempts with status and body of their answers."
        )

        @OptionGroup var named: NamedWebhook

        func run() async throws {
            try await named.options.show(OperatorRequest("GET", "/v1/webhooks/\(named.webhook)/attempts"))
        }
    }

    struct Messages: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "List messages that were not accepted: dead ones, or with --state pending those to be tried again."
        )

        @OptionGroup var named: NamedWebhook
        @OptionGroup var pages: PageOptions

        @Option(help: "pending or dead.")
        var state: String?

        func run() async throws {
            try await named.options.list(
                OperatorRequest("GET", "/v1/webhooks/\(named.webhook)/messages", query: ["state": state]),
                pages,
                [
                    Column("ID", "id"), Column("STATE", "state"), Column("ATTEMPTS", "attempts"),
                    Column("CREATED", "createdAt"), Column("NEXT", "nextAttemptAt"), Column("STATUS", "lastStatus"),
                    Column("ERROR", "lastError"),
                ]
            )
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Send a dead message again.")

        @OptionGroup var named: NamedWebhook

        @Argument(help: "The message's id.")
        var message: String

        func run() async throws {
            try await named.options.show(
                OperatorRequest("POST", "/v1/webhooks/\(named.webhook)/messages/\(message)/replay")
            )
        }
    }
}
