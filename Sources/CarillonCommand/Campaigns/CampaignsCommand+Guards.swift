import ArgumentParser
import CarillonModel
import CarillonOperatorModel

/// Campaigns that wait for an Operator; one is approved in the console alone.
extension CampaignsCommand {
    struct Approvals: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "approvals",
            abstract: "List campaigns that wait for approval, newest first; an operator approves in the console."
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/approvals", app: .filter),
                pages,
                [
                    Column("ID", "id"), Column("DEVICES", "approval.reach"),
                    Column("ASKED", "approval.requestedAt"),
                    Column("EXPIRES", "approval.expiresAt"), Column("NAME", "name"),
                ]
            )
        }
    }

    struct Refuse: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "refuse",
            abstract: "Refuse to approve a campaign."
        )

        @OptionGroup var named: NamedCampaign

        @Option(help: "Why, 1 through 500 characters; its authors see it.")
        var reason: String

        func run() async throws {
            let body = JSONValue.object(["reason": .string(reason)])
            try await named.options.showCampaign(
                OperatorRequest("POST", "/v1/campaigns/\(named.campaign)/approval/refuse", body: body)
            )
        }
    }

    struct Withdraw: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "withdraw",
            abstract: "Take a request for approval back."
        )

        @OptionGroup var named: NamedCampaign

        func run() async throws { try await named.post("/v1/campaigns/\(named.campaign)/approval/withdraw") }
    }

    struct Undo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "undo",
            abstract: "Make a campaign that is held a draft again; nothing of it was sent."
        )

        @OptionGroup var named: NamedCampaign

        func run() async throws { try await named.post("/v1/campaigns/\(named.campaign)/undo") }
    }

    struct SendNow: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send-now",
            abstract: "End the hold of a campaign at once."
        )

        @OptionGroup var named: NamedCampaign

        func run() async throws { try await named.post("/v1/campaigns/\(named.campaign)/send-now") }
    }
}
