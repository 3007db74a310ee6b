import ArgumentParser
import CarillonModel
import CarillonOperatorModel

extension CampaignsCommand {
    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel",
            abstract: "Cancel a campaign, or one of its occurrences; sent notifications stay sent."
        )

        @OptionGroup var named: NamedCampaign

        @Option(help: "Only this occurrence: its id, its time such as 2026-12-24T09:00, or the number of a group.")
        var occurrence: String?

        func run() async throws {
            guard let occurrence else { return try await named.post("cancel") }
            let end = "/occurrences/" + OperatorAPI.segment(occurrence) + "/cancel"
            let answer: Occurrence = try await named.options.run { api in
                try await api.post(CampaignsCommand.path(named.campaign, end))
            }
            try OperatorOutput.print(answer)
        }
    }

    struct CampaignFunnel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "funnel",
            abstract: "Show a campaign's funnel, over all of its occurrences."
        )

        @OptionGroup var named: NamedCampaign

        func run() async throws {
            let funnel: Funnel = try await named.options.run { api in
                try await api.get(CampaignsCommand.path(named.campaign, "/funnel"))
            }
            try OperatorOutput.print(funnel)
        }
    }

    struct Occurrences: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "occurrences",
            abstract: "List the firings of a campaign, those to come too."
        )

        @OptionGroup var named: NamedCampaign

        func run() async throws {
            var table = TextTable(
                "AT",
                "GROUP",
                "PLANNED",
                "STATE",
                "TARGETED",
                "ACCEPTED",
                "REMAINING",
                "DEFERRED",
                "NEXT",
                "ID"
            )
            var cursor: String?
            repeat {
                let page: Page<Occurrence> = try await named.options.run { api in
                    try await api.get(
                        CampaignsCommand.path(named.campaign, "/occurrences"),
                        ["cursor": cursor, "limit": "200"]
                    )
                }
                for occurrence in page.items {
                    if named.options.json { try OperatorOutput.print(occurrence) }
                    table.add(
                        occurrence.at?.description,
                        occurrence.group.map(String.init),
                        occurrence.plannedAt.description,
                        CampaignsCommand.words(
                            occurrence.state.rawValue,
                            waitingSince: occurrence.waitingForStoreSince
                        ),
                        String(occurrence.funnel.targeted),
                        String(occurrence.funnel.accepted),
                        String(occurrence.remaining),
                        String(occurrence.funnel.deferred),
                        occurrence.nextAt?.description,
                        occurrence.id?.description
                    )
                }
                cursor = page.nextCursor
            } while cursor != nil
            if !named.options.json { table.print() }
        }
    }
}
