import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation

/// `carillon log`: the results of single notifications.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the results of notifications to a device or user, or of a campaign.",
        discussion: """
            carillon log --user u-1
            carillon log --device 3f2504e0-4f89-41d3-9a0c-0305e82c3301 --from 2026-11-01T00:00:00Z
            carillon log --campaign cmp_0fk2m9q3tw7x --limit 1000
            """
    )

    @OptionGroup var options: OperatorOptions
    @OptionGroup var pages: PageOptions

    @Option(help: "A device's id, a UUID.")
    var device: String?

    @Option(help: "A user's id.")
    var user: String?

    @Option(help: "Only notifications of this campaign, cmp_….")
    var campaign: String?

    @Option(help: "Only occurrences that began at this time or later, such as 2026-11-01T00:00:00Z.")
    var from: String?

    @Option(help: "Only occurrences that began before this time.")
    var until: String?

    func validate() throws {
        guard device != nil || user != nil || campaign != nil else {
            throw ValidationError("Name a --device, a --user or a --campaign.")
        }
        guard device == nil || user == nil else { throw ValidationError("Name a --device or a --user, not both.") }
    }

    func run() async throws {
        let query = [
            "device": device, "user": user, "campaign": campaign, APIName.from: from, APIName.until: until,
        ]
        let opened = Column("OPENED") { ($0["openedAt"] ?? $0["launchedAt"])?.cell }
        let actions = Column("ACTIONS") { message in
            message["actions"]?.array?.compactMap { $0["action"]?.cell }.joined(separator: ",")
        }
        try await options.list(
            OperatorRequest("GET", "/v1/message-log", query: query, app: .query),
            pages,
            [
                Column("AT", "at"), Column("CAMPAIGN", "campaign"), Column("DEVICE", "device"),
                Column("OUTCOME", "outcome"), Column("REASON", "reason"), Column("RECEIVED", "receivedAt"), opened,
                actions,
            ]
        )
    }
}
