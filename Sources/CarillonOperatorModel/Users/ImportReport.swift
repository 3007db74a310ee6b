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
    /// The first 1,000 of these.
    public var problems: [LineProblem]

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - added: New Devices.
    ///   - replaced: Devices that occurred again.
    ///   - registered: Ignored lines.
    ///   - rejected: Rejected lines.
    ///   - problems: The first of these.
    public init(added: Int, replaced: Int, registered: Int, rejected: Int, problems: [LineProblem]) {
        self.added = added
        self.replaced = replaced
        self.registered = registered
        self.rejected = rejected
        self.problems = problems
    }
}
