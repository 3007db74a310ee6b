import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation

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
            """,
        subcommands: [
            Create.self, List.self, Show.self, Send.self, Pause.self, Resume.self, Cancel.self, CampaignFunnel.self,
            Occurrences.self,
        ]
    )

    static func printCampaign(_ campaign: Campaign, json: Bool) throws {
        guard !json else { return try OperatorOutput.print(campaign) }
        var table = TextTable("ID", "STATE", "NEXT", "ALARM", "NAME")
        table.add("\(campaign.id)", stateWords(campaign), campaign.nextAt?.description, campaign.alarm, campaign.name)
        table.print()
    }

    /// The state, and whether outcomes wait for the store.
    static func stateWords(_ campaign: Campaign) -> String {
        words(campaign.state.rawValue, waitingSince: campaign.waitingForStoreSince)
    }

    /// A state, and since when outcomes wait for the store.
    static func words(_ state: String, waitingSince: Timestamp?) -> String {
        waitingSince.map { "\(state), waiting for the store since \($0)" } ?? state
    }

    static func path(_ campaign: String, _ end: String = "") -> String {
        "/v1/campaigns/" + OperatorAPI.segment(campaign) + end
    }
}

/// The Campaign of a command.
struct NamedCampaign: ParsableArguments {
    @OptionGroup var options: OperatorOptions

    @Argument(help: "The campaign's id.")
    var campaign: String

    /// Sends an action to the server, and prints the changed Campaign.
    func post(_ action: String) async throws {
        let answer: Campaign = try await options.run { api in
            try await api.post(CampaignsCommand.path(campaign, "/" + action))
        }
        try CampaignsCommand.printCampaign(answer, json: options.json)
    }
}

extension CampaignsCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a campaign from a file of JSON."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "The file; - for the standard input.")
        var file: String

        func run() async throws {
            let request: CampaignRequest
            do {
                request = try JSONDecoder().decode(CampaignRequest.self, from: try InputFile.contents(of: file))
            } catch let error as FieldError {
                throw ValidationError("\(error.field) \(error.problem)")
            } catch let error as DecodingError {
                let field = FieldError(error)
                throw ValidationError("\(field.field) \(field.problem)")
            }
            let answer: Campaign = try await options.run { api in
                try await api.post("/v1/campaigns", ["app": options.app], request)
            }
            try CampaignsCommand.printCampaign(answer, json: options.json)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List campaigns, newest first.")

        @OptionGroup var options: OperatorOptions

        @Option(help: "Only those in this state: draft, scheduled, sending, paused, cancelling, cancelled or sent.")
        var state: String?

        @Option(help: "Only those with a firing that is planned for this time or later, as 2026-11-01T00:00:00Z.")
        var dueFrom: String?

        @Option(help: "Only those with a firing that is planned before this time.")
        var dueUntil: String?

        @Option(help: "How many at most, 1 through 10000.")
        var limit = 50

        func validate() throws {
            guard (1...10_000).contains(limit) else { throw ValidationError("--limit is 1 through 10000.") }
            if let state, Campaign.State(rawValue: state) == nil {
                let words = Campaign.State.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--state is one of \(words).")
            }
        }

        func run() async throws {
            let campaigns = try await options.run { api in try await read(api) }
            if options.json { return try OperatorOutput.print(campaigns) }
            var table = TextTable("ID", "STATE", "NEXT", "STARTED", "ALARM", "NAME")
            for campaign in campaigns {
                table.add(
                    "\(campaign.id)",
                    CampaignsCommand.stateWords(campaign),
                    campaign.nextAt?.description,
                    campaign.startedAt?.description,
                    campaign.alarm,
                    campaign.name
                )
            }
            table.print()
        }

        private func read(_ api: OperatorAPI) async throws -> [Campaign] {
            var campaigns: [Campaign] = []
            var cursor: String?
            repeat {
                let page: Page<Campaign> = try await api.get(
                    "/v1/campaigns",
                    [
                        "app": options.app, "state": state, "dueFrom": dueFrom, "dueUntil": dueUntil, "cursor": cursor,
                        "limit": String(min(200, limit - campaigns.count)),
                    ]
                )
                campaigns += page.items
                cursor = page.nextCursor
            } while cursor != nil && campaigns.count < limit
            return campaigns
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a campaign as JSON.")

        @OptionGroup var named: NamedCampaign

        func run() async throws {
            let answer: Campaign = try await named.options.run { api in
                try await api.get(CampaignsCommand.path(named.campaign))
            }
            try OperatorOutput.print(answer)
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "send", abstract: "Send a draft.")

        @OptionGroup var named: NamedCampaign

        func run() async throws { try await named.post("send") }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "pause", abstract: "Pause a campaign.")

        @OptionGroup var named: NamedCampaign

        func run() async throws { try await named.post("pause") }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume",
            abstract: "Go on with a paused campaign."
        )

        @OptionGroup var named: NamedCampaign

        func run() async throws { try await named.post("resume") }
    }
}
