/// The answer of `POST /v1/device-import`.
public struct ImportReport: Hashable, Sendable, Codable {
    /// Maximum number of reported lines.
    public static let maximumProblems = 1_000

    /// A rejected line.
    public struct LineProblem: Hashable, Sendable, Codable {
        /// Its number, from 1.
        public var line: Int
        /// Its error; its values are not repeated.
        public var problem: String

        /// Creates a problem.
        ///
        /// - Parameters:
        ///   - line: The line's number, from 1.
        ///   - problem: Its error.
        public init(line: Int, problem: String) {
            self.line = line
            self.problem = problem
        }
    }

    /// New Devices.
    public var added: Int
    /// Devices of this or an earlier import that occurred again: the later line counts.
    public var replaced: Int
    /// Lines whose token or Device an app has registered itself; they are ignored.
    public var registered: Int
    /// Rejected lines.
    public var rejected: Int
    /// Users whose tags and attributes came in lines without a Device.
    public var users: Int
    /// How the consents of lines differ from those of the Devices with their tokens; only in a dry run's answer.
    public var consents: ConsentComparison?
    /// The first 1,000 rejected lines.
    public var problems: [LineProblem]

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - added: New Devices.
    ///   - replaced: Devices that occurred again.
    ///   - registered: Ignored lines.
    ///   - rejected: Rejected lines.
    ///   - users: Users of lines without a Device.
    ///   - consents: The comparison of consents, of a dry run.
    ///   - problems: The first rejected lines.
    public init(
        added: Int,
        replaced: Int,
        registered: Int,
        rejected: Int,
        users: Int = 0,
        consents: ConsentComparison? = nil,
        problems: [LineProblem]
    ) {
        self.added = added
        self.replaced = replaced
        self.registered = registered
        self.rejected = rejected
        self.users = users
        self.consents = consents
        self.problems = problems
    }
}
