import ArgumentParser
import CarillonModel
import CarillonOperatorModel

/// `carillon campaigns`: manages Campaigns.
struct CampaignsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaigns",
        abstract: "Create, schedule, pause, cancel and watch campaigns.",
        discussion: """
            A campaign is read as JSON, in the format of POST /v1/campaigns:
              {"audience": {"all": true}, "message": {"content": {"default": {"body": "Hello"}}},
               "schedule": {"repeat": "daily", "times": ["09:00"], "zone": "Asia/Seoul"}}
            Schedules are described in docs/scheduling.md.

            carillon dry-run campaign.json
            carillon campaigns create campaign.json
            carillon campaigns watch cmp_0fk2m9q3tw7x
            """,
        subcommands: [
            List.self, Create.self, Show.self, Update.self, Test.self, Send.self, Pause.self, Resume.self, Cancel.self,
            Delete.self, Reach.self, Approvals.self, Refuse.self, Withdraw.self, Undo.self, SendNow.self, Watch.self,
            CampaignFunnel.self, Failures.self, Deliveries.self, Occurrences.self,
        ]
    )

    /// The columns of a list, and of a Campaign that an action changed.
    static let columns = [
        Column("ID", "id"), Column("STATE", text: state), Column("NEXT", "nextAt"), Column("STARTED", "startedAt"),
        Column("ALARM", "alarm"), Column("NAME", "name"),
    ]

    /// The state, and since when outcomes wait for the store.
    @Sendable static func state(_ value: JSONValue) -> String? {
        let state = value["state"]?.cell
        guard let since = value["waitingForStoreSince"]?.cell else { return state }
        return "\(state ?? ""), waiting for the store since \(since)"
    }
}

/// The Campaign of a command.
struct NamedCampaign: ParsableArguments {
    @OptionGroup var options: OperatorOptions

    @Argument(help: "The campaign's id, cmp_….")
    var campaign: String

    /// Sends an action to the server, and prints the changed Campaign.
    func post(_ action: APIPath) async throws { try await options.showCampaign(OperatorRequest("POST", action)) }
}

extension OperatorOptions {
    /// Sends a request that is answered with a Campaign, and prints it as a row.
    func showCampaign(_ request: OperatorRequest) async throws {
        let answer = try await run { try JSONValue(response: try await send(request, $0)) }
        guard !json, field == nil else { return try show(answer) }
        try ListOutput(CampaignsCommand.columns, json: false, field: nil).printAll([answer])
    }
}

extension CampaignsCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a campaign from a file of JSON."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "The file; - for the standard input.", completion: .file(extensions: ["json"]))
        var file: String

        func run() async throws {
            let body = JSONValue.object(try OperatorInput.object(from: file))
            try await options.showCampaign(OperatorRequest("POST", "/v1/campaigns", body: body, app: .query))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List campaigns, newest first.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        @Option(
            help: """
                Only those in this state: draft, needsApproval, refused, expired, held, scheduled, sending, paused, \
                cancelling, cancelled or sent.
                """
        )
        var state: String?

        @Option(help: "Only those with a firing that is planned for this time or later, as 2026-11-01T00:00:00Z.")
        var dueFrom: String?

        @Option(help: "Only those with a firing that is planned before this time.")
        var dueUntil: String?

        @Option(help: "Only those created at this time or later.")
        var createdFrom: String?

        @Option(help: "Only those created before this time.")
        var createdUntil: String?

        func validate() throws {
            if let state, Campaign.State(rawValue: state) == nil {
                let words = Campaign.State.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--state is one of \(words).")
            }
        }

        func run() async throws {
            let query = [
                "state": state, APIName.dueFrom: dueFrom, APIName.dueUntil: dueUntil,
                APIName.createdFrom: createdFrom, APIName.createdUntil: createdUntil,
            ]
            try await options.list(
                OperatorRequest("GET", "/v1/campaigns", query: query, app: .filter),
                pages,
                CampaignsCommand.columns
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a campaign's fields.")

        @OptionGroup var named: NamedCampaign

        func run() async throws {
            try await named.options.show(OperatorRequest("GET", "/v1/campaigns/\(named.campaign)"))
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "update",
            abstract: "Change fields of a campaign that has not begun, such as --set name=News."
        )

        @OptionGroup var named: NamedCampaign
        @OptionGroup var fields: FieldOptions

        func run() async throws {
            let body = try fields.change()
            try await named.options.showCampaign(
                OperatorRequest("PATCH", "/v1/campaigns/\(named.campaign)", body: body)
            )
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Send a message to one device, for review; it counts for no campaign."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(
            help: "A file with a campaign or another object that has a message or template; - for the standard input.",
            completion: .file(extensions: ["json"])
        )
        var file: String

        @Option(help: "The device's id, a UUID.")
        var device: String

        func run() async throws {
            let given = try OperatorInput.object(from: file)
            // A campaign's other fields, such as its audience, do not concern a test send.
            var body = given.filter {
                ["message", "template", "values", "recipientValues", "channel"].contains($0.key)
            }
            body["device"] = .string(device)
            try await options.showCampaign(
                OperatorRequest("POST", "/v1/test-send", body: .object(body), app: .query)
            )
        }
    }
}
