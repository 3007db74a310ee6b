/// The answer of `POST /v1/devices/import`.
public struct ImportReport: Hashable, Sendable, Codable {
    /// How many bad lines are told.
    public static let maximumProblems = 1_000

    /// A line that could not be taken.
    public struct LineProblem: Hashable, Sendable, Codable {
        /// Its number, from 1.
        public var line: Int
        /// What is wrong with it; its values are not repeated.
        public var problem: String

        /// Makes a problem.
        ///
        /// - Parameters:
        ///   - line: The line's number, from 1.
        ///   - problem: What is wrong with it.
        public init(line: Int, problem: String) {
            self.line = line
            self.problem = problem
        }
    }

    /// New Devices.
    public var added: Int
    /// Devices of this or an earlier import that were described again: the later line holds.
    public var replaced: Int
    /// Lines whose token or Device an app has registered itself; the app knows better than the file.
    public var registered: Int
    /// Lines that could not be taken.
    public var rejected: Int
    /// The first 1,000 of these.
    public var problems: [LineProblem]

    /// Makes a report.
    ///
    /// - Parameters:
    ///   - added: New Devices.
    ///   - replaced: Devices that were described again.
    ///   - registered: Lines that were left alone.
    ///   - rejected: Lines that could not be taken.
    ///   - problems: What was wrong with the first of these.
    public init(added: Int, replaced: Int, registered: Int, rejected: Int, problems: [LineProblem]) {
        self.added = added
        self.replaced = replaced
        self.registered = registered
        self.rejected = rejected
        self.problems = problems
    }
}
