import ArgumentParser

extension CampaignsCommand {
    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "send", abstract: "Send a draft.")

        @OptionGroup var named: NamedCampaign

        func run() async throws { try await named.post("/v1/campaigns/\(named.campaign)/send") }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "pause", abstract: "Pause a campaign.")

        @OptionGroup var named: NamedCampaign

        func run() async throws { try await named.post("/v1/campaigns/\(named.campaign)/pause") }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume",
            abstract: "Go on with a paused campaign."
        )

        @OptionGroup var named: NamedCampaign

        func run() async throws { try await named.post("/v1/campaigns/\(named.campaign)/resume") }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a draft; other campaigns stay in the counts, and are cancelled."
        )

        @OptionGroup var named: NamedCampaign

        func run() async throws {
            try await named.options.show(
                OperatorRequest("DELETE", "/v1/campaigns/\(named.campaign)"),
                done: "The draft is deleted."
            )
        }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel",
            abstract: "Cancel a campaign, or one of its occurrences; sent notifications stay sent."
        )

        @OptionGroup var named: NamedCampaign

        @Option(help: "Only this occurrence: its id, its time such as 2026-12-24T09:00, or the number of a group.")
        var occurrence: String?

        func run() async throws {
            guard let occurrence else { return try await named.post("/v1/campaigns/\(named.campaign)/cancel") }
            try await named.options.show(
                OperatorRequest("POST", "/v1/campaigns/\(named.campaign)/occurrences/\(occurrence)/cancel")
            )
        }
    }
}
