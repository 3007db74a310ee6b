import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation

/// `carillon audit`: the audit log.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show the audit log, and verify its integrity.",
        discussion: """
            carillon audit list --key key_0fk2m9q3tw7x --from 2026-11-01T00:00:00Z
            carillon audit list --app app_0fk2m9q3tw7x --user u-1
            carillon audit verify --noted aud_0fk2m9q3tw7x:5e88…
            """,
        subcommands: [List.self, AuditVerifyCommand.self]
    )
}

extension AuditCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List entries, the latest first."
        )

        @OptionGroup var options: OperatorOptions

        @Option(help: "Only entries of this API key, key_…; or command, or unknown.")
        var key: String?

        @Option(help: "Only entries about this object, such as cmp_….")
        var object: String?

        @Option(help: "Only entries about this user; requires --app.")
        var user: String?

        @Option(help: "Only entries about this device, a UUID; requires --app.")
        var device: String?

        @Option(help: "Only entries of this time or later, as 2026-11-01T00:00:00Z.")
        var from: String?

        @Option(help: "Only entries before this time.")
        var until: String?

        @Option(help: "How many at most, 1 through 100000.")
        var limit = 50

        func validate() throws {
            guard (1...100_000).contains(limit) else { throw ValidationError("--limit is 1 through 100000.") }
            guard [key, object, user, device].compactMap(\.self).count <= 1 else {
                throw ValidationError("Name one of --key, --object, --user and --device.")
            }
        }

        func run() async throws {
            let entries = try await options.run { api in try await read(api) }
            if options.json { return try OperatorOutput.print(entries) }
            var table = TextTable("AT", "ACTOR", "ADDRESS", "ACTION", "APP", "OBJECT", "STATUS")
            for entry in entries {
                table.add(
                    entry.at.description,
                    entry.actor,
                    entry.address,
                    entry.action,
                    entry.app?.description,
                    entry.object,
                    entry.status == 0 ? "done" : String(entry.status)
                )
            }
            table.print()
        }

        private func read(_ api: OperatorAPI) async throws -> [AuditEntry] {
            var entries: [AuditEntry] = []
            var cursor: String?
            repeat {
                let page: Page<AuditEntry> = try await api.get(
                    "/v1/audit",
                    [
                        "app": options.app, "key": key, "object": object, "user": user, "device": device,
                        "from": from, "until": until, "cursor": cursor,
                        "limit": String(min(200, limit - entries.count)),
                    ]
                )
                entries += page.items
                cursor = page.nextCursor
            } while cursor != nil && entries.count < limit
            return entries
        }
    }
}
