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
        @OptionGroup var pages: PageOptions

        @Option(help: "Only entries of this API key or Operator, key_… or opr_…; or command, or unknown.")
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

        func validate() throws {
            guard [key, object, user, device].compactMap(\.self).count <= 1 else {
                throw ValidationError("Name one of --key, --object, --user and --device.")
            }
        }

        func run() async throws {
            let query = [
                "key": key, "object": object, "user": user, "device": device, APIName.from: from, APIName.until: until,
            ]
            let status = Column("STATUS") { $0["status"]?.integer == 0 ? "done" : $0["status"]?.cell }
            try await options.list(
                OperatorRequest("GET", "/v1/audit", query: query, app: .filter),
                pages,
                [
                    Column("AT", "at"), Column("ACTOR", "actor"), Column("ADDRESS", "address"),
                    Column("ACTION", "action"), Column("APP", "app"), Column("OBJECT", "object"), status,
                    Column("SESSION", "session"), Column("CHANGE", "change"),
                ]
            )
        }
    }
}
