import ArgumentParser

/// How much of a list a command reads.
struct PageOptions: ParsableArguments {
    /// How many rows a list has unless told otherwise.
    static let usualLimit = 100

    @Option(help: "How many at most, 1 through 1000000. (default: 100)")
    var limit: Int?

    @Flag(help: "All of them, page by page.")
    var all = false

    @Option(help: "Continue where an earlier list ended, whose last line has the cursor.")
    var cursor: String?

    func validate() throws {
        guard limit.map((1...1_000_000).contains) ?? true else {
            throw ValidationError("--limit is 1 through 1000000.")
        }
        guard limit == nil || !all else { throw ValidationError("Give --limit or --all, not both.") }
    }

    /// The maximum number of rows.
    var most: Int { all ? .max : limit ?? Self.usualLimit }
}
