import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation

extension CampaignsCommand {
    struct CampaignFunnel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "funnel",
            abstract: "Show a campaign's funnel as bars, over all of its occurrences, with its variants."
        )

        @OptionGroup var named: NamedCampaign

        func run() async throws {
            let request = OperatorRequest("GET", "/v1/campaigns/\(named.campaign)/funnel")
            let data = try await named.options.run { try await named.options.send(request, $0) }
            guard !named.options.json, named.options.field == nil else {
                return try named.options.show(try JSONValue(response: data))
            }
            let funnel: Funnel
            do { funnel = try JSONDecoder().decode(Funnel.self, from: data) } catch {
                throw CommandFailure.described(error)
            }
            for line in FunnelView(funnel: funnel).lines + VariantsView(funnel: funnel).lines {
                print(Terminal.escaped(line))
            }
        }
    }

    struct Failures: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "failures",
            abstract: "Count a campaign's permanent failures by reason."
        )

        @OptionGroup var named: NamedCampaign

        func run() async throws {
            let request = OperatorRequest("GET", "/v1/campaigns/\(named.campaign)/failures")
            let answer = try await named.options.run {
                try JSONValue(response: try await named.options.send(request, $0))
            }
            guard !named.options.json, named.options.field == nil else { return try named.options.show(answer) }
            let columns = [Column("REASON", "reason"), Column("OUTCOME", "outcome"), Column("COUNT", "count")]
            // A list that is short by nature, without pages.
            let rows = answer.array ?? answer[APIName.items]?.array ?? []
            try ListOutput(columns, json: false, field: nil).printAll(rows)
        }
    }

    struct Deliveries: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "deliveries",
            abstract: "List the outcome of each of a campaign's notifications."
        )

        @OptionGroup var named: NamedCampaign
        @OptionGroup var pages: PageOptions

        @Option(help: "Only this occurrence, occ_….")
        var occurrence: String?

        func run() async throws {
            try await named.options.list(
                OperatorRequest("GET", "/v1/campaigns/\(named.campaign)/deliveries", query: ["occurrence": occurrence]),
                pages,
                [
                    Column("AT", "at"), Column("DEVICE", "device"), Column("PUSH TYPE", "pushType"),
                    Column("OUTCOME", "outcome"), Column("REASON", "reason"),
                ]
            )
        }
    }

    struct Occurrences: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "occurrences",
            abstract: "List the firings of a campaign, those to come too."
        )

        @OptionGroup var named: NamedCampaign
        @OptionGroup var pages: PageOptions

        func run() async throws {
            try await named.options.list(
                OperatorRequest("GET", "/v1/campaigns/\(named.campaign)/occurrences"),
                pages,
                [
                    Column("AT", "at"), Column("GROUP", "group"), Column("PLANNED", "plannedAt"),
                    Column("STATE", text: CampaignsCommand.state), Column("TARGETED", "funnel.targeted"),
                    Column("ACCEPTED", "funnel.accepted"), Column("REMAINING", "remaining"),
                    Column("DEFERRED", "funnel.deferred"), Column("NEXT", "nextAt"), Column("ID", "id"),
                ]
            )
        }
    }
}
