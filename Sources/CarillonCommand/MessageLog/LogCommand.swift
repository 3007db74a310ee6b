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

    @Option(help: "How many at most, 1 through 100000.")
    var limit = 50

    func validate() throws {
        guard device != nil || user != nil || campaign != nil else {
            throw ValidationError("Name a --device, a --user or a --campaign.")
        }
        guard device == nil || user == nil else { throw ValidationError("Name a --device or a --user, not both.") }
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit is 1 through 100000.") }
    }

    func run() async throws {
        let messages = try await options.run { api in try await read(api) }
        if options.json { return try OperatorOutput.print(messages) }
        var table = TextTable("AT", "CAMPAIGN", "DEVICE", "OUTCOME", "REASON", "RECEIVED", "OPENED", "ACTIONS")
        for message in messages {
            table.add(
                message.at.description,
                "\(message.campaign)",
                message.device?.description,
                message.outcome.rawValue,
                message.reason,
                message.receivedAt?.description,
                (message.openedAt ?? message.launchedAt)?.description,
                message.actions?.map(\.action).joined(separator: ",")
            )
        }
        table.print()
    }

    /// Reads page by page; pages before the last may be short.
    private func read(_ api: OperatorAPI) async throws -> [LoggedMessage] {
        let app = "\(try await options.appID(api))"
        var messages: [LoggedMessage] = []
        var cursor: String?
        repeat {
            let page: Page<LoggedMessage> = try await api.get(
                "/v1/message-log",
                [
                    "app": app, "device": device, "user": user, "campaign": campaign, "from": from, "until": until,
                    "cursor": cursor, "limit": String(min(200, limit - messages.count)),
                ]
            )
            messages += page.items
            cursor = page.nextCursor
        } while cursor != nil && messages.count < limit
        return messages
    }
}
