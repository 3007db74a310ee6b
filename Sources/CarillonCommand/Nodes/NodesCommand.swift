import ArgumentParser
import CarillonModel
import CarillonOperatorModel

/// `carillon nodes`: the processes of a server.
struct NodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nodes",
        abstract: "List the processes of a server, and make one send nothing.",
        discussion: """
            carillon nodes list
            carillon nodes quiet nod_0fk2m9q3tw7x
            carillon nodes release-leases nod_0fk2m9q3tw7x
            """,
        subcommands: [List.self, Quiet.self, Wake.self, ReleaseLeases.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the nodes that were seen in the last day.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/nodes"),
                pages,
                [
                    Column("NODE", "id"), Column("NAME", "name"), Column("ROLE", "role"), Column("VERSION", "version"),
                    Column("STARTED", "startedAt"), Column("SEEN", "seenAt"), Column("LOST", "isLost"),
                    Column("QUIET SINCE", "quietSince"), Column("CHUNKS", "chunks"),
                ]
            )
        }
    }

    struct Quiet: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a node send nothing, until it is woken or ends; others take its work."
        )

        @OptionGroup var named: NamedNode

        func run() async throws { try await named.post("quiet") }
    }

    struct Wake: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let a quiet node send again.")

        @OptionGroup var named: NamedNode

        func run() async throws { try await named.post("wake") }
    }

    struct ReleaseLeases: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "release-leases",
            abstract: "Free all Chunks of a node that does not go on.",
            discussion: "What it has sent and not committed is sent again, and may be shown twice."
        )

        @OptionGroup var named: NamedNode

        func run() async throws { try await named.post("release-leases") }
    }
}

/// A node of the command line.
struct NamedNode: ParsableArguments {
    @OptionGroup var options: OperatorOptions

    @Argument(help: "The node's id, nod_….")
    var id: String

    func validate() throws {
        guard NodeID(id) != nil else { throw ValidationError("The node's id is nod_ and 12 base-32 characters.") }
    }

    /// Does something with the node, and shows it.
    func post(_ action: String) async throws {
        try await options.show(OperatorRequest("POST", "/v1/nodes/\(id)/\(action)"))
    }
}
